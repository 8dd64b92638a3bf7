"""VIPS: the page as a tree of blocks that look coherent.

D. Cai, S. Yu, J.-R. Wen, W.-Y. Ma: Extracting Content Structure for Web Pages based on Visual
Representation. APWeb 2003; VIPS: a Vision-based Page Segmentation Algorithm. MSR-TR-2003-79.

Each round does three things with a part of the page. (1) Its nodes are divided, or kept as a block
with a degree of coherence from 1 to 10, by rules about tags, colours, text and size. (2) Between
the blocks are horizontal and vertical separators. Their weights grow with the gap, a rule, other
backgrounds and other fonts, and shrink between similar paragraphs. (3) The separators make a tree
of the blocks. Leaves that are less coherent than permitted go through the next round.

Deviations: 1. The tree is made from the strongest separator down instead of from the weakest up.
2. Separators are the gaps in the blocks' projections, which is what the paper's splitting comes to;
their weights and the degrees of rules 8 to 10 are made exact by the constants below. 3. Which rules
hold for which tags is simplified to: tables and rows are divided by size (rule 7), cells and
others by all rules. 4. VIPS finds blocks and not the article: here the search goes from the root to
the child that holds most of the text, as long as there is one; all leaves of the block where it
ends are kept, unless they are mostly links.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.features import geometry, subtrees
from tearsheet.features.nodes import boxes
from tearsheet.segments import rows_within, visible_rows
from tearsheet.tags import CODES, TEXT, UNSEEN, mask
from tearsheet.types import Bools, Box, Options, Page, Segments, Verdict

NEEDS_LAYOUT = True
PERMITTED: Final = 6
"""Degree of coherence from which a block is not divided further."""
ROUNDS: Final = 8
"""Most rounds; a page rarely needs more than four."""
SMALL_WITH_TEXT: Final = 0.1
"""Share of the round's area below which a node with text of its own is not divided (rule 9)."""
SMALL_CHILDREN: Final = 0.05
"""Share of it that the largest child must have for its parent to be divided (rule 10)."""
GAP_STEP: Final = 10.0
"""CSS pixels of a gap that weigh 1."""
WIDEST: Final = 4.0
"""Most that a gap weighs."""
RULE, BACKGROUND, FONT, LARGER_BELOW, ALIKE = 3.0, 2.0, 1.0, 1.0, -2.0
"""Weights of a line, other backgrounds, other fonts, larger text below, and alike text (§4.2)."""
MOST_OF_TEXT: Final = 0.8
"""Share of its parent's text that a block must hold to be the content instead."""
LINKS: Final = 0.5
"""Share of links from which a leaf is not content."""

