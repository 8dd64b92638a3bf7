"""The 17 features of a node of a rendered page.

S. Wu, J. Liu, J. Fan: Automatic Web Content Extraction by Combination of Learning and Grouping.
WWW 2015, §4.

`measures(page)` has the absolute values. For these, equation (1) unites what a node has with what
its children have: sums for counts, the outermost edges for positions, the covered area for areas,
characters by key for colours and font sizes. `adjusted_values(page, found, perfect)` has the values
that a model learns from, one row per row of the page and one column per feature of `NAMES`.

Deviations: 1. The area of a node is exactly that of the union of its boxes if at most 64 of them
extend beyond their parent's; of more, the 64 largest count. 2. Text and image areas are sums, since
texts and images hardly overlap each other. 3. Hidden nodes, their text, tags and links
don't count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.features import geometry, subtrees
from tearsheet.segments import rows_within, visible_rows
from tearsheet.tags import CODES, PICTURES, TEXT, UNSEEN, mask
from tearsheet.tags import NAMES as TAG_NAMES
from tearsheet.types import Bools, Layout, Page

NAMES: Final = (
    "POS_LEFT", "POS_RIGHT", "POS_TOP", "POS_BOTTOM", "POS_CENTERX", "POS_CENTERY", "POS_DIST",
    "AREA_SIZE", "AREA_DIST", "FONT_COLOR_POPULARITY", "FONT_SIZE", "FONT_SIZE_POPULARITY",
    "VISIBLE_CHAR", "TEXT_RATIO", "TAG_SCORE", "TAG_DENSITY", "LINK_DENSITY",
)  # fmt: skip
MOST_BOXES: Final = 64
"""Boxes that extend beyond a node and are united exactly."""
SMALLEST: Final = 1e-6
"""Share of the page's area: the floor of its logarithm."""
_NO_NODE: Final = mask("html", "head", "br", "wbr", "source", "track", "param", "col", "area")

Column = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """The absolute values of every row, united over its subtree."""

    node: Bools
    """The rows that can be chosen: elements of the body that are drawn."""
    box: npt.NDArray[np.float64]
    """Left, top, right and bottom of all that the node draws."""
    area: Column
    chars: Column
    tags: Column
    links: Column
    text_area: Column
    image_area: Column
    color_popularity: Column
    font_size: Column
    size_popularity: Column
    page_area: float


@lru_cache(1)  # several methods look at one page in turn
def measures(page: Page) -> Measures:
    """The absolute values of the features, by equation (1)."""
    at = page.layout
    assert at is not None
    shown = at.visible & (at.x1 > at.x0) & (at.y1 > at.y0)
    text = visible_rows(page)
    lengths = np.zeros(len(page))
    rows = np.flatnonzero(text)
    lengths[rows] = [len("".join(page.text[row].split())) for row in rows.tolist()]
    chars = subtrees.sums(page, lengths)
    own = geometry.area(boxes(at)) * shown
    elements = page.tag != TEXT
    box = _united_boxes(page, at, shown)
    drawn = box[:, 2] > box[:, 0]
    sizes = np.where(lengths > 0, at.font_size, np.nan)
    span = max(float(np.nanmax(sizes) - np.nanmin(sizes)), 1e-9) if len(rows) else 1.0
    lowest = float(np.nanmin(sizes)) if len(rows) else 0.0

    def mean(column: Column) -> Column:
        return subtrees.sums(page, column * lengths) / np.maximum(chars, 1)

    unseen = rows_within(page, UNSEEN[page.tag] & ~PICTURES[page.tag])
    node = elements & ~_NO_NODE[page.tag] & ~unseen & drawn
    return Measures(
        node=node,
        box=box,
        area=_united_areas(page, boxes(at), own, shown),
        chars=chars,
        tags=subtrees.sums(page, elements & drawn),
        links=subtrees.sums(page, (page.tag == CODES["a"]) & drawn),
        text_area=subtrees.sums(page, own * text),
        image_area=subtrees.sums(page, own * PICTURES[page.tag]),
        color_popularity=mean(popularity(at.color, lengths)),
        font_size=mean((at.font_size.astype(np.float64) - lowest) / span),
        size_popularity=mean(popularity(at.font_size, lengths)),
        page_area=max(float(at.width) * float(at.height), 1.0),
    )


def boxes(at: Layout) -> npt.NDArray[np.float64]:
    """The boxes of all rows as an array."""
    return np.column_stack((at.x0, at.y0, at.x1, at.y1)).astype(np.float64)


