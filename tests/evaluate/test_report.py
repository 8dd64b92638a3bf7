"""The report shows every entrant, and draws what each kept."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tearsheet.datasets import Example
from tearsheet.errors import UnknownName
from tearsheet.evaluate import plots
from tearsheet.evaluate.entrants import Entrant, parse_sweep
from tearsheet.evaluate.picture import LEFT_OUT, MISSED, RIGHT, WRONG, picture
from tearsheet.evaluate.report import most_disputed, report
from tearsheet.evaluate.run import Result


def result(method: str, page: str, value: float, kind: str = "article") -> Result:
    scores = {"words": (value, value), "lcsequence": (value, value)}
    return Result(method, page, kind, f"{page}.example", 1000, 0.01, scores=scores)


RESULTS = [
    result(method, page, value, kind)
    for method, values in {"density": (0.5, 0.9, 0.2), "readability": (0.9, 0.9, 0.8)}.items()
    for (page, kind), value in zip((("a", "article"), ("b", "article"), ("c", "forum")), values)
]


def test_a_report_is_one_file_that_asks_for_nothing() -> None:
    text = report(RESULTS, "tearsheet evaluate a", "set", ["words"], {"a": "<svg></svg>"})
    assert "density" in text
    assert "<h2>What each kept</h2>" in text
    assert "tearsheet evaluate a" in text
    addresses: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            addresses.extend(value or "" for name, value in attrs if name in ("src", "href"))

    Links().feed(text)
    assert addresses == []


def test_a_sweep_becomes_a_curve() -> None:
    swept_results = [result(f"clg THRESHOLD={v}", "a", v) for v in (0.2, 0.4, 0.6)]
    text = report(swept_results, "", "set", ["words"], {})
    assert "clg: effect of THRESHOLD on words" in text


def test_the_telling_pages_are_those_on_which_entrants_differ() -> None:
    assert most_disputed(RESULTS, "words") == ["c", "a"]


def test_plots_are_well_formed_and_hold_every_value() -> None:
    svg = plots.bars({"a<b": {"precision": 0.25, "recall": 1.0}, "c": {"recall": 0.5}}, 1.0)
    drawn = ElementTree.fromstring(svg)
    texts = {node.text for node in drawn.iter() if node.text}
    assert {"a<b", ".25", "1.00", ".50"} <= texts
    ElementTree.fromstring(plots.lines({"x": [(0.0, 0.1), (1.0, 0.9)]}, "threshold"))


def test_a_sweep_names_its_constant_and_its_values() -> None:
    assert [entrant.constants for entrant in parse_sweep("density.C2=2:4:1")] == [
        (("C2", 2.0),), (("C2", 3.0),), (("C2", 4.0),),
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="C1"):
        parse_sweep("density.C9=0:1:0.5")


def test_a_picture_colours_what_is_right_wrong_missed_and_left_out(tmp_path: Path) -> None:
    pytest.importorskip("rapidfuzz", reason="labels need rapidfuzz (it is in the train extra)")
    path = tmp_path / "a.html"
    story = "The ferry sailed at noon with nine people and a goat on board, and came back. " * 4
    path.write_text(
        f"<p>Short true line here.</p><nav>Home page</nav><p>{story}</p><p>{story[::-1]}"
    )
    example = Example("a", path, text=f"Short true line here.\n{story}")
    svg = picture(example, [Entrant("density")], drawn=False)
    ElementTree.fromstring(svg)
    assert all(color in svg for color in (RIGHT, WRONG, MISSED, LEFT_OUT))
    assert "density" in svg
