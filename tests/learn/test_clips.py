"""The clip log: what people selected and deselected becomes labels, and what is too old is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from benchmarks import learning
from tests.rows import row_of

from tearsheet import extract, learn, parameters
from tearsheet.acquire.browser import Browser
from tearsheet.cli import main
from tearsheet.errors import FetchFailed
from tearsheet.learn import clips
from tearsheet.learn.nodes import NEGATIVE, NEUTRAL, POSITIVE, label_nodes, selection, true_boxes
from tearsheet.learn.retrain import Change, f1, retrain
from tearsheet.page.parsed import parse
from tearsheet.store import Correction, archive, connect
from tearsheet.store.database import StoreFailed
from tearsheet.store.edits import Edit, Mark, Selects, marks_to_json, name_edits
from tearsheet.types import Page

pytest.importorskip("sklearn", reason="training needs the extra 'train'")
pytest.importorskip("rapidfuzz", reason="training needs the extra 'train'")

LINE = "The {} stands by the harbour wall, {} metres from the sea, and nobody has ever moved it."
PAGE = (
    "<nav id=menu><a href=/>Home</a> <a href=/map>Map</a></nav>"
    "<div id=story><p id=one>{}</p><div id=between><aside id=related><p id=ad>Buy a boat today</p>"
    "</aside><p id=two>{}</p></div></div><footer id=foot><p>All rights are reserved</p></footer>"
).format(LINE.format("bench", 1), LINE.format("lamp", 2))


def make_correction(
    marks: Sequence[tuple[Selects, str]], html: str = PAGE, url: str = ""
) -> Correction:
    """The entry that the editor's service stores for such edits; nodes are named by their id."""
    article = extract(html, url or None)
    page = article.clippings[0].page
    edits = [Edit(do, row_of(page, name)) for do, name in marks]
    paths = marks_to_json(name_edits(page, edits))
    return Correction(url or "http://a.example/", paths, archive.pack(article))


def labels(correction: Correction) -> dict[str, int]:
    """The labels of the nodes that have an id."""
    [example] = clips.read([correction]).examples
    label = label_nodes(example.page, *selection(example))
    names = {row: example.page.attribute(row, "id") for row in range(len(example.page))}
    return {name: int(label[row]) for row, name in names.items() if name}


def test_figure_4_a_deselection_within_a_selection() -> None:
    assert labels(make_correction([("select", "story"), ("deselect", "related")])) == {
        "menu": NEGATIVE,
        "story": NEUTRAL,
        "one": POSITIVE,
        "between": NEUTRAL,
        "related": NEGATIVE,
        "ad": NEGATIVE,
        "two": POSITIVE,
        "foot": NEGATIVE,
    }


def test_a_selection_within_a_deselection() -> None:
    found = labels(make_correction([("deselect", "story"), ("select", "two")]))
    assert found["two"] == POSITIVE
    assert found["one"] == found["related"] == found["menu"] == NEGATIVE
    assert found["story"] == found["between"] == NEUTRAL


def test_a_later_mark_covers_those_within_it() -> None:
    found = labels(make_correction([("deselect", "related"), ("select", "story")]))
    assert found["story"] == found["related"] == found["ad"] == POSITIVE


def test_what_the_method_kept_and_nobody_touched_is_wanted() -> None:
    """One who only drops the advertisement agrees with the rest."""
    found = labels(make_correction([("deselect", "related")]))
    assert found["one"] == found["two"] == POSITIVE
    assert found["related"] == NEGATIVE


def test_segments_carry_what_was_kept_in_the_end() -> None:
    correction = make_correction([("select", "story"), ("deselect", "related")])
    [example] = clips.read([correction], hidden=True).examples
    kept = [text for text, share in zip(example.segments.text, example.share) if share]
    assert kept == [LINE.format("bench", 1), LINE.format("lamp", 2)]
    assert example.domain == "a.example"


