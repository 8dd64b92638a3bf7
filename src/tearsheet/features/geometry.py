"""Boxes as rows of an array (left, top, right, bottom): overlaps, alignments, exact areas."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Boxes: TypeAlias = npt.NDArray[np.float64]


def overlap(a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Width and height that two boxes share; zero where they don't meet.

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
    """The exact area of the union of n boxes, in n array steps of a sweep from left to right.

    The CLG paper's recursion (§6.2) has the same value and takes exponential time.

    >>> covered_area([(0, 0, 10, 10), (5, 5, 15, 15), (5, 0, 15, 10)])
    200.0
    """
    all_boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    all_boxes = all_boxes[area(all_boxes) > 0]
    if len(all_boxes) < 2:
        return float(area(all_boxes).sum())
    edges = np.unique(all_boxes[:, [0, 2]])
    ordered = all_boxes[np.argsort(all_boxes[:, 1], kind="stable")]
    return float(sum(_strip(ordered, left, right) for left, right in pairwise(edges)))


def _strip(ordered: Boxes, left: float, right: float) -> float:
    """The covered area between two neighbouring edges; the boxes are ordered by their tops."""
    inside = ordered[(ordered[:, 0] <= left) & (ordered[:, 2] >= right)]
    if not len(inside):
        return 0.0
    reached = np.maximum.accumulate(np.concatenate((inside[:1, 1], inside[:-1, 3])))
    heights = np.maximum(inside[:, 3] - np.maximum(inside[:, 1], reached), 0.0)
    return float(heights.sum() * (right - left))


def bounds(boxes: npt.ArrayLike) -> Boxes:
    """The smallest box around all."""
    all_boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    low, high = all_boxes[:, :2].min(axis=0), all_boxes[:, 2:].max(axis=0)
    return np.concatenate((low, high))