_LARGE: Final = mask("table", "tr", "tbody", "thead", "tfoot", "ul", "ol", "dl", "section")
_BY_SIZE: Final = mask("table", "tbody", "thead", "tfoot", "tr")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the page: what it covers, how coherent it is, and what it is made of."""

    box: Box
    coherence: int
    """Degree of coherence, 1 to 10."""
    rows: tuple[int, ...]
    """Tops of the subtrees that it holds."""
    children: tuple[Block, ...] = field(default=())


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the leaves with text of the block that holds most of it; scores are coherences."""
    root = tree(page)
    found = leaves(root)
    at = np.zeros(len(segments), dtype=np.intp)  # 0: in no block
    for i, leaf in enumerate(found):
        at[_segments_in(page, segments, leaf)] = i + 1

    def total(column: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        return np.bincount(at, weights=column, minlength=len(found) + 1)[1:].astype(np.float64)

    chars, links = total(segments.chars), total(segments.link_chars)
    main = {id(leaf) for leaf in leaves(_find_main(root, found, chars - 2 * links))}
    kept = np.array([id(leaf) in main for leaf in found]) & (links < LINKS * np.maximum(chars, 1))
    coherence = np.array([0, *(leaf.coherence for leaf in found)], dtype=np.float32)
    return Verdict(
        method="vips",
        score=coherence[at],
        keep=np.append(False, kept)[at],
        rows=tuple(row for leaf, keep in zip(found, kept) if keep for row in leaf.rows),
    )


def _segments_in(page: Page, segments: Segments, block: Block) -> npt.NDArray[np.intp]:
    """The segments below the rows of a block."""
    spans = (np.searchsorted(segments.first, (row, page.end[row])) for row in block.rows)
    return np.concatenate([np.arange(first, last) for first, last in spans])


def _find_main(root: Block, found: list[Block], worth: npt.NDArray[np.float64]) -> Block:
    """The block that is reached from the root by way of children with most of the text."""
    worth_of = {id(leaf): value for leaf, value in zip(found, worth.tolist(), strict=True)}
    block = root
    while block.children:
        values = [sum(worth_of[id(leaf)] for leaf in leaves(child)) for child in block.children]
        best = int(np.argmax(values))
        if values[best] < MOST_OF_TEXT * sum(max(value, 0.0) for value in values):
            break
        block = block.children[best]
    return block


def leaves(root: Block) -> list[Block]:
    """The blocks without children, in order."""
    found, waiting = [], [root]
    while waiting:
        block = waiting.pop()
        if block.children:
            waiting += reversed(block.children)
        else:
            found.append(block)
    return found


def tree(page: Page, permitted: int = PERMITTED) -> Block:
    """The content structure of a page, to the permitted degree of coherence."""
    sheet = _read_columns(page)
    top = next(iter(page.rows(CODES["body"])), 0)
    root = _GrowingBlock(sheet.bounds((top,)), 1, [top])
    open_ = [root]
    for _ in range(ROUNDS):
        following: list[_GrowingBlock] = []
        for part in open_:
            pool = _extract_blocks(sheet, part)
            if len(pool) > 1:
                _build_tree(sheet, part, pool)
                following += [leaf for leaf in part.leaves() if leaf.coherence < permitted]
        open_ = following
    return _freeze(root)


@dataclass(slots=True, eq=False)
class _GrowingBlock:
    """A block while the tree grows."""

    box: npt.NDArray[np.float64]
    coherence: int
    rows: list[int]
    children: list[_GrowingBlock] = field(default_factory=list)

    def leaves(self) -> Iterator[_GrowingBlock]:
        waiting = [self]
        while waiting:
            block = waiting.pop()
            if not block.children:
                yield block
            waiting += reversed(block.children)


def _freeze(root: _GrowingBlock) -> Block:
    """The finished tree, made from the bottom up without recursion."""
    order, waiting = [], [root]
    while waiting:
        block = waiting.pop()
        order.append(block)
        waiting += block.children
    done: dict[int, Block] = {}
    for block in reversed(order):
        left, top, right, bottom = (float(edge) for edge in block.box)
        children = tuple(done[id(child)] for child in block.children)
        box = (left, top, right, bottom)
        done[id(block)] = Block(box, block.coherence, tuple(block.rows), children)
    return done[id(root)]


@dataclass(frozen=True, slots=True, eq=False)
class _VisualColumns:
    """The columns of a page that the rules ask for."""

    page: Page
    box: npt.NDArray[np.float64]
    valid: Bools
    """Drawn, or with something drawn below."""
    is_text: Bools
    """A text node, or an element within a line that holds only such ("virtual text node")."""
    breaks: Bools
    """A line-break node: an element that is not within a line."""
    background: npt.NDArray[np.int64]
    """The colour behind each row."""
    size: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    """Of the first text in each row."""
    plain: Bools
    """All text has one size and one weight."""

    def children(self, row: int) -> list[int]:
        """The valid children of a row."""
        found, child, end = [], row + 1, int(self.page.end[row])
        while child < end:
            if self.valid[child]:
                found.append(child)
            child = int(self.page.end[child])
        return found

    def bounds(self, rows: tuple[int, ...] | list[int]) -> npt.NDArray[np.float64]:
        return geometry.bounds(self.box[list(rows)])


def _read_columns(page: Page) -> _VisualColumns:
    at = page.layout
    assert at is not None
    text = visible_rows(page)
    own = (at.visible | text) & (at.x1 > at.x0) & (at.y1 > at.y0)
    own &= ~(rows_within(page, UNSEEN[page.tag]) & ~_is_media(page))
    box = _unite_boxes(page, boxes(at), own)
    element = page.tag != TEXT
    breaks = element & (at.display >= 3)
    solid = subtrees.sums(page, own & (breaks | _is_media(page)))
    first = _first_text(page, text)
    sizes, weights = at.font_size.astype(np.float64), at.font_weight.astype(np.float64)
    painted = subtrees.nearest(page, at.background >= 0)
    return _VisualColumns(
        page=page,
        box=box,
        valid=subtrees.sums(page, own) > 0,
        is_text=(page.tag == TEXT) | (element & (solid == 0)),
        breaks=breaks,
        background=np.where(painted >= 0, at.background[painted], 0xFFFFFF).astype(np.int64),
        size=sizes[first],
        weight=weights[first],
        plain=_is_uniform(page, sizes, text) & _is_uniform(page, weights, text),
    )


def _is_media(page: Page) -> Bools:
    return mask("img", "svg", "video", "canvas", "object", "embed", "iframe")[page.tag]


def _unite_boxes(page: Page, box: npt.NDArray[np.float64], own: Bools) -> npt.NDArray[np.float64]:
    low = [subtrees.extremes(page, np.where(own, box[:, i], np.inf), np.minimum) for i in (0, 1)]
    high = [subtrees.extremes(page, np.where(own, box[:, i], -np.inf), np.maximum) for i in (2, 3)]
    found = np.column_stack((*low, *high))
    found[~np.isfinite(found).all(axis=1)] = 0.0
    return found


def _first_text(page: Page, text: Bools) -> npt.NDArray[np.intp]:
    """For each row the first text in it; itself if there is none."""
    places = np.flatnonzero(text)
    here = np.arange(len(page))
    if not len(places):
        return here
    at = places[np.searchsorted(places, here).clip(max=len(places) - 1)]
    return np.where((at >= here) & (at < page.end), at, here)


def _is_uniform(page: Page, values: npt.NDArray[np.float64], text: Bools) -> Bools:
    low = subtrees.extremes(page, np.where(text, values, np.inf), np.minimum)
    return np.asarray(low >= subtrees.extremes(page, np.where(text, values, -np.inf), np.maximum))


# 1. Visual block extraction.


def _extract_blocks(sheet: _VisualColumns, part: _GrowingBlock) -> list[_GrowingBlock]:
    """The blocks of one round: nodes divided until the rules say stop (§4.1)."""
    whole = max(float(geometry.area(part.box)), 1.0)
    pool: list[_GrowingBlock] = []
    waiting = [(row, len(part.rows) == 1, False) for row in reversed(part.rows)]
    while waiting:
        row, is_root, fixed = waiting.pop()
        children = sheet.children(row)
        degree = _size_degree(sheet, row, whole) if fixed else 0
        degree = degree or _whole_degree(sheet, row, children, whole, is_root)
        if degree:
            pool.append(_GrowingBlock(sheet.box[row], max(degree, part.coherence), [row]))
            continue
        only = len(children) == 1
        other = [sheet.background[child] != sheet.background[row] for child in children]
        # Rule 8: a child on another background stays whole in this round.
        inner = [
            (child, is_root and only, odd and not only and not sheet.is_text[child])
            for child, odd in zip(children, other)
        ]
        waiting += reversed(inner)
    return pool


def _whole_degree(
    sheet: _VisualColumns, row: int, children: list[int], whole: float, is_root: bool
) -> int:
    """The degree of coherence of a node that stays whole; 0 if it is divided (rules 1 to 13)."""
    page = sheet.page
    if not children:
        return 10  # 1: nothing in it to divide
    if len(children) == 1 and page.tag[children[0]] != TEXT:
        return 0  # 2
    if all(sheet.is_text[child] for child in children):
        return 10 if sheet.plain[row] else 9  # 4
    if is_root:
        return 0  # 3
    area = float(geometry.area(sheet.box[row]))
    sizes = geometry.area(sheet.box[children])
    if _BY_SIZE[page.tag[row]]:
        return 0 if sizes.sum() > area else _size_degree(sheet, row, whole)  # 7, 13
    if any(page.tag[child] == CODES["hr"] for child in children):
        return 0  # 6
    if any(sheet.background[child] != sheet.background[row] for child in children):
        return 0  # 8
    with_text = any(sheet.is_text[child] for child in children)
    if with_text and area < SMALL_WITH_TEXT * whole:
        return _size_degree(sheet, row, whole)  # 9
    if sizes.max() < SMALL_CHILDREN * whole:
        return _size_degree(sheet, row, whole)  # 10
    return 0  # 5 and 12


def _size_degree(sheet: _VisualColumns, row: int, whole: float) -> int:
    """5 to 8: a smaller node is more coherent, and one whose tag holds many things is less so."""
    share = float(geometry.area(sheet.box[row])) / whole
    degree = 8 if share < 0.02 else 7 if share < 0.1 else 6
    return degree - bool(_LARGE[sheet.page.tag[row]])


# 2. Separators, and 3. the structure that they make.


def _build_tree(sheet: _VisualColumns, part: _GrowingBlock, pool: list[_GrowingBlock]) -> None:
    """Hangs the blocks of a pool below their part, split at the strongest separators first."""
    waiting = [(part, pool)]
    while waiting:
        parent, blocks = waiting.pop()
        weight, pieces = _split(sheet, blocks)
        if len(pieces) < 2:
            parent.children = blocks if len(blocks) > 1 else []
            continue
        degree = max(parent.coherence, min(10 - round(weight), 10))
        for piece in pieces:
            if len(piece) == 1:
                piece[0].coherence = max(piece[0].coherence, parent.coherence)
                parent.children.append(piece[0])
            else:
                rows = [row for block in piece for row in block.rows]
                made = _GrowingBlock(sheet.bounds(rows), degree, rows)
                parent.children.append(made)
                waiting.append((made, piece))


def _split(
    sheet: _VisualColumns, blocks: list[_GrowingBlock]
) -> tuple[float, list[list[_GrowingBlock]]]:
    """The blocks, split at the strongest separators of one direction, and how strong these are."""
    box = np.array([block.box for block in blocks])
    best, at, order = -np.inf, np.zeros(0, dtype=np.intp), np.arange(len(blocks))
    for axis in (1, 0):  # horizontal separators lie between rows of blocks
        sequence, places, gaps = separators(box, axis)
        weights = np.array(
            [
                _weight(sheet, blocks, sequence, int(place), gap, axis)
                for place, gap in zip(places, gaps, strict=True)
            ]
        )
        if len(weights) and weights.max() > best:
            best, order = float(weights.max()), sequence
            at = places[weights >= best]
    pieces = np.split(order, at) if len(at) else [order]
    return best, [[blocks[i] for i in piece] for piece in pieces]


def separators(
    box: npt.NDArray[np.float64], axis: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """The gaps that no block crosses: the blocks in order, where to cut that order, how wide.

    >>> columns = np.array([(0, 0, 10, 50), (20, 0, 30, 20), (20, 35, 30, 50)])
    >>> separators(columns, 0)[1].tolist(), separators(columns, 1)[1].tolist()
    ([1], [])
    """
    order = np.argsort(box[:, axis], kind="stable")
    start, stop = box[order, axis], np.maximum.accumulate(box[order, axis + 2])
    gaps = start[1:] - stop[:-1]
    places = np.flatnonzero(gaps >= 0) + 1
    return order, places, gaps[places - 1]


def _weight(
    sheet: _VisualColumns,
    blocks: list[_GrowingBlock],
    order: npt.NDArray[np.intp],
    place: int,
    gap: float,
    axis: int,
) -> float:
    """How strong a separator is, by the five rules of §4.2."""
    before, after = blocks[order[place - 1]].rows[-1], blocks[order[place]].rows[0]
    page = sheet.page
    weight = min(gap / GAP_STEP, WIDEST)  # 1: the distance
    if CODES["hr"] in (page.tag[before], page.tag[after]) or _has_rule(page, before, after):
        weight += RULE  # 2
    if sheet.background[before] != sheet.background[after]:
        weight += BACKGROUND  # 3
    if axis == 1:
        above = (sheet.size[before], sheet.weight[before])
        below = (sheet.size[after], sheet.weight[after])
        if above != below:
            weight += FONT + (LARGER_BELOW if below[0] > above[0] else 0.0)  # 4
        elif sheet.is_text[before] == sheet.is_text[after] and page.tag[before] == page.tag[after]:
            weight += ALIKE  # 5
    return max(weight, 0.0)


def _has_rule(page: Page, before: int, after: int) -> bool:
    """Whether a line is drawn around or along one of the two."""
    at = page.layout
    assert at is not None
    return bool(at.rule[before] > 0 or at.rule[after] > 0)
