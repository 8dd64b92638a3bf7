"""The worst pages come with the lines that were missed and those that were too much."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from tearsheet.datasets import Example
from tearsheet.evaluate import command
from tearsheet.evaluate.worst import failure_kind, missing_lines

STORY = "The lighthouse keeper counted the ships that passed before dawn, as on every day. "
ASIDE = "Our newsletter brings the weather of all harbours to your letterbox every morning, free. "


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A page that density gets right, and one where the longest text is not the story."""
    folder = tmp_path / "set"
    folder.mkdir()
    for name, other in (("good", "Imprint"), ("bad", ASIDE * 9)):
        gap = "<hr>" * 100
        (folder / f"{name}.html").write_text(f"<p>{STORY * 5}</p>{gap}<p>{other}</p>")
        (folder / f"{name}.txt").write_text(STORY * 5)
    return folder


def test_the_worst_page_is_listed_with_its_lines(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    out = tmp_path / "out"
    argv = [str(pages), "--methods", "density", "--worst", "1", "--jobs", "1", "--out", str(out)]
    assert command.run(parser.parse_args(argv)) == 0
    printed = capsys.readouterr().out
    assert "density: bad, article: F1 0." in printed
    assert "  - The lighthouse keeper" in printed
    assert "  + Our newsletter" in printed
    assert "density: good" not in printed
    [page] = json.loads((out / "set" / "worst.json").read_text())
    assert page["missed"] == [(STORY * 5).strip()]
    assert page["heap"] == "too much"
    assert "<h2>The worst pages</h2>" in (out / "set" / "report.html").read_text()


def example(folder: Path, html: str, truth: str) -> Example:
    (folder / "a.html").write_text(html)
    return Example("a", folder / "a.html", text=truth)


def test_each_heap_has_its_rule(tmp_path: Path) -> None:
    page = f"<p>{STORY}</p>" + f"<p>{ASIDE}</p>" * 30
    known = example(tmp_path, page, STORY)
    assert failure_kind(known, "") == "nothing found"
    assert failure_kind(known, STORY + ASIDE) == "few lines of many"
    assert failure_kind(known, STORY[:40]) == "too little"
    short = example(tmp_path, f"<p>{STORY}</p><p>{ASIDE}</p>", STORY)
    assert failure_kind(short, STORY + ASIDE) == "too much"
    assert (
        failure_kind(example(tmp_path, "<p>Loading…</p>", STORY), "Loading…") == "not in the page"
    )


def test_a_line_is_there_however_it_is_broken() -> None:
    """The same words in other lines are neither missed nor too much."""
    assert list(missing_lines("One two three four five\nsix seven eight", STORY)) == [
        "One two three four five", "six seven eight",
    ]  # fmt: skip
    assert list(missing_lines(STORY[:44] + "\n" + STORY[44:], STORY)) == []
