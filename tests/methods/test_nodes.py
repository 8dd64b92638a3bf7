"""Equation (1) and the formulas of §4 of the CLG paper, on pages small enough to check by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rows import row_of

from tearsheet.features import nodes, subtrees
from tearsheet.features.nodes import NAMES, adjusted_values, counts, measures
from tearsheet.methods import _nodes
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES
from tearsheet.types import Options

from .drawn import draw_page

PERFECT = {
    "best": np.array([0.2, 0.8, 0.1, 0.5, 0.5, 0.3, 0.24]),
    "tag": np.array(["div", "p"]),
    "tag_score": np.array([0.5, 0.75]),
}


def test_the_union_of_colours_is_by_key() -> None:
    """{red: 4, green: 2} ∪ {red: 3, blue: 1} = {red: 7, green: 2, blue: 1}."""
    page = draw_page(
        '<div id="both"><p id="one" color="ff0000">rrrr<b color="00ff00">gg</b></p>'
        '<p id="two" color="ff0000">rrr<b color="0000ff">b</b></p></div>'
    )
    assert page.layout is not None
    color, red, green, blue = page.layout.color, 0xFF0000, 0x00FF00, 0x0000FF
    assert counts(page, row_of(page, "one"), color) == {red: 4, green: 2}
    assert counts(page, row_of(page, "two"), color) == {red: 3, blue: 1}
    assert counts(page, row_of(page, "both"), color) == {red: 7, green: 2, blue: 1}


def test_font_colour_popularity_is_the_sum_of_products() -> None:
    """Node: red 4/6, green 2/6. Page: red 7/10, green 2/10, blue 1/10."""
    page = draw_page(
        '<p id="one" color="ff0000">rrrr<b color="00ff00">gg</b></p>'
        '<p color="ff0000">rrr<b color="0000ff">b</b></p>'
    )
    found = measures(page).color_popularity[row_of(page, "one")]
    assert found == pytest.approx(4 / 6 * 7 / 10 + 2 / 6 * 2 / 10)


def test_font_size_lies_between_the_smallest_and_the_largest() -> None:
    """Of four characters one is 30 px and three are 10 px; the page has 10 to 30."""
    page = draw_page('<p id="one" size="10">aaa<b size="30">b</b></p>')
    found = measures(page)
    row = row_of(page, "one")
    assert found.font_size[row] == pytest.approx(1 / 4)
    assert found.size_popularity[row] == pytest.approx((3 / 4) ** 2 + (1 / 4) ** 2)


def test_positions_are_the_outermost_and_areas_are_united() -> None:
    """A child sticks out of its parent: 100·100 + 50·100, of which 50·50 are shared."""
    page = draw_page('<div id="out" box="0 0 100 100">a<p box="50 50 100 150">b</p></div>')
    found, row = measures(page), row_of(page, "out")
    assert found.box[row].tolist() == [0, 0, 100, 150]
    assert found.area[row] == 100 * 100 + 50 * 100 - 50 * 50


def test_the_adjusted_values_by_their_formulas() -> None:
    page = draw_page(
        '<div id="one" box="300 100 900 500">four <a href="/">link</a>'
        '<img box="300 400 400 500"></div><p box="0 600 100 700">eight by</p>'
    )
    found, row = measures(page), row_of(page, "one")
    value = dict(zip(NAMES, adjusted_values(page, found, PERFECT)[row].tolist(), strict=True))
    assert value["POS_LEFT"] == pytest.approx(1 - abs(0.2 - 0.3))
    assert value["POS_RIGHT"] == pytest.approx(1 - abs(0.8 - 0.9))
    assert value["POS_CENTERX"] == pytest.approx(1 - abs(0.5 - 0.6))
    assert value["POS_CENTERY"] == pytest.approx(1 - 0)
    assert value["POS_DIST"] == pytest.approx(1 - 0.1)
    assert value["AREA_SIZE"] == pytest.approx(0.24)
    assert value["AREA_DIST"] == pytest.approx(0)
    assert value["VISIBLE_CHAR"] == pytest.approx(8 / 15)
    text, image = found.text_area[row], 100 * 100
    assert value["TEXT_RATIO"] == pytest.approx(text / (text + image + 1))
    assert value["TAG_SCORE"] == 0.5
    assert value["TAG_DENSITY"] == pytest.approx(3 / (8 + 1))
    assert value["LINK_DENSITY"] == pytest.approx(1 / (3 + 1))
    assert len(NAMES) == 17


def test_least_and_greatest_of_subtrees_equal_those_by_hand() -> None:
    page = parse("<div><p>a<b>b</b></p><ul><li>c<li>d</ul></div>" * 3)
    values = np.random.default_rng(1).normal(size=len(page))
    low = subtrees.extremes(page, values, np.minimum)
    high = subtrees.extremes(page, values, np.maximum)
    for row in range(len(page)):
        inside = values[row : page.end[row]]
        assert (low[row], high[row]) == (inside.min(), inside.max())


def test_the_common_ancestor_is_the_lowest() -> None:
    page = parse('<div id="a"><p id="b"><i id="c">x</i><i id="d">y</i></p><p id="e">z</p></div>')
    a, b, c, d, e = (row_of(page, name) for name in "abcde")
    assert subtrees.common_ancestor(page, [c, d]) == b
    assert subtrees.common_ancestor(page, [c, e]) == a
    assert subtrees.common_ancestor(page, [b, c]) == b


def test_compaction_of_figure_5() -> None:
    """v3, v5, v6, v7, v8 are candidates; v6 and v7 are below v3."""
    page = parse(
        '<div id="v1"><div id="v2"><p id="v5">.</p></div>'
        '<div id="v3"><p id="v6">.</p><p id="v7">.</p></div>'
        '<div id="v4"><p id="v8">.</p></div></div>'
    )
    chosen = np.zeros(len(page), dtype=np.bool_)
    chosen[[row_of(page, name) for name in ("v3", "v5", "v6", "v7", "v8")]] = True
    left = subtrees.topmost_rows(page, chosen).tolist()
    assert left == [row_of(page, name) for name in ("v5", "v3", "v8")]


def test_by_the_letter_nothing_is_chosen_where_no_node_passes() -> None:
    page = parse("<p>a</p><p>b</p>")
    scores = np.zeros(len(page))
    scores[page.rows(CODES["p"])[1]] = 0.5
    best = _nodes.keep_topmost(page, scores, 0.55, Options())
    assert best.tolist() == [page.rows(CODES["p"])[1]]
    assert not len(_nodes.keep_topmost(page, scores, 0.55, Options(faithful=True)))


def test_a_page_without_text_has_measures() -> None:
    found = nodes.measures(draw_page('<div box="0 0 10 10"></div>'))
    assert np.isfinite(found.font_size).all()


def test_a_word_chosen_within_a_line_keeps_that_line() -> None:
    """No segment begins in it; where one begins in another chosen node, that one alone is kept."""
    page = draw_page("<p>Nobody saw the <em>Constance</em> leave.</p><p>It rained.</p>")
    parts, found = segments(page), measures(page)
    word, other = (int(page.rows(CODES["em"])[0]), int(page.rows(CODES["p"])[1]))
    scores = np.zeros(len(page))
    alone = _nodes.verdict("lr_a", page, parts, found, scores, [word])
    assert alone.keep.tolist() == [True, False]
    both = _nodes.verdict("lr_a", page, parts, found, scores, [word, other])
    assert both.keep.tolist() == [False, True]


def test_hidden_tags_and_links_do_not_count() -> None:
    page = draw_page(
        '<div id="all"><p>seen <a href="/a">link</a></p>'
        '<ul id="menu" box="0 0 0 0"><li>hidden <a href="/b">link</a></ul></div>'
    )
    assert page.layout is not None
    low, high = row_of(page, "menu"), int(page.end[row_of(page, "menu")])
    page.layout.visible[low:high] = False
    found, row = measures(page), row_of(page, "all")
    assert (found.tags[row], found.links[row]) == (3, 1)  # div, p and a
