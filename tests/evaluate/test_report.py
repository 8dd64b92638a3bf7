"""The report shows every entrant, and draws what each kept."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.datasets import Example
from tearsheet.errors import UnknownName
from tearsheet.evaluate import plots
from tearsheet.evaluate.entrants import Entrant, parse_sweep
from tearsheet.evaluate.page_views import PICTURE_WIDTH, ComparedPage, view_pages
from tearsheet.evaluate.report import compare_with_best, most_disputed, report
from tearsheet.evaluate.run import Plan, Result
from tearsheet.page import rendered


def result(method: str, page: str, value: float, kind: str = "article") -> Result:
    scores = {"words": (value, value), "lcsequence": (value, value)}
    return Result(method, page, kind, f"{page}.example", 1000, 0.01, scores=scores)


RESULTS = [
    result(method, page, value, kind)
    for method, values in {"density": (0.5, 0.9, 0.2), "readability": (0.9, 0.9, 0.8)}.items()
    for (page, kind), value in zip((("a", "article"), ("b", "article"), ("c", "forum")), values)
]


def test_a_report_is_one_file_that_asks_for_nothing() -> None:
    text = report(RESULTS, "tearsheet evaluate a", "set", ["words"], {})
    assert "density" in text
    assert "Page by page" in text
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
    """One of each page type comes first."""
    assert most_disputed(RESULTS, "words") == ["c", "a", "b"]
    assert most_disputed(RESULTS, "words", 2) == ["c", "a"]


def test_plots_are_well_formed_and_hold_every_value() -> None:
    svg = plots.bars({"a<b": {"precision": 0.25, "recall": 1.0}, "c": {"recall": 0.5}}, 1.0)
    drawn = ElementTree.fromstring(svg)
    texts = {node.text for node in drawn.iter() if node.text}
    assert {"a<b", ".25", "1.00", ".50"} <= texts
    ElementTree.fromstring(plots.lines({"x": [(0.0, 0.1), (1.0, 0.9)]}, "threshold"))


def test_counts_are_whole_and_long_labels_do_not_reach_into_the_legend() -> None:
    svg = plots.bars({"a reason that takes many words to tell": {"pages": 4.0}, "b": {"pages": 0}})
    assert ">4<" in svg
    assert ">0<" in svg
    assert "a reason that takes man…" in svg


def test_a_sweep_names_its_constant_and_its_values() -> None:
    assert [entrant.constants for entrant in parse_sweep("density.C2=2:4:1")] == [
        (("C2", 2.0),), (("C2", 3.0),), (("C2", 4.0),),
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="C1"):
        parse_sweep("density.C9=0:1:0.5")


@pytest.fixture
def story(tmp_path: Path) -> Example:
    path = tmp_path / "a.html"
    story = "The ferry sailed at noon with nine people and a goat on board, and came back. " * 4
    path.write_text(
        f"<p>Short true line here.</p><nav>Home page</nav><p>{story}</p><p>{story[::-1]}"
    )
    return Example("a", path, "https://a.example/", text=f"Short true line here.\n{story}")


def test_a_view_says_of_each_line_whether_it_is_true_and_who_kept_it(
    story: Example, tmp_path: Path
) -> None:
    pytest.importorskip("rapidfuzz", reason="labels need rapidfuzz (it is in the train extra)")
    plan = Plan(("words",), tmp_path)
    views = view_pages([story], [Entrant("density"), Entrant("all_text")], plan)
    view = views["a"]
    assert [line[0][:5] for line in view.lines] == ["Short", "Home ", "The f", ".kcab"]
    assert view.truth == "1010"
    assert view.kept == {"density": "0011", "all_text": "1111"}


def test_a_drawn_page_is_shown_as_its_picture_with_the_lines_upon_it(
    story: Example, tmp_path: Path, browser: Browser
) -> None:
    pytest.importorskip("rapidfuzz", reason="labels need rapidfuzz (it is in the train extra)")
    plan = Plan(("words",), tmp_path, drawn=True)
    view = view_pages([story], [Entrant("all_text")], plan)["a"]
    kind, _, data = view.picture.partition(",")
    assert kind == "data:image/jpeg;base64"
    with Image.open(BytesIO(b64decode(data))) as picture:
        assert picture.width == PICTURE_WIDTH
        assert picture.height == pytest.approx(view.height * PICTURE_WIDTH / view.width, abs=1)
    html = report([result("all_text", "a", 0.5)], "", "set", ["words"], {"a": view})
    page = rendered.page(render_html(html, browser=browser))
    sheets = [
        row for row in range(len(page)) if page.attribute(row, "class") == "sheet drawn photo"
    ]
    assert len(sheets) == 3  # original, truth, all_text


def test_lines_that_count_neither_way_are_no_difference(tmp_path: Path, browser: Browser) -> None:
    lines: list[tuple[str, list[int] | None, float]] = [("Title", None, 0.0), ("Text", None, 0.0)]
    view = ComparedPage("", 0, 0, lines, "-1", {"one": "01", "two": "11"}, {})
    html = report([result("one", "a", 1.0)], "", "set", ["words"], {"a": view})
    page = rendered.page(render_html(html, browser=browser))
    shown = [
        page.attribute(row, "class") for row in range(len(page)) if page.attribute(row, "title")
    ]
    assert shown == ["plain", "plain", "either", "right", "left", "right", "either", "right"]


def test_every_comparison_has_its_significance() -> None:
    """By measure, by page type, and each entrant against each other."""
    third = [
        result("all_text", page, 0.1, kind) for page, kind in (("a", "article"), ("c", "forum"))
    ]
    text = report([*RESULTS, *third], "", "set", ["words", "lcsequence"], {})
    for title in ("by measure", "by type", "each against each"):
        inside = text.partition(f'title="{title}"')[2].partition("</table>")[0]
        assert inside.count(" to ") >= 4, title


def test_the_report_opens_pages_and_sorts_without_a_server(
    story: Example, tmp_path: Path, browser: Browser
) -> None:
    """Loaded as a file by a real browser: a click on a head sorts, one on a page opens it."""
    pytest.importorskip("rapidfuzz", reason="labels need rapidfuzz (it is in the train extra)")
    entrants = [Entrant("density"), Entrant("all_text")]
    views = view_pages([story], entrants, Plan(("words",), tmp_path))
    results = [result("density", "a", 0.5), result("all_text", "a", 0.25)]
    results += [result("density", "b", 0.9), result("all_text", "b", 0.125)]
    html = report(results, "tearsheet evaluate </script>", "set", ["words"], views)
    sort = "document.querySelectorAll('.list th')[3].click();"
    click = f"<script>{sort}document.querySelector('tr.open').click()</script>"
    html = html.replace("</body>", f"{click}</body>")
    page = rendered.page(render_html(html, browser=browser))
    text = page.inner_text(0)
    assert text.index("b.example") < text.index("a.example")  # sorted by density, the best first
    classes = [page.attribute(row, "class") for row in range(len(page))]
    assert {"right", "wrong", "missed", "left", "plain"} <= set(classes)


def test_each_entrant_is_compared_with_the_best_by_a_bootstrap() -> None:
    [(best, other, gap)] = compare_with_best(RESULTS, "words")
    assert (best, other) == ("readability", "density")
    assert gap.mean == pytest.approx(-(0.4 + 0.0 + 0.6) / 3)
    assert gap.low <= gap.mean <= gap.high
    assert not gap.is_significant  # one page of three is equal, and may be drawn alone
