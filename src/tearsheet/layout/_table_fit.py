"""Tables on paper: they shrink to a readable size, use the margins, turn, and split in the end."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from tearsheet.article.blocks import walk_blocks
from tearsheet.layout._document import PlacedCell, place_cells, plain_line
from tearsheet.layout._frame import Frame
from tearsheet.layout._line_breaks import width_in_ems
from tearsheet.types import Block, Cell, Figure, Image, Runs, Table

_SCALES: Final = (0.84, 0.76, 0.68, 0.6)
"""Sizes that a table's text may have, in ems of the text around it."""
_SMALLEST: Final = 6.0
"""Points; smaller text cannot be read."""
_FEWEST_TURNED: Final = (5, 5)
"""Rows and columns of the smallest table that is turned."""
_LONG_TEXT: Final = 600
"""Letters of a cell that no table of one column has."""
_NARROW: Final = 4.5
"""Ems of a column that has its own width even in a table where all others share what there is."""
_LONGEST_WORD: Final = 12.0
"""Ems; a longer word may break."""
_NARROWEST_PICTURE: Final = 8.0
"""Ems; a wider picture may shrink to this."""

PictureWidth = Callable[[Image], float]
"""The points that a picture takes at its own size."""
_NUMBER: Final = re.compile(r"[-−+±~<>≈$€£¥]?\s?\d[\d.,\s%:/–-]*(?:[%€$£]|[a-zA-Z]{1,3})?")


class Fit(NamedTuple):
    """How a table stands on its page."""

    table: Table
    columns: list[float]
    """Widths by weight; 0: as wide as what is in it."""
    scale: float
    over: float = 0.0
    """Points that it reaches into each margin."""
    turned: bool = False


def fit_table(table: Table, frame: Frame, picture_width: PictureWidth, *, top: bool) -> list[Fit]:
    """The table as it fits, or its parts if it is too wide even for a turned page.

    Only a table of the document itself (`top`) may use the margins, turn or split.
    """
    wide = _Columns(table, frame, picture_width)
    found = wide.fit(frame.column, frame)
    if found is None and top and frame.columns == 1:
        found = wide.fit(frame.widest, frame)
        rows, columns = len(table.rows), wide.count
        may_turn = rows >= _FEWEST_TURNED[0] and columns >= _FEWEST_TURNED[1]
        if found is None and may_turn:
            found = wide.fit(frame.text_height, frame)
            found = found._replace(turned=True, over=0.0) if found else None
        if found is None and (parts := wide.split(frame.widest, frame)):
            return [
                fit for part in parts for fit in fit_table(part, frame, picture_width, top=False)
            ]
    if found is not None:
        return [found]
    widest = frame.widest if top else frame.column
    scale = max(_SCALES[-1], _SMALLEST / frame.size)
    return [Fit(table, wide.weights, min(scale, 0.9), (widest - frame.column) / 2)]


class _Columns:
    """The width that each column of a table needs, in ems."""

    def __init__(self, table: Table, frame: Frame, picture_width: PictureWidth) -> None:
        self.table = table
        self.cells = place_cells(table)
        self.count = max((cell.x + cell.width for cell in self.cells), default=1)
        pictures = [_widest_picture(cell.cell, picture_width) / frame.size for cell in self.cells]
        self.longest, self.words = _column_extents(self.cells, pictures, self.count)
        short = [line < 1.3 * w + 1.5 for line, w in zip(self.longest, self.words)]
        self.wanted = [
            line if whole else max(w, min(2.3 * math.sqrt(line), 0.62 * line + 0.6))
            for line, w, whole in zip(self.longest, self.words, short)
        ]
        self.weights = [0.0 if whole else width for whole, width in zip(short, self.wanted)]
        self.shares = [
            0.0 if whole and line <= _NARROW else width
            for whole, line, width in zip(short, self.longest, self.wanted)
        ]
        if sum(self.wanted) > 60:  # too many for their natural width: all share what there is
            self.weights = self.shares

    def fit(self, width: float, frame: Frame) -> Fit | None:
        """The table in a width at the largest size that fits; None if no readable one does."""
        over = max(0.0, (width - frame.column) / 2)
        for scale in _SCALES:
            if scale * frame.size < _SMALLEST and scale != _SCALES[0]:
                return None
            room = width / (frame.size * scale) - 1.15 * self.count
            if sum(self.longest) <= room:
                return Fit(self.table, [0.0] * self.count, scale, over)
            if sum(self.wanted) <= room:
                return Fit(self.table, self.weights, scale, over)
        if sum(self.words) <= room:
            return Fit(self.table, self.shares, scale, over)
        return None

    def split(self, width: float, frame: Frame) -> list[Table]:
        """Tables of some of the columns each, all with the first one; none if cells reach over."""
        size = frame.size * max(_SCALES[2], _SMALLEST / frame.size)
        room = width / size - self.wanted[0] - 1.15
        groups: list[list[int]] = [[]]
        used = 0.0
        for x in range(1, self.count):
            need = self.wanted[x] + 1.15
            if groups[-1] and used + need > room:
                groups.append([])
                used = 0.0
            groups[-1].append(x)
            used += need
        if self.count < 3 or len(groups) < 2 or self._are_crossed(groups):
            return []
        parts = [_take_columns(self.table, self.cells, (0, *group)) for group in groups]
        return [parts[0], *(replace(part, caption=()) for part in parts[1:])]

    def _are_crossed(self, groups: list[list[int]]) -> bool:
        starts = {group[0] for group in groups}
        return any(
            x in starts for cell in self.cells for x in range(cell.x + 1, cell.x + cell.width)
        )


