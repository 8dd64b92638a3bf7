"""A trained method is judged on sites that it has not seen."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tearsheet import learn, parameters
from tearsheet.datasets import FOLDS, Example, fold_number
from tearsheet.errors import MissingExtra
from tearsheet.evaluate.entrants import Entrant
from tearsheet.evaluate.folds import fit_entrants, parameters_name
from tearsheet.evaluate.run import Plan, run

pytest.importorskip("rapidfuzz", reason="labels need rapidfuzz (it is in the train extra)")


@pytest.fixture
def pages(tmp_path: Path) -> list[Example]:
    """Thirty sites, each with a story of its own."""
    examples = []
    for n in range(30):
        path = tmp_path / f"{n}.html"
        story = f"On day {n} the keeper wrote that ship {n} had passed the point before dawn. " * 3
        path.write_text(f"<nav><a href=/>Home</a></nav><p>{story}</p><footer>Imprint {n}</footer>")
        examples.append(Example(f"{n}", path, url=f"https://site{n}.example/", text=story))
    return examples


def test_only_what_is_trained_has_folds() -> None:
    assert parameters_name(Entrant("mss")) == "mss"
    assert parameters_name(Entrant("density")) is None
    assert parameters_name(Entrant("trafilatura")) is None


def test_each_fold_is_fitted_on_the_pages_of_the_others(
    pages: list[Example], tmp_path: Path
) -> None:
    found = fit_entrants(pages, [Entrant("mss")], tmp_path, drawn=False)
    assert set(found) == {("mss", number) for number in range(FOLDS)}
    for (_, number), path in found.items():
        record = json.loads(path.with_suffix(".json").read_text())
        assert record["without_fold"] == number
        assert "trigram" in parameters.read("mss", path.parent)


def test_a_second_run_takes_the_fits_of_the_first(pages: list[Example], tmp_path: Path) -> None:
    first = fit_entrants(pages, [Entrant("mss")], tmp_path, drawn=False)
    times = {path: path.stat().st_mtime_ns for path in first.values()}
    said: list[str] = []
    again = fit_entrants(pages, [Entrant("mss")], tmp_path, drawn=False, progress=said.append)
    assert {path: path.stat().st_mtime_ns for path in again.values()} == times
    assert said == []


def test_a_page_is_judged_with_the_parameters_of_its_fold(
    pages: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: set[str] = set()
    use_all = parameters.use_all

    def note(folder: Path) -> AbstractContextManager[None]:
        used.add(folder.name)
        return use_all(folder)

    monkeypatch.setattr(parameters, "use_all", note)
    entrants = [Entrant("mss")]
    plan = Plan(("words",), tmp_path, fitted=fit_entrants(pages, entrants, tmp_path, drawn=False))
    results = run(pages, entrants, plan)
    assert [result.page for result in results] == [page.name for page in pages]
    assert set(used) == {str(fold_number(page.domain)) for page in pages}


def test_without_the_training_library_the_error_names_its_extra(
    pages: list[Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(MissingExtra, match=r"--cv needs sklearn.*\[train\]"):
        fit_entrants(pages, [Entrant("boilerpipe_tree")], tmp_path, drawn=False)


def test_the_engine_s_own_training_library_has_an_extra_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn.load_trainer("forest"), "USES", ("no_such_package",))
    with pytest.raises(MissingExtra, match=r"--cv needs no_such_package.*\[forest\]"):
        fit_entrants([], [Entrant("forest")], tmp_path, drawn=False)
