"""Boxes as rows of an array (left, top, right, bottom): overlaps, alignments, exact areas."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Boxes: TypeAlias = npt.NDArray[np.float64]
_CELLS: Final = 2_000_000  # of the sweep at a time: 16 MB


def overlap(a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Width and height that two boxes share; zero if they don't meet.

    >>> overlap((0, 0, 10, 10), (5, 8, 20, 20)).tolist()
    [5.0, 2.0]
    """
    one, two = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    low = np.maximum(one[..., :2], two[..., :2])
    high = np.minimum(one[..., 2:], two[..., 2:])
    return np.asarray(np.maximum(high - low, 0.0))


def projection_overlap_ratio(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """POR of the CLG paper (§6.1): max(min(l/l1, l/l2), min(h/h1, h/h2)).

    >>> projection_overlap_ratio((0, 0, 100, 10), (10, 50, 90, 60))
    0.8
    """
    one, two = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    longer = np.maximum(one[2:] - one[:2], two[2:] - two[:2])
    shares = overlap(one, two) / np.where(longer > 0, longer, 1.0)
    return float(shares.max())


def area(box: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The area of one box or of each of many."""
    sides = np.asarray(box, dtype=np.float64)
    width = np.maximum(sides[..., 2] - sides[..., 0], 0.0)
    return np.asarray(width * np.maximum(sides[..., 3] - sides[..., 1], 0.0))


def covered_area(boxes: npt.ArrayLike) -> float:
    """The exact area of the union of n boxes, by a sweep from left to right over n² cells.

    The CLG paper's recursion (§6.2) has the same value and takes exponential time.

    >>> covered_area([(0, 0, 10, 10), (5, 5, 15, 15), (5, 0, 15, 10)])
    200.0
    """
    found = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    found = found[area(found) > 0]
    if len(found) < 2:
        return float(area(found).sum())
    found = found[np.argsort(found[:, 1], kind="stable")]  # each strip is read downwards
    edges = np.unique(found[:, [0, 2]])
    step = max(_CELLS // len(found), 1)
    starts = range(0, len(edges) - 1, step)
    return sum(_strips(found, edges[start : start + step + 1]) for start in starts)


def _strips(ordered: Boxes, edges: npt.NDArray[np.float64]) -> float:
    """The covered area between neighbouring edges; the boxes are ordered by their tops."""
    left, right = edges[:-1, None], edges[1:, None]
    inside = (ordered[:, 0] <= left) & (ordered[:, 2] >= right)
    bottom = np.where(inside, ordered[:, 3], -np.inf)
    above = np.full_like(bottom, -np.inf)
    above[:, 1:] = np.maximum.accumulate(bottom, axis=1)[:, :-1]
    heights = np.maximum(bottom - np.maximum(ordered[:, 1], above), 0.0).sum(axis=1)
    return float(np.dot(heights, np.diff(edges)))


def bounds(boxes: npt.ArrayLike) -> Boxes:
    """The smallest box around all."""
    all_boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    low, high = all_boxes[:, :2].min(axis=0), all_boxes[:, 2:].max(axis=0)
    return np.concatenate((low, high))