def _take_columns(table: Table, cells: list[PlacedCell], wanted: tuple[int, ...]) -> Table:
    rows: list[list[Cell]] = [[] for _ in table.rows]
    for cell in cells:
        if cell.x in wanted:
            rows[cell.y].append(cell.cell)
    return replace(table, rows=tuple(map(tuple, rows)))


def _widest_picture(cell: Cell, picture_width: PictureWidth) -> float:
    figures = (block for block in walk_blocks(cell.blocks) if isinstance(block, Figure))
    return max((picture_width(image) for one in figures for image in one.images), default=0.0)


def _column_extents(
    cells: list[PlacedCell], pictures: list[float], count: int
) -> tuple[list[float], list[float]]:
    """Longest line or picture and longest word of each column, in ems."""
    longest, word = [1.0] * count, [1.0] * count
    for cell, picture in zip(cells, pictures, strict=True):
        text = " ".join(plain_line(runs) for runs in _cell_runs(cell.cell.blocks))
        share = max(width_in_ems(text), picture) / cell.width
        least = min(picture, _NARROWEST_PICTURE)
        narrow = max(map(width_in_ems, text.split()), default=0.0)
        narrow = max(narrow, least) / cell.width
        for x in range(cell.x, cell.x + cell.width):
            longest[x], word[x] = max(longest[x], share), max(word[x], min(narrow, _LONGEST_WORD))
    return longest, word


def is_frame(table: Table) -> bool:
    """Whether a table is a frame around text: one column, and a cell that is an article."""
    single = all(len(row) == 1 for row in table.rows)
    return single and any(
        text_length(cell.blocks) > _LONG_TEXT for row in table.rows for cell in row
    )


def number_columns(cells: list[PlacedCell]) -> set[int]:
    """The columns whose cells, headers apart, are nearly all numbers."""
    seen: dict[int, list[bool]] = {}
    for cell in cells:
        text = " ".join(plain_line(runs) for runs in _cell_runs(cell.cell.blocks)).strip()
        if cell.width == 1 and text and not cell.cell.header:
            seen.setdefault(cell.x, []).append(bool(_NUMBER.fullmatch(text)))
    return {x for x, found in seen.items() if sum(found) >= 0.8 * len(found)}


def count_header_rows(table: Table, cells: list[PlacedCell]) -> int:
    """How many rows at the top are headers, which are repeated on every page."""
    count = 0
    while count < len(table.rows) - 1 and all(c.header for c in table.rows[count]):
        if not table.rows[count]:
            break
        count += 1
    crosses = any(cell.y < count < cell.y + cell.height for cell in cells)
    return 0 if crosses else count


def text_length(blocks: tuple[Block, ...]) -> int:
    """Letters in some blocks."""
    return sum(len(run.text) for runs in _cell_runs(blocks) for run in runs)


def _cell_runs(blocks: tuple[Block, ...]) -> Iterator[Runs]:
    for block in walk_blocks(blocks):
        runs = getattr(block, "runs", None)
        if runs:
            yield runs