def test_clips_that_cannot_be_learnt_from_are_counted() -> None:
    good = make_correction([("select", "story"), ("deselect", "related")])
    log = [
        good,
        good._replace(paths='[["select", "/html[1]/body[1]/main[1]"]]'),
        good._replace(article=b"not packed by us"),
        make_correction([("deselect", "story"), ("deselect", "menu"), ("deselect", "foot")]),
    ]
    found = clips.read(log)
    assert len(found.examples) == 1
    assert found.left_out == {clips.CHANGED: 1, clips.UNREADABLE: 1, clips.EMPTY: 1}
    assert clips.read(log[:1], drawn=True).left_out == {clips.PARSED: 1}


@pytest.mark.parametrize("paths", ["5", "[5]", "[[]]", '[["select", 5]]', '["', "[" * 100_000])
def test_corrections_that_are_none_are_left_out(paths: str) -> None:
    """The log may be somebody else's, who wrote anything there."""
    good = make_correction([("select", "story")])
    found = clips.read([good._replace(paths=paths), good])
    assert len(found.examples) == 1
    assert found.left_out == {clips.UNREADABLE: 1}


def test_corrections_of_very_many_nodes_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    good = make_correction([("select", "story")])
    many = good._replace(paths=marks_to_json([Mark("select", "//p")] * 50))
    assert not clips.read([many]).left_out
    monkeypatch.setattr("tearsheet.learn.clips._MOST_NODES", 100)
    assert clips.read([many]).left_out == {clips.COSTLY: 1}
    huge = good._replace(paths=marks_to_json([Mark("select", "//p")] * 20_000))
    assert clips.read([huge]).left_out == {clips.UNREADABLE: 1}


def test_a_page_got_again_must_still_have_every_path() -> None:
    """As in the paper (§7.1); where it has, the words say what was kept."""
    good = make_correction([("select", "story"), ("deselect", "related")])
    same = clips.read([good], drawn=True, again=lambda url: parse(PAGE))
    assert [round(float(e.share.sum())) for e in same.examples] == [2]
    gone = PAGE.replace("aside", "section")
    assert clips.read([good], drawn=True, again=lambda url: parse(gone)).left_out == {
        clips.CHANGED: 1
    }

    def away(url: str) -> Page:
        raise FetchFailed("no such host")

    assert clips.read([good], drawn=True, again=away).left_out == {clips.AWAY: 1}


def log_of(folder: Path, count: int, sites: int = 8) -> str:
    """A store with clips of several sites, made as the service makes them."""
    store = connect(str(folder / "store.db"))
    for i in range(count):
        html = PAGE.replace("</p>", f"</p><p>{LINE.format('crane', i)}</p>", 2)
        one = make_correction([("select", "story"), ("deselect", "related")], html)
        store.correct(
            f"http://s{i % sites}.example/{i}", f"s{i % sites}.example", one.marks, one.article
        )
    store.close()
    return str(folder / "store.db")


def test_the_command_trains_with_the_clips_of_a_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no other data, alone; the record says how many clips there were."""
    monkeypatch.setenv("TEARSHEET_DATA", str(tmp_path / "none"))
    log, out = log_of(tmp_path, 24), tmp_path / "out"
    command = ["train", "boilerpipe_tree", "--clips", log, "--out", str(out), "--force"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "word F1, cross-validated by domain" in said
    assert "clips" in said
    assert parameters.record("boilerpipe_tree", out)["clips"] == 24
    main(command)
    assert "too favourable" in capsys.readouterr().out


def test_a_method_that_needs_layout_learns_from_parsed_clips_by_drawing_them_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service parses by default; without drawing, such a method would skip all its clips."""
    asked: list[str] = []

    def draw(url: str) -> Page:
        asked.append(url)
        raise FetchFailed("away", code="status")

    monkeypatch.setattr(clips, "draw_again", draw)
    log = log_of(tmp_path, 3)
    with pytest.raises(FetchFailed, match="3 that could not be fetched again"):
        retrain("clg", log, folder=tmp_path)
    assert len(asked) == 3
    with pytest.raises(FetchFailed, match="3 only parsed"):
        retrain("clg", log, folder=tmp_path, fetch=False)
    assert len(asked) == 3


