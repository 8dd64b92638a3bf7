"""Combination of learning and grouping.

S. Wu, J. Liu, J. Fan: Automatic Web Content Extraction by Combination of Learning and Grouping.
WWW 2015.

A logistic regression over 17 features (`features/nodes.py`) gives every node of the rendered page
a probability. The nodes above a threshold, without those below another such node, are linked in
document order; links between nodes that are not aligned break, and of the groups that remain the
one with the largest mean score times covered area is taken (§6.2), refined by area (algorithm 1),
and given its title (§6.3).

Deviations: 1. The covered area is computed by a sweep; the paper's recursion has the same value.
2. Depth counts from one at `html`. 3. If no node passes the threshold, the best one is taken.
4. "In the location of the top" of the selection is made exact: a heading that overlaps it
horizontally and ends at most `TITLE_DISTANCE` above it, or begins within that of its top.
5. Trained on our data: complete saves of pages, drawn with their styles, labelled by looking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.features import geometry, subtrees
from tearsheet.features.nodes import Measures, measures
from tearsheet.methods import _nodes
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, HEADINGS, TEXT
from tearsheet.types import Options, Page, Segments, Verdict

NEEDS_LAYOUT = True
FAITHFUL: Final = f"{_nodes.FAITHFUL} (deviation 3)"
PARAMETERS: Final = "clg"
THRESHOLD: Final = 0.55
"""Probability above which a node is a candidate (§7.1)."""
OVERLAP: Final = 0.70
"""Projection overlap ratio above which two nodes are aligned (§7.1)."""
THETA_1: Final = 0.05
"""Share of the page's area below which a selection is too small (§7.1, as the next three)."""
THETA_2: Final = 0.2
"""… up to which it grows then."""
THETA_3: Final = 0.4
"""… up to which the common ancestor is taken whatever its depth."""
THETA_4: Final = 0.9
"""… from which it is too big."""
DEPTH: Final = 3
"""Levels at the top of the tree that are hardly ever the content (§7.1)."""
TITLE_DISTANCE: Final = 300.0
"""CSS pixels between a title and the top of the selection (ours)."""

Column = npt.NDArray[np.float64]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps what is in the refined best group of nodes, and its title."""
    found = measures(page)
    chance = _nodes.logistic(_nodes.linear(page, found, PARAMETERS))
    rows = choose_rows(page, found, chance, options)
    return _nodes.verdict("clg", page, segments, found, chance, rows)


def choose_rows(page: Page, found: Measures, chance: Column, options: Options) -> list[int]:
    """The nodes that are chosen, by their probabilities."""
    candidates = _nodes.keep_topmost(page, chance, THRESHOLD, options)
    if not len(candidates):
        return []
    group = best_group(link_groups(page, found.box, candidates), chance, found.box)
    rows = refine_group(page, found, chance, group)
    return [*rows, *find_missing_title(page, found, rows)]


def link_groups(page: Page, box: Column, candidates: npt.NDArray[np.intp]) -> list[list[int]]:
    """The candidates in document order, split where none of the four conditions holds (§6.1)."""

    def are_aligned(a: int, b: int) -> bool:
        shares_area = bool(geometry.overlap(box[a], box[b]).all())
        return shares_area or geometry.projection_overlap_ratio(box[a], box[b]) > OVERLAP

    rows = candidates.tolist()
    found = [[rows[0]]]
    for i in range(len(rows) - 1):
        here, there = rows[i], rows[i + 1]
        linked = (
            are_aligned(here, there)
            or page.parent[here] == page.parent[there]
            or (i + 2 < len(rows) and are_aligned(here, rows[i + 2]))
            or (i >= 1 and are_aligned(rows[i - 1], there))
        )
        if linked:
            found[-1].append(there)
        else:
            found.append([there])
    return found


def best_group(found: Sequence[list[int]], chance: Column, box: Column) -> list[int]:
    """The group with the largest mean score times covered area (§6.2)."""
    worth = [chance[group].mean() * geometry.covered_area(box[group]) for group in found]
    return found[int(np.argmax(worth))]


def refine_group(page: Page, found: Measures, chance: Column, group: list[int]) -> list[int]:
    """The group, its common ancestor, or a better node near that, by area (algorithm 1)."""
    area, whole = found.area, found.page_area
    node = subtrees.common_ancestor(page, group)
    if area[node] < THETA_1 * whole:
        while area[node] < THETA_2 * whole and page.parent[node] >= 0:
            node = int(page.parent[node])
    if page.depth[node] + 1 > DEPTH or area[node] <= THETA_3 * whole:
        return [node]
    if area[node] >= THETA_4 * whole:
        return [_drill_down(page, found, chance, node)]
    return group


def _drill_down(page: Page, found: Measures, chance: Column, node: int) -> int:
    """Down to the biggest child until it is not too big; then the best of it and its siblings."""
    while found.area[node] >= THETA_4 * found.page_area:
        children = _children(page, found, node)
        if not len(children):
            return node
        node = int(children[np.argmax(found.area[children])])
    siblings = _children(page, found, int(page.parent[node]))
    return int(siblings[np.argmax(chance[siblings] * found.area[siblings])])


def _children(page: Page, found: Measures, node: int) -> npt.NDArray[np.intp]:
    inside = slice(node + 1, int(page.end[node]))
    own = (page.parent[inside] == node) & (page.tag[inside] != TEXT) & found.node[inside]
    return np.flatnonzero(own) + node + 1


def find_missing_title(page: Page, found: Measures, rows: list[int]) -> list[int]:
    """The heading at the top of the selection that it does not have yet; `h1` before `h2`, …"""
    selected = np.zeros(len(page), dtype=np.bool_)
    selected[rows] = True
    headings = np.flatnonzero(HEADINGS[page.tag] & found.node & (found.chars > 0))
    inside = rows_within(page, selected)[headings]
    left, top, right, _ = geometry.bounds(found.box[rows])
    box = found.box[headings]
    near = (box[:, 0] < right) & (box[:, 2] > left)
    near &= (box[:, 3] >= top - TITLE_DISTANCE) & (box[:, 1] <= top + TITLE_DISTANCE)
    level = page.tag[headings].astype(np.int64) - CODES["h1"]
    if not near.any():
        return []
    preferred = np.lexsort((np.abs(box[:, 1] - top), level, ~near))[0]
    return [] if inside[preferred] else [int(headings[preferred])]
