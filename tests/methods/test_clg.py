"""Labels, groups, refinement and title of the CLG paper."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rows import row_of

from tearsheet.features.nodes import measures
from tearsheet.learn.nodes import NEGATIVE, NEUTRAL, POSITIVE, _smooth, label_nodes, top_nodes
from tearsheet.methods import _nodes, clg
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Page

from .drawn import draw_page


def test_labels_of_figure_4() -> None:
    """v2 is selected, v4 below it deselected: v5 and v6 are positive, v3 is torn."""
    page = parse(
        '<div id="v1"><div id="v2"><div id="v3"><p id="v4"><i id="v9">.</i></p><p id="v5">.</p>'
        '</div><p id="v6"><i id="v10">.</i></p></div><p id="v7">.</p></div>'
    )
    label = label_nodes(page, [row_of(page, "v2")], [row_of(page, "v4")])
    expected = {
        "v1": NEUTRAL, "v2": NEUTRAL, "v3": NEUTRAL,  # rule d: torn, or above the selected
        "v4": NEGATIVE, "v9": NEGATIVE,  # rules a and b
        "v5": POSITIVE, "v6": POSITIVE, "v10": POSITIVE,  # rule c
        "v7": NEGATIVE,  # rule e
    }  # fmt: skip
    assert {name: int(label[row_of(page, name)]) for name in expected} == expected
    assert top_nodes(page, label).tolist() == [row_of(page, "v5"), row_of(page, "v6")]


def test_the_score_of_a_rare_tag_is_that_of_all_tags() -> None:
    """A `tspan` or two in the truth must not beat every paragraph."""
    rare, frequent, usual = _smooth(np.array([2.0, 9_000.0, 0.0]), np.array([2.0, 10_000, 10_000]))
    assert rare == pytest.approx(9_000 / 20_000, abs=0.01)
    assert frequent == pytest.approx(0.9, abs=0.01)
    assert usual == pytest.approx(0.0, abs=0.01)


def group_sizes(boxes: list[str], parents: str) -> list[int]:
    """Sizes of the groups of nodes with these boxes; `parents` names the parent of each."""
    cells = "".join(
        f'<div class="{parent}"><p box="{box}">.</p></div>'
        if parent == "-"
        else f'<p box="{box}">.</p>'
        for box, parent in zip(boxes, parents, strict=True)
    )
    page = draw_page(f"<div>{cells}</div>")
    rows = np.array(page.rows(parse("<p>").tag[3]))
    return [len(group) for group in clg.link_groups(page, measures(page).box, rows)]


LEFT = ("0 0 100 50", "0 60 100 110", "0 120 100 170")
FAR = "500 500 900 900"


def test_condition_1_aligned_nodes_stay_together() -> None:
    assert group_sizes([LEFT[0], LEFT[1]], "--") == [2]
    assert group_sizes([LEFT[0], FAR], "--") == [1, 1]


def test_condition_1_nodes_that_share_area_stay_together() -> None:
    assert group_sizes(["0 0 100 50", "90 40 900 800"], "--") == [2]


def test_condition_2_nodes_of_one_parent_stay_together() -> None:
    assert group_sizes([LEFT[0], FAR], "..") == [2]


def test_conditions_3_and_4_a_misaligned_node_between_aligned_ones_stays() -> None:
    """v_i and v_i+2 are aligned (3), and then v_i-1 and v_i+1 (4): figure 8 d."""
    assert group_sizes([LEFT[0], FAR, LEFT[1]], "---") == [3]


def test_figure_8_c_breaks_in_the_middle() -> None:
    assert group_sizes([LEFT[0], LEFT[1], "500 500 900 700", "500 720 900 900"], "----") == [2, 2]


def test_the_best_group_has_the_largest_mean_score_times_area() -> None:
    """0.6 · 100 against 0.9 · 50, whose two boxes cover each other by half."""
    box = np.array([(0, 0, 10, 10), (20, 0, 25, 10), (20, 0, 25, 10)], dtype=np.float64)
    chance = np.array([0.6, 0.9, 0.9])
    assert clg.best_group([[0], [1, 2]], chance, box) == [0]
    assert clg.best_group([[0], [1, 2]], np.array([0.4, 0.9, 0.9]), box) == [1, 2]


def refine(page: Page, names: list[str], chance: dict[str, float] | None = None) -> list[int]:
    scores = np.full(len(page), 0.1)
    for name, value in (chance or {}).items():
        scores[row_of(page, name)] = value
    return clg.refine_group(page, measures(page), scores, [row_of(page, name) for name in names])


def test_a_small_group_grows_to_an_ancestor_of_a_fifth_of_the_page() -> None:
    """The common ancestor has 1 % < θ1; its parent 4 %, the next 25 % ≥ θ2."""
    page = draw_page(
        '<div id="a" box="0 0 500 500">.<div id="b" box="0 0 200 200">.'
        '<div id="c" box="0 0 100 100"><p id="d">x</p><p id="e">y</p></div></div></div>'
    )
    assert refine(page, ["d", "e"]) == [row_of(page, "a")]


def test_a_deep_ancestor_is_taken_as_it_is() -> None:
    page = draw_page(
        '<div id="a"><div id="b" box="0 0 1000 800"><p id="c">x</p><p id="d">y</p></div></div>'
    )
    assert page.depth[row_of(page, "b")] + 1 > clg.DEPTH
    assert refine(page, ["c", "d"]) == [row_of(page, "b")]


def test_too_big_an_ancestor_is_drilled_into() -> None:
    """The body has all of the page; of its children the better by score times area is taken."""
    page = draw_page(
        '<div id="a" box="0 0 1000 600"><p id="x">.</p></div>'
        '<div id="b" box="0 600 1000 1000"><p id="y">.</p></div>'
    )
    assert refine(page, ["x", "y"], {"a": 0.3, "b": 0.9}) == [row_of(page, "b")]
    assert refine(page, ["x", "y"], {"a": 0.7, "b": 0.9}) == [row_of(page, "a")]


def test_between_the_two_the_group_stays() -> None:
    """The common ancestor (the third level) has 60 % of the page: more than θ3, less than θ4."""
    page = draw_page('<div id="a" box="0 0 1000 600"><p id="x">.</p><p id="y">.</p></div>')
    assert page.depth[row_of(page, "a")] + 1 == clg.DEPTH
    assert refine(page, ["x", "y"]) == [row_of(page, "x"), row_of(page, "y")]


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ('<h2 id="t" box="0 50 300 90">Title</h2>', ["t"]),
        ('<h2 box="0 50 300 70">Section</h2><h1 id="t" box="0 70 300 90">Title</h1>', ["t"]),
        ('<h1 box="900 50 1000 90">Beside the text</h1>', []),
        ('<h1 box="0 900 300 950">Far below</h1>', []),
    ],
)
def test_the_title_above_the_selection_is_added(heads: str, expected: list[str]) -> None:
    page = draw_page(f'<div>{heads}</div><div id="text" box="0 100 800 500"><p>Text</p></div>')
    found = clg.find_missing_title(page, measures(page), [row_of(page, "text")])
    assert found == [row_of(page, name) for name in expected]


def test_a_segment_has_the_score_of_the_node_around_it() -> None:
    page = draw_page('<div box="0 0 900 500"><p id="p" box="0 0 900 400">Some text</p></div>')
    parts, found = segments(page), measures(page)
    scores = np.linspace(0, 1, len(page))
    verdict = _nodes.verdict("clg", page, parts, found, scores, [row_of(page, "p")])
    assert verdict.score.tolist() == [np.float32(scores[row_of(page, "p")])]
    assert verdict.keep.tolist() == [True]


def test_a_title_in_the_selection_is_enough() -> None:
    page = draw_page(
        '<h2 box="0 50 300 90">Other</h2>'
        '<div id="text" box="0 100 800 500"><h1 box="0 100 800 150">T</h1><p>Text</p></div>'
    )
    assert clg.find_missing_title(page, measures(page), [row_of(page, "text")]) == []
