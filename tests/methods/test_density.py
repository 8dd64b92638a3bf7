"""The list of strings and its region of highest density."""

from __future__ import annotations

import numpy as np

from tearsheet import extract
from tearsheet.methods import _density, density_smooth
from tearsheet.methods.density import C1, C2
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES

STORY = "The ferry sailed at noon with nine people and a goat on board, and came back by five. "


def region(*lengths: int) -> tuple[int, int]:
    return _density.region(np.array(lengths, dtype=np.float64), C1, C2)


def test_the_region_grows_over_gaps_of_less_than_four() -> None:
    """34 > 0.333 · 100 joins from three away; 33 is too short, and 90 stands four away."""
    assert region(33, 34, 0, 0, 100, 0, 0, 0, 90) == (1, 4)
    assert region(33, 34, 0, 0, 100, 0, 0, 90, 0) == (1, 7)


def test_the_region_grows_from_member_to_member() -> None:
    assert region(40, 0, 0, 40, 0, 0, 100) == (0, 6)


def test_a_string_begins_at_structural_tags_only() -> None:
    page = parse("<section><p>one <b>two</b></p><figure>three</figure><div>four</div></section>")
    parts = segments(page)
    string = _density.strings(page)[parts.first]
    assert dict(zip(parts.text, string.tolist())) == {"one two": 2, "three": 2, "four": 3}


def test_a_box_within_the_text_ends_it_in_2009_and_not_today() -> None:
    """An advertisement in five nested boxes lies between two paragraphs of equal length."""
    box = "<div>" * 5 + "Advertisement" + "</div>" * 5
    html = f"<p>{STORY * 3}First.</p>{box}<p>{STORY * 3}Second.</p>"
    then, now = (extract(html, method=name).text for name in ("density", "density_wide"))
    assert ("First." in then, "Second." in then) == (False, True)
    assert "First." in now
    assert "Second." in now


def test_by_the_letter_tags_of_html_5_begin_no_string() -> None:
    page = parse("<section><p>One</p></section><article>Two</article>")
    two = int(page.rows(CODES["article"])[0]) + 1
    assert _density.strings(page)[two] == 3
    assert _density.strings(page, faithful=True)[two] == 1


def test_the_polynomial_keeps_a_hill_and_not_the_plain_beside_it() -> None:
    lengths = np.concatenate((np.full(40, 2.0), np.full(30, 12.0), np.full(60, 2.0)))
    left, right = density_smooth.find_region(density_smooth.fit_curve(lengths), lengths)
    assert 32 <= left <= 42
    assert 67 <= right <= 78
