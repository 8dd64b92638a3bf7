"""The evidence of the default engine on pages small enough to check by hand."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.methods.forest.choice import choose
from tearsheet.methods.forest.columns import LEXICAL, STRUCTURAL, names
from tearsheet.methods.forest.containers import find_containers
from tearsheet.methods.forest.evidence import fill_structural
from tearsheet.methods.forest.passes import make_table
from tearsheet.methods.forest.vocabulary import Words, fill_lexical, page_tokens
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

PAGE = """<nav class="menu"><a href=/a>Home</a><a href=/b>News</a></nav>
<div class=story><h1>The ferry</h1><p>It sailed at dawn, as ever.</p>
<p>Nobody was on board.</p></div>
<div class=box><h2>Related stories</h2><ul><li><a href=/c>The bridge</a><li><a href=/d>The port</a>
</ul></div>"""


def _columns(html: str) -> dict[str, list[float]]:
    page = parse(html)
    parts = segments(page)
    around = find_containers(page, parts)
    structural = make_table(len(STRUCTURAL), len(parts))
    fill_structural(structural, page, parts, around)
    lexical = make_table(len(LEXICAL), len(parts))
    fill_lexical(lexical, page, parts, around, NAMES, TEXTS)
    columns = dict(zip(names(STRUCTURAL), structural, strict=True))
    columns |= dict(zip(names(LEXICAL), lexical, strict=True))
    return {name: np.asarray(column, dtype=float).tolist() for name, column in columns.items()}


NAMES = Words(["menu", "story", "box"], [(-2, -1, -4), (1, 2, 8), (0, 0, 16)])
TEXTS = Words(["=related stories", "related"], [(-1, 3, 5, 7), (-0.5, 0.5, 0.25, 0)])


def test_containers_hold_more_text_than_the_one_below() -> None:
    """The paragraph's levels: itself, the story, the page."""
    found = _columns(PAGE)
    second = 3
    counts = [round(np.expm1(found[f"container_segments_{level}"][second])) for level in range(3)]
    assert counts == [1, 3, 7]


def test_names_of_classes_speak_for_all_below_them() -> None:
    """The learned value of a class is seen by each segment in it, and by no other."""
    found = _columns(PAGE)
    assert found["names_worst"] == [-2, 0, 0, 0, 0, 0, 0]
    assert found["names_best"] == [0, 1, 1, 1, 0, 0, 0]


def test_a_heading_speaks_for_what_follows_it() -> None:
    """ "Related stories" is known of the links under it, as heading and as the box's first line."""
    found = _columns(PAGE)
    assert found["heading_effect"][-2:] == [-1, -1]
    assert found["first_line_effect_2"][-1] == -1
    assert found["heading_effect"][2:4] == [0, 0]


def test_words_weigh_by_where_they_stand() -> None:
    """A name on every element around, and once more on the innermost one; a word in its own text,
    as a heading, and, a label as one, as the first line of a container. The sum is of all."""
    found = _columns(PAGE)
    assert found["weight_names"] == [-1, 2, 2, 2, 0, 0, 0]
    assert found["weight_own_names"] == [-4, 8, 8, 8, 16, 16, 16]
    assert found["weight_text"] == [0, 0, 0, 0, 3.5, 0, 0]
    assert found["weight_heading"] == [0, 0, 0, 0, 0, 5.25, 5.25]
    assert found["weight_first_lines"][:5] == [0, 0, 0, 0, 0]
    assert found["weight_first_lines"][-1] >= 7
    parts = [
        found[f"weight_{part}"] for part in ("names", "own_names", "text", "heading", "first_lines")
    ]
    assert found["weight_sum"] == [sum(values) for values in zip(*parts, strict=True)]


def test_wrapping_a_page_changes_no_column_but_tags() -> None:
    """Two more elements around everything hold no other text, so nothing is learned from them."""
    plain, wrapped = _columns(PAGE), _columns(f"<div><div>{PAGE}</div></div>")
    changed = {name for name in plain if plain[name] != wrapped[name]}
    assert {name for name in changed if not name.startswith("container_tag_")} == set()


@given(st.lists(st.tuples(st.floats(0.01, 1), st.integers(1, 50)), min_size=1, max_size=7))
def test_the_choice_maximises_the_expected_f1(pairs: list[tuple[float, int]]) -> None:
    """No other set of segments has a higher expectation."""
    score, words = np.array([p for p, _ in pairs]), np.array([w for _, w in pairs])
    _, expected = choose(score, words)
    everything = range(len(pairs))
    sets = chain.from_iterable(combinations(everything, n) for n in range(1, len(pairs) + 1))
    best = max(_expected_f1(score, words, list(some)) for some in sets)
    assert expected == pytest.approx(best)


def _expected_f1(
    score: np.ndarray[tuple[int], np.dtype[np.float64]],
    words: np.ndarray[tuple[int], np.dtype[np.int64]],
    some: list[int],
) -> float:
    right = (score * words)[some].sum()
    return float(2 * right / (words[some].sum() + (score * words).sum()))


def test_precision_keeps_less_and_recall_more() -> None:
    """A smaller beta asks for precision."""
    score, words = np.array([0.9, 0.5, 0.2]), np.array([10, 10, 10])
    kept = [choose(score, words, beta)[0].sum() for beta in (0.5, 1.0, 2.0)]
    assert kept == sorted(kept)
    assert kept[0] < kept[-1]


def test_what_a_page_says_of_itself() -> None:
    """Words of the address, types of JSON-LD and Open Graph."""
    html = """<meta property="og:type" content="article">
    <script type="application/ld+json">{"@type": "NewsArticle"}</script>"""
    tokens = page_tokens(parse(html, "https://example.org/blog/2020/ferry"))
    assert {"og:article", "ld:NewsArticle", "url:blog", "url:ferry", "digits"} <= set(tokens)