def counts(page: Page, row: int, keys: npt.NDArray[Any]) -> dict[Any, int]:
    """How many visible characters of a node have which colour, or font size.

    Equation (1) unites these as {red: 4, green: 2} ∪ {red: 3, blue: 1}. The features need only
    their products with those of the page, so they are not stored.
    """
    found: dict[Any, int] = {}
    text = visible_rows(page)
    for i in range(row, int(page.end[row])):
        if text[i]:
            length = len("".join(page.text[i].split()))
            found[keys[i].item()] = found.get(keys[i].item(), 0) + length
    return found


def popularity(keys: npt.NDArray[Any], lengths: Column) -> Column:
    """For each row the share of the page's characters that have the same key.

    The sum of φ_k·φ_r over keys is the mean of this over a node's characters.
    """
    _, key = np.unique(keys, return_inverse=True)
    totals = np.bincount(key, weights=lengths)
    return np.asarray(totals[key] / max(lengths.sum(), 1.0))


def _united_boxes(page: Page, at: Layout, shown: Bools) -> npt.NDArray[np.float64]:
    """The outermost edges of each subtree; all zero if nothing is shown."""
    low = [np.where(shown, edge, np.inf) for edge in (at.x0, at.y0)]
    high = [np.where(shown, edge, -np.inf) for edge in (at.x1, at.y1)]
    edges = [subtrees.extremes(page, edge, np.minimum) for edge in low]
    edges += [subtrees.extremes(page, edge, np.maximum) for edge in high]
    found = np.column_stack(edges)
    found[~np.isfinite(found).all(axis=1)] = 0.0
    return found


def _united_areas(page: Page, box: npt.NDArray[np.float64], own: Column, shown: Bools) -> Column:
    """The area that each subtree covers.

    A box within its parent's box adds nothing, so only boxes that extend beyond it are united.
    """
    above = box[np.maximum(page.parent, 0)]
    inside = (box[:, :2] >= above[:, :2] - 1).all(axis=1) & (box[:, 2:] <= above[:, 2:] + 1).all(1)
    out = shown & ~(inside & shown[np.maximum(page.parent, 0)])
    places = np.flatnonzero(out)
    first = np.searchsorted(places, np.arange(len(page)), side="right")
    last = np.searchsorted(places, page.end)
    areas = own.copy()
    known: dict[tuple[int, int, float], float] = {}
    for row in np.flatnonzero(last > first).tolist():
        key = (int(first[row]), int(last[row]), float(own[row]))
        if key not in known:
            some = box[places[key[0] : key[1]]]
            if len(some) > MOST_BOXES:
                some = some[np.argsort(-geometry.area(some), kind="stable")[:MOST_BOXES]]
            mine = box[row : row + 1] if shown[row] else box[:0]
            known[key] = geometry.covered_area(np.concatenate((mine, some)))
        areas[row] = known[key]
    return areas


def relative_values(page: Page, found: Measures) -> Column:
    """Left, right, top, bottom, centre x, centre y and area, as shares of the page's."""
    at = page.layout
    assert at is not None
    width, height = max(float(at.width), 1.0), max(float(at.height), 1.0)
    left, right = found.box[:, 0] / width, found.box[:, 2] / width
    top, bottom = found.box[:, 1] / height, found.box[:, 3] / height
    share = np.minimum(found.area / found.page_area, 1.0)
    return np.column_stack(
        (left, right, top, bottom, (left + right) / 2, (top + bottom) / 2, share)
    )


def adjusted_values(page: Page, found: Measures, perfect: Mapping[str, npt.NDArray[Any]]) -> Column:
    """The 17 adjusted values of every row.

    `perfect` has the values that training found best: `best` (in the order of `relative_values`),
    and a score for each `tag` in `tag_score`.
    """
    best = perfect["best"].astype(np.float64)
    here = relative_values(page, found)
    positions = 1 - np.abs(here[:, :6] - best[:6])
    distance = np.hypot(here[:, 4] - best[4], here[:, 5] - best[5])
    sizes = np.log(np.maximum(here[:, 6], SMALLEST))
    return np.column_stack(
        (
            positions,
            1 - distance,
            here[:, 6],
            -np.abs(sizes - np.log(max(best[6], SMALLEST))),
            found.color_popularity,
            found.font_size,
            found.size_popularity,
            found.chars / max(float(found.chars.max(initial=0)), 1.0),
            found.text_area / (found.text_area + found.image_area + 1),
            _tag_scores(perfect)[page.tag],
            found.tags / (found.chars + 1),
            found.links / (found.tags + 1),
        )
    )


def _tag_scores(perfect: Mapping[str, npt.NDArray[Any]]) -> Column:
    scores = np.zeros(len(TAG_NAMES))
    for name, worth in zip(perfect["tag"].tolist(), perfect["tag_score"].tolist(), strict=True):
        if name in CODES:
            scores[CODES[name]] = worth
    return scores
