"""Paper 001's algorithm on lists that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.methods.density import region, score, strings
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Options


@pytest.mark.parametrize(
    ("lengths", "expected", "why"),
    [
        ([100], (0, 0), "one string is its own region"),
        ([0, 0, 0], (0, 0), "an empty page has the region of its first string"),
        ([90, 0, 0, 100], (0, 3), "three apart is closer than c2 = 4"),
        ([90, 0, 0, 0, 100], (4, 4), "four apart is not"),
        ([33, 100], (1, 1), "33 is below the cutoff 100 · 0.333"),
        ([33.3, 100], (1, 1), "equal to the cutoff is not above it"),
        ([34, 100], (0, 1), "34 is above it"),
        ([40, 0, 0, 40, 0, 0, 100], (0, 6), "the region grows from member to member"),
        ([40, 0, 0, 40, 0, 0, 0, 100], (7, 7), "but not over a gap, even for two together"),
        ([100, 5, 5, 40], (0, 3), "what stands between members is content, however short"),
        ([50, 0, 0, 0, 0, 60, 0, 100], (5, 7), "a second region is not taken"),
    ],
)
def test_the_region_grows_as_the_paper_says(
    lengths: list[float], expected: tuple[int, int], why: str
) -> None:
    assert region(np.array(lengths)) == expected, why


def test_inline_tags_add_to_the_string_and_structural_tags_begin_one() -> None:
    page = parse("<div><p>one <b>bold</b> <i>word</i></p><ul><li>two</ul>")
    position = strings(page)
    at = {text.strip(): int(position[row]) for row, text in enumerate(page.text) if text.strip()}
    assert at["one"] == at["bold"] == at["word"]
    assert at["two"] == at["one"] + 2  # ul and li, each an empty string of its own


def test_a_page_by_hand() -> None:
    """L = html, body, div menu (4), div, h1 (5), p (60), div ad (9), p (50), div, p (10)."""
    html = (
        "<div>Menu</div><div><h1>Title</h1>"
        f"<p>{'a' * 60}</p><div>Advert ad</div><p>{'b' * 50}</p></div>"
        f"<div><p>{'c' * 10}</p></div>"
    )
    page = parse(html)
    parts = segments(page)
    verdict = score(page, parts, Options())
    kept = [text[:1] for text, keep in zip(parts.text, verdict.keep, strict=True) if keep]
    assert kept == ["a", "A", "b"]  # the title is shorter than 60 · 0.333, the advert between
    assert verdict.score.tolist() == pytest.approx([4 / 60, 5 / 60, 1, 9 / 60, 50 / 60, 10 / 60])
