"""Tables: which hold data (many only lay out a page), and the spans of their cells."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.tags import CODES
from tearsheet.types import Cell, Page, Table

_TR, _TD, _TH, _CAPTION = (CODES[name] for name in "tr td th caption".split())
_TABLE: Final = CODES["table"]
_FEWEST_FACTS: Final = 2
_LONG_CELL: Final = 280
"""Most characters in a cell of a real table, on average."""
_MAX_SPAN: Final = 100


def is_data_table(page: Page, row: int, kept: list[int]) -> bool:
    """Whether a table holds data; `kept` are the rows of it that take part."""
    raw = page.attrs[row]
    if 'role="presentation"' in raw or 'role="none"' in raw:
        return False
    codes = page.tag[kept]
    cells = np.count_nonzero(codes == _TD) + np.count_nonzero(codes == _TH)
    lines = np.count_nonzero(codes == _TR)
    if 'class="data"' in raw:
        return bool(cells)
    if cells < 2 or cells < 1.5 * lines:
        return bool(np.count_nonzero(codes == _TH) and cells > 2)
    if np.count_nonzero(codes == _TH) or np.count_nonzero(codes == _CAPTION):
        return True
    length = sum(len(page.text[i]) for i in kept)
    return bool(lines > 1 and length < _LONG_CELL * cells)


def has_own_headers(page: Page, row: int) -> bool:
    """Whether a table around tables holds data itself: it has two rows of a header and a cell, like
    the boxes of facts in encyclopedias.
    """
    found, line, headers, tag = 0, -1, 0, page.tag.data
    for at in range(row + 1, int(page.end[row])):
        if tag[at] not in (_TH, _TD) or tag[line := int(page.parent[at])] != _TR:
            continue
        if next(up for up in page.ancestors(line) if tag[up] == _TABLE) != row:
            continue
        if tag[at] == _TH:
            headers = line
        elif headers == line:
            found, headers = found + 1, 0
    return found >= _FEWEST_FACTS


def read_span(page: Page, row: int, name: str) -> int:
    """How many rows or columns a cell covers."""
    value = page.attribute(row, name) if name in page.attrs[row] else None
    if not value or not value.isdecimal():
        return 1
    return min(int(value), _MAX_SPAN) or 1 if len(value) < 10 else _MAX_SPAN


def clip_spans(table: Table) -> Table:
    """The table without spans that reach beyond its last row."""
    count = len(table.rows)
    rows = tuple(
        tuple(
            cell if i + cell.rowspan <= count
            else Cell(cell.blocks, cell.header, cell.colspan, count - i)
            for cell in line
        )
        for i, line in enumerate(table.rows)
    )  # fmt: skip
    return Table(rows, table.caption, table.origin)
