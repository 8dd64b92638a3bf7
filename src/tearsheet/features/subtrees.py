"""Sums over subtrees and searches up the tree, by arrays: never a step per level of nesting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.types import Bools, Ints, Page


def sums(page: Page, column: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """For each row the sum of a column over its subtree.

    >>> from tearsheet.page.parsed import parse
    >>> page = parse("<p>a<b>bc</b></p>")
    >>> sums(page, np.array([len(text) for text in page.text])).tolist()
    [3.0, 0.0, 3.0, 3.0, 1.0, 2.0, 2.0]
    """
    total = np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))
    return total[page.end] - total[:-1]


def extremes(
    page: Page, column: npt.NDArray[np.float64], pick: np.ufunc
) -> npt.NDArray[np.float64]:
    """For each row the least (`np.minimum`) or greatest (`np.maximum`) value of its subtree.

    Two runs of 2^k rows cover every subtree of 2^k to 2^(k+1) rows, so a page costs n log n.
    """
    size = page.end - np.arange(len(page))
    level = np.frexp(size)[1] - 1
    result = np.empty(len(page))
    runs = column.astype(np.float64)
    for k in range(int(level.max(initial=0)) + 1):
        rows = np.flatnonzero(level == k)
        result[rows] = pick(runs[rows], runs[page.end[rows] - (1 << k)])
        runs = pick(runs[: -(1 << k)], runs[1 << k :])
    return result


def nearest(page: Page, chosen: Bools) -> Ints:
    """For each row the closest chosen row, itself or an ancestor; -1 without one."""
    here = np.arange(len(page), dtype=np.int32)
    up = np.where(chosen | (page.parent < 0), here, page.parent)
    while True:  # each round doubles the step, so depth costs its logarithm
        further = up[up]
        if np.array_equal(further, up):
            return np.where(chosen[up], up, -1).astype(np.int32)
        up = further


def common_ancestor(page: Page, rows: npt.ArrayLike) -> int:
    """The lowest row whose subtree holds all the given rows (it may be one of them)."""
    several = np.asarray(rows)
    first, last = int(several.min()), int(several.max())
    if page.end[first] > last:
        return first
    around = (np.arange(len(page)) <= first) & (page.end > last)
    found = np.flatnonzero(around)
    return int(found[-1]) if len(found) else 0


def outermost_rows(page: Page, rows: Iterable[int]) -> list[int]:
    """The rows that are not inside another of them, in document order."""
    found, end = list[int](), -1
    for row in sorted(rows):
        if row >= end:
            found.append(row)
            end = int(page.end[row])
    return found


def topmost_rows(page: Page, chosen: Bools) -> npt.NDArray[np.intp]:
    """The same for a mask: the chosen rows above which no row is chosen (compaction, figure 5 of
    the CLG paper)."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return rows
    reached = np.maximum.accumulate(page.end[rows])
    return rows[np.concatenate(([True], rows[1:] >= reached[:-1]))]
