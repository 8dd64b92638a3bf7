"""A whole evaluation of a small folder, from the pages to the table."""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import pytest

from tearsheet.datasets import Example
from tearsheet.errors import UnknownName
from tearsheet.evaluate import command, entrants
from tearsheet.evaluate.entrants import Entrant
from tearsheet.evaluate.run import PageTask, _mark_page, measure
from tearsheet.workers import JobFailed, WorkerDied

STORY = "The lighthouse keeper counted the ships that passed before dawn, as on every day. "


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    for name in ("one", "two", "three"):
        text = f"{STORY * 5}{name}."
        (folder / f"{name}.html").write_text(f"<nav>Home</nav><p>{text}</p><footer>Imprint")
        (folder / f"{name}.txt").write_text(text)
    return folder


def evaluate(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(argv))


def test_an_evaluation_prints_a_table_and_writes_its_results(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert evaluate(str(pages), "--methods", "density", "--out", str(out), "--jobs", "1") == 0
    [head, row] = capsys.readouterr().out.splitlines()
    assert "density" in (out / "set" / "report.html").read_text()
    assert head.split()[:3] == ["words", "prec", "rec"]
    assert row.split()[:4] == ["density", "1.000", "1.000", "1.000"]
    summary = json.loads((out / "set" / "summary.json").read_text())
    assert summary["methods"]["density"]["measures"]["lcsequence"]["f1"] == 1
    lines = list(csv.DictReader((out / "set" / "pages.csv").read_text().splitlines()))
    assert [line["page"] for line in lines] == ["one", "three", "two"]


def test_a_run_goes_on_where_it_stopped(pages: Path, tmp_path: Path) -> None:
    """The first page is done, the second was cut off while it was written."""
    run = (str(pages), "--methods", "density", "--out", str(tmp_path / "out"), "--jobs", "1")
    evaluate(*run)
    [store] = (tmp_path / "out" / "set" / "pages").iterdir()
    first = store.read_text().splitlines()[1]
    marked = first.replace('"seconds": ', '"seconds": 99')
    store.write_text(f'{marked}\n{{"page": "thr')
    evaluate(*run)
    seconds = [float(json.loads(line)["seconds"]) for line in store.read_text().splitlines()[-2:]]
    lines = list(csv.DictReader((tmp_path / "out/set/pages.csv").read_text().splitlines()))
    assert float(lines[0]["seconds"]) >= 99
    assert max(seconds) < 99
    assert len(lines) == 3


def test_processes_give_what_one_process_gives(pages: Path, tmp_path: Path) -> None:
    """Only the times may differ."""
    written = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        evaluate(str(pages), "--methods", "density", "--out", str(out), "--jobs", jobs)
        rows = list(csv.DictReader((out / "set" / "pages.csv").read_text().splitlines()))
        written.append([{**row, "seconds": ""} for row in rows])
    assert written[0] == written[1]


def test_an_entrant_that_fails_has_an_error_and_no_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(entrant: Entrant, html: str, url: str | None) -> None:
        raise ValueError("out of luck")

    monkeypatch.setattr("tearsheet.evaluate.run.find", fail)
    (tmp_path / "a.html").write_text("<p>a")
    [result] = measure(
        PageTask(Entrant("density"), (Example("a", tmp_path / "a.html", text="a"),), ("words",))
    )
    assert result.error == "ValueError: out of luck"
    assert result.scores["words"] == (0, 0)


def test_a_page_that_ends_the_process_is_an_error_of_that_page(tmp_path: Path) -> None:
    examples = tuple(Example(name, tmp_path / f"{name}.html", text=STORY) for name in "abc")
    for example in examples:
        example.path.write_text(f"<p>{STORY}")
    task = PageTask(Entrant("density"), examples, ("words",))
    steps: list[int] = []
    found = measure(_mark_page(task, 1, WorkerDied("ended with SIGSEGV")), steps.append)
    assert steps == [0, 2]
    assert [result.error for result in found] == ["", "ended with SIGSEGV", ""]
    assert [result.scores["words"] for result in found] == [(1, 1), (0, 0), (1, 1)]
    with pytest.raises(JobFailed):  # that is an error of ours
        _mark_page(task, 1, JobFailed("a measure failed", "internal"))


def test_a_page_without_text_counts_as_nothing_found() -> None:
    assert entrants.find(Entrant("density"), "<title>Empty</title>", None).text == ""


def test_names_are_checked_before_anything_runs(pages: Path) -> None:
    with pytest.raises(UnknownName, match="density"):
        evaluate(str(pages), "--methods", "densty")
    with pytest.raises(UnknownName, match="shingles"):
        evaluate(str(pages), "--measures", "shingle")


def test_links_and_pictures_are_scored_where_the_truth_knows_them(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Nothing here but a sentence.")
    example = Example("a", tmp_path / "a.html", next_urls=("https://a.example/2",), images=())
    [result] = measure(PageTask(Entrant("density"), (example,), ("words",)))
    assert result.scores["next"] == (0, 0)
    assert result.scores["images"] == (1, 1)
    assert "words" not in result.scores


def test_more_measures_than_are_asked_for_serve_as_well(pages: Path, tmp_path: Path) -> None:
    run = (str(pages), "--methods", "density", "--out", str(tmp_path / "out"), "--jobs", "1")
    evaluate(*run, "--measures", "words,shingles,bag")
    [store] = (tmp_path / "out" / "set" / "pages").iterdir()
    before = store.read_text()
    evaluate(*run, "--measures", "shingles,words")
    assert store.read_text() == before
    head = (tmp_path / "out/set/pages.csv").read_text().splitlines()[0]
    assert "shingles f1" in head
    assert "bag" not in head
    evaluate(*run, "--measures", "rouge")
    assert len(store.read_text()) > len(before)
