"""The region of highest density, and the graph that shows it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np

from tearsheet.methods import density
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

from .pages import PARAGRAPHS, article


def test_the_region_grows_over_gaps_of_less_than_four() -> None:
    """34 > 0.333 · 100 joins from three away; 33 is too short, and 90 stands four away."""
    assert density.region(np.array([33, 34, 0, 0, 100, 0, 0, 0, 90])) == (1, 4)
    assert density.region(np.array([33, 34, 0, 0, 100, 0, 0, 90, 0])) == (1, 7)


def test_the_region_grows_from_member_to_member() -> None:
    assert density.region(np.array([40, 0, 0, 40, 0, 0, 100])) == (0, 6)


def test_the_graph_has_a_bar_for_each_string_with_text() -> None:
    page = parse(article())
    parts = segments(page)
    drawn = ElementTree.fromstring(density.graph(page, parts))
    bars, _ = drawn.findall("{http://www.w3.org/2000/svg}path")
    assert bars.attrib["d"].count("M") == len(parts)
    assert max(map(len, PARAGRAPHS)) == int(density.densities(page, parts).max())