def test_a_model_that_is_not_better_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEARSHEET_DATA", str(tmp_path / "none"))
    monkeypatch.setattr(learn.load_trainer("boilerpipe_tree"), "fit", _keeps_nothing)
    log, out = log_of(tmp_path, 24), tmp_path / "out"
    command = ["train", "boilerpipe_tree", "--clips", log, "--out", str(out)]
    assert main(command) == 1
    assert "--force replaces it" in capsys.readouterr().out
    assert not list(out.iterdir())
    assert main([*command, "--force"]) == 0
    assert (out / "boilerpipe_tree.npz").is_file()


def _keeps_nothing(examples: object) -> parameters.Arrays:
    shipped = dict(parameters.load("boilerpipe_tree"))
    return shipped | {"value": np.zeros_like(shipped["value"])}


def test_usual_data_and_clips_are_trained_on_together(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for i in range(12):
        lines = [LINE.format("bell", 100 * i + j) for j in range(6)]
        body = "".join(f"<p>{line}</p>" for line in lines)
        (data / f"{i}.html").write_text(f"<ul><li><a href=/>Home</a></ul><div>{body}</div>")
        (data / f"{i}.txt").write_text("\n".join(lines))
    log = log_of(tmp_path, 10)
    change = retrain("mss", log, data, folder=tmp_path, force=True)
    assert {name: len(pages) for name, pages in change.after.items()} == {
        "usual data": 12,
        "clips": 10,
    }
    record = parameters.record("mss", tmp_path)
    assert record["clips"] == 10
    assert [entry["pages"] for entry in record["data"]] == [12]


@pytest.mark.parametrize(
    ("clips_after", "usual_after", "better"),
    [(0.6, 0.5, True), (0.5, 0.5, True), (0.4, 0.9, False), (0.6, 0.3, False)],
)
def test_better_means_no_loss_on_either(
    clips_after: float, usual_after: float, better: bool
) -> None:
    same = np.full(9, 0.5)
    before = {"usual data": same, "clips": same}
    after = {"usual data": np.full(9, usual_after), "clips": np.full(9, clips_after)}
    assert Change("word F1", before, after, {}, False).is_better is better


def test_too_little_to_learn_from_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed, match="no store"):
        retrain("mss", str(tmp_path / "none.db"), folder=tmp_path)
    connect(str(tmp_path / "empty.db")).close()
    with pytest.raises(FetchFailed, match="no clip"):
        retrain("mss", str(tmp_path / "empty.db"), folder=tmp_path)
    store = connect(str(tmp_path / "old.db"))
    store.correct("http://a.example/", "a.example", [Mark("select", "//p")], b"older bytes")
    store.close()
    with pytest.raises(FetchFailed, match="1 that this version cannot read"):
        retrain("mss", str(tmp_path / "old.db"), folder=tmp_path)
    with pytest.raises(FetchFailed, match="too few"):
        retrain("mss", log_of(tmp_path, 3), folder=tmp_path)
    (tmp_path / "one").mkdir()
    with pytest.raises(FetchFailed, match="one site"):
        retrain("mss", log_of(tmp_path / "one", 24, sites=1), folder=tmp_path)


def test_simulated_corrections_are_read_back_as_they_were_meant(
    tmp_path: Path, browser: Browser
) -> None:
    """Pages are drawn, clipped by CLG, corrected, kept, and read: what was wanted is the truth."""
    pages = list(learning.draw(learning.sites(4, 1)[0]))
    learning.simulate(pages, str(tmp_path / "store.db"))
    store = connect(str(tmp_path / "store.db"))
    found = clips.read(store.log(), drawn=True)
    store.close()
    assert not found.left_out
    assert sorted(e.name for e in found.examples) == sorted(page.name for page in pages)
    wanted = {page.name: true_boxes(page) for page in pages}
    for example in found.examples:
        assert true_boxes(example) == wanted[example.name]
        assert 0 <= f1("clg", example) <= 1
