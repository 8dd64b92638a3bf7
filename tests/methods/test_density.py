"""The list of strings and its region of highest density."""

from __future__ import annotations

import numpy as np

from tearsheet.methods import density
from tearsheet.page.parsed import parse
from tearsheet.segments import segments


def test_the_region_grows_over_gaps_of_less_than_four() -> None:
    """34 > 0.333 · 100 joins from three away; 33 is too short, and 90 stands four away."""
    assert density.region(np.array([33, 34, 0, 0, 100, 0, 0, 0, 90])) == (1, 4)
    assert density.region(np.array([33, 34, 0, 0, 100, 0, 0, 90, 0])) == (1, 7)


def test_the_region_grows_from_member_to_member() -> None:
    assert density.region(np.array([40, 0, 0, 40, 0, 0, 100])) == (0, 6)


def test_a_string_begins_at_structural_tags_only() -> None:
    page = parse("<section><p>one <b>two</b></p><figure>three</figure><div>four</div></section>")
    parts = segments(page)
    string = density.strings(page)[parts.first]
    assert dict(zip(parts.text, string.tolist())) == {"one two": 2, "three": 2, "four": 3}
