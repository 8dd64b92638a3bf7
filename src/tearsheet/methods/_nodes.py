"""Scores of nodes and verdicts from rows, for all methods that choose nodes of a rendered page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.features import nodes, subtrees
from tearsheet.features.nodes import Measures
from tearsheet.segments import rows_within
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = "nothing is chosen where no node passes the threshold"

Column = npt.NDArray[np.float64]


def linear(page: Page, found: Measures, name: str) -> Column:
    """β0 + β1·x1 + … of every node, with the named parameters; -inf for rows that are no node."""
    known = parameters.load(name)
    values = nodes.adjusted_values(page, found, known) @ known["weights"]
    return np.where(found.node, values + float(known["intercept"]), -np.inf)


def logistic(values: Column) -> Column:
    """p = 1 / (1 + e^-x)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -700, 700))))


def keep_topmost(
    page: Page, scores: Column, threshold: float, options: Options
) -> npt.NDArray[np.intp]:
    """The nodes above the threshold that have no ancestor above it. If there is none: the best
    node, or nothing if the method is to follow its paper to the letter."""
    rows = subtrees.topmost_rows(page, scores > threshold)
    if len(rows) or options.faithful:
        return rows
    return np.array([int(np.argmax(scores))])


def verdict(
    method: str,
    page: Page,
    segments: Segments,
    found: Measures,
    scores: Column,
    rows: Sequence[int],
) -> Verdict:
    """Keeps the segments that begin in the chosen rows, or the one around them if none does: the
    best node of a page may be a word within a line. A segment's score is its closest node's."""
    chosen = np.zeros(len(page), dtype=np.bool_)
    chosen[list(rows)] = True
    near = subtrees.nearest(page, found.node)[segments.first]
    keep = rows_within(page, chosen)[segments.first]
    if not keep.any() and len(segments) and rows:
        keep = np.logical_or.reduce(
            [(segments.first <= row) & (row <= segments.last) for row in rows]
        )
    return Verdict(
        method=method,
        score=np.where(near >= 0, scores[near], 0.0).astype(np.float32),
        keep=keep,
        rows=tuple(int(row) for row in sorted(rows)),
    )
