"""How the segments of a rendered page look: where they are, and the style of their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.features.nodes import boxes
from tearsheet.segments import visible_rows
from tearsheet.types import Page, Segments

LEFT: Final = 0
JUSTIFIED: Final = 3

Column = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """How each segment looks: its box, and the style of its longest piece of text."""

    box: npt.NDArray[np.float64]
    font_size: Column
    font_weight: Column
    color: npt.NDArray[np.int64]
    align: npt.NDArray[np.int64]


def measure_looks(page: Page, segments: Segments) -> Looks:
    """The box around each segment's text, and the style of the longest text row in it."""
    at = page.layout
    assert at is not None
    rows = np.flatnonzero(visible_rows(page))
    owner = np.searchsorted(segments.first, rows, side="right") - 1
    inside = (owner >= 0) & (rows <= segments.last[np.maximum(owner, 0)])
    rows, owner = rows[inside], owner[inside]
    found = boxes(at)[rows]
    box = np.tile((np.inf, np.inf, -np.inf, -np.inf), (len(segments), 1))
    for edge, pick in ((0, np.minimum), (1, np.minimum), (2, np.maximum), (3, np.maximum)):
        pick.at(box[:, edge], owner, found[:, edge])
    lengths = np.array([len(page.text[row]) for row in rows.tolist()])
    order = np.lexsort((lengths, owner))
    longest = segments.first.astype(np.intp)
    longest[owner[order]] = rows[order]  # the last one of each segment is its longest
    align = at.align[longest].astype(np.int64)
    return Looks(
        box=np.where(np.isfinite(box), box, 0.0),
        font_size=at.font_size[longest].astype(np.float64),
        font_weight=at.font_weight[longest].astype(np.float64),
        color=at.color[longest].astype(np.int64),
        align=np.where(align == JUSTIFIED, LEFT, align),
    )


def most_frequent(values: npt.NDArray[np.generic], chars: npt.NDArray[np.generic]) -> float:
    """The value that most characters have."""
    known, which = np.unique(values, return_inverse=True)
    return float(known[np.argmax(np.bincount(which, weights=chars))])


def median_edge(edges: Column, chars: npt.NDArray[np.generic]) -> float:
    """The edge with half of the characters on either side."""
    order = np.argsort(edges, kind="stable")
    total = np.cumsum(chars[order])
    return float(edges[order][np.searchsorted(total, total[-1] / 2)])
