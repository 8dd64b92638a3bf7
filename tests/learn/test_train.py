"""`tearsheet train`: two small files, the same bytes each time, and a record beside them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tearsheet import learn, parameters, plugins
from tearsheet.acquire.browser import Browser
from tearsheet.cli import main
from tearsheet.errors import FetchFailed, MissingExtra, UnknownName

pytest.importorskip("sklearn", reason="training needs the extra 'train'")
pytest.importorskip("rapidfuzz", reason="training needs the extra 'train'")

TEXT = "The {} stands by the harbour wall, {} metres from the sea, and nobody has ever moved it."
STYLE = "<style>" + "p { margin: 8px } " * 600 + "</style>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight pages of our own with their truth."""
    for i, thing in enumerate("bench lamp crane bell post chain boat stone".split()):
        lines = [TEXT.format(thing, 10 * i + j) for j in range(8)]
        menu = "".join(f'<li><a href="/{name}">{name}</a>' for name in ("Home", "News", "Map"))
        body = "".join(f"<p>{line}</p>" for line in lines)
        (tmp_path / f"{thing}.html").write_text(f"{STYLE}<ul>{menu}</ul><div>{body}</div>")
        (tmp_path / f"{thing}.txt").write_text("\n".join(lines))
    return tmp_path


def train_once(name: str, data: Path, out: Path) -> bytes:
    out.mkdir()
    steps: list[tuple[int, int]] = []
    learn.train(name, data, folder=out, progress=lambda *step: steps.append(step))
    assert steps[-1] == (8, 8)
    return (out / f"{name}.npz").read_bytes()


@pytest.mark.parametrize("name", ["boilerpipe_tree", "mss"])
def test_training_again_gives_the_same_bytes(name: str, folder: Path) -> None:
    assert train_once(name, folder, folder / "one") == train_once(name, folder, folder / "two")
    record = json.loads((folder / "one" / f"{name}.json").read_text())
    assert record["method"] == name
    assert [entry["pages"] for entry in record["data"]] == [8]


@pytest.mark.parametrize("name", ["clg", "clipper", "svm"])
def test_visual_methods_are_trained_on_drawn_pages(
    name: str,
    folder: Path,
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    once = train_once(name, folder, folder / "one")
    assert len(list((folder / "cache" / "tearsheet" / "rendered").iterdir())) == 8
    assert train_once(name, folder, folder / "two") == once


def test_what_was_trained_without_each_fold_is_written_too(folder: Path) -> None:
    learn.train("mss", folder, folder=folder, folds=folder / "folds")
    files = learn.fold_files("mss", folder / "folds")
    assert all(file.is_file() for file in files)
    assert len({file.read_bytes() for file in files}) > 1


def test_the_command_trains(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "out"
    code = main(["train", "boilerpipe_tree", "--data", str(folder), "--out", str(out)])
    assert code == 0
    assert capsys.readouterr().out.strip() == str(out / "boilerpipe_tree.npz")


def test_a_folder_without_truth_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>No truth beside it")
    with pytest.raises(FetchFailed, match="no pages with truth"):
        learn.train("mss", tmp_path, folder=tmp_path)


def test_an_unknown_method_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="mss"):
        learn.load_trainer("density")


def test_a_missing_package_is_said_before_a_page_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the extra that has it. An empty folder would be the next error."""
    monkeypatch.setattr(learn.load_trainer("forest"), "USES", ("no_such_package",))
    with pytest.raises(MissingExtra, match=r"no_such_package.*\[forest\]"):
        learn.train("forest", tmp_path, folder=tmp_path)


def test_every_method_with_parameters_can_be_trained_and_has_them_shipped() -> None:
    for name in plugins.names("methods"):
        wanted = getattr(plugins.load("methods", name), "PARAMETERS", None)
        if wanted is not None:
            assert parameters.load(wanted)
            assert parameters.record(wanted)["method"] == wanted
            assert callable(learn.load_trainer(wanted).fit)


def test_parameters_in_use_stand_in_for_the_shipped_ones() -> None:
    shipped = parameters.load("clipper")
    with parameters.use("clipper", {"intercept": np.array(1.0)}):
        assert parameters.load("clipper")["intercept"] == 1.0
    assert parameters.load("clipper") is shipped


def test_unknown_parameters_are_a_clear_error() -> None:
    with pytest.raises(UnknownName, match="trained parameters"):
        parameters.load("density")
