"""Boxes: the projection overlap ratio of figure 7, the covered area of figure 9."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.features.geometry import area, covered_area, overlap, projection_overlap_ratio


def test_projection_overlap_ratio_is_the_better_of_the_two_directions() -> None:
    """Widths 100 and 80 share 60: 0.6; heights 20 and 40 share nothing."""
    assert projection_overlap_ratio((0, 0, 100, 20), (40, 50, 120, 90)) == pytest.approx(0.6)
    """Side by side and almost as high: 0.9."""
    assert projection_overlap_ratio((0, 0, 10, 100), (20, 10, 30, 100)) == pytest.approx(0.9)


def test_a_box_without_area_overlaps_nothing() -> None:
    assert projection_overlap_ratio((5, 5, 5, 5), (5, 5, 5, 5)) == 0.0


def test_covered_area_of_three_overlapping_boxes() -> None:
    """Figure 9: f(a1) + f(a2, a3) - f(a1∩a2, a1∩a3), each part by the paper's own recursion."""
    boxes = [(0.0, 0.0, 10.0, 10.0), (6.0, 4.0, 16.0, 12.0), (4.0, 6.0, 12.0, 16.0)]
    assert covered_area(boxes) == paper(boxes)
    assert covered_area(boxes) == 100 + 80 + 80 - 24 - 24 - 36 + 16


def paper(boxes: list[tuple[float, float, float, float]]) -> float:
    """The recursion of §6.2 as the paper has it; it takes exponential time."""
    if not boxes:
        return 0.0
    first, rest = boxes[0], boxes[1:]
    common = [
        (max(first[0], b[0]), max(first[1], b[1]), min(first[2], b[2]), min(first[3], b[3]))
        for b in rest
        if overlap(first, b).all()
    ]
    return float(area(first)) + paper(rest) - paper(common)


numbers = st.integers(0, 20)
boxes = st.tuples(numbers, numbers, st.integers(1, 9), st.integers(1, 9)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@given(st.lists(boxes, max_size=7))
def test_the_sweep_has_the_value_of_the_recursion(
    found: list[tuple[float, float, float, float]],
) -> None:
    assert covered_area(found) == pytest.approx(paper(found))
