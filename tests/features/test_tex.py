"""TeX outside of the text: which pictures may show a formula, and what they show."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tearsheet.features.tex import image_rows, read_image_tex
from tearsheet.page.parsed import parse
from tearsheet.tags import CODES

SIGNS = st.text(st.sampled_from('\\^_{}$=+ x2a\xa0&"<'), max_size=8)
NAMES = st.sampled_from(["", "photo.jpg", "LaTeX/a.png", "x.example/png.latex?\\frac{1}{2}"])


@given(st.lists(st.tuples(SIGNS, NAMES), max_size=4))
@example([("\\frac{1}{2}", "")])
@example([("a photo", "photo.jpg"), ("x", "tex?x")])
@example([("\xa0x^2", "")])
def test_every_picture_of_a_formula_may_be_one(pictures: list[tuple[str, str]]) -> None:
    page = parse("".join(f'<img alt="{escape(a)}" src="{escape(s)}">' for a, s in pictures))
    shown = [row for row in page.rows(CODES["img"]) if read_image_tex(page, row)]
    assert set(shown) <= set(image_rows(page))


@pytest.mark.parametrize("alt", ["", "A gull", "Fig. 2", "50 % off"])
def test_a_photo_is_not_looked_at(alt: str) -> None:
    assert image_rows(parse(f'<p>One <img src="gull.jpg" alt="{alt}"> gull.')) == []
