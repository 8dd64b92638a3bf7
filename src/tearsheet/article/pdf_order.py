"""The lines and pictures of a PDF in the order of reading, without running heads.

A page with columns is read band by band: what stands across the columns ends a band, and within a
band each column is read from top to bottom (after G. Nagy and S. Seth's cuts of 1984, with the
columns' border found first).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, TypeAlias

from tearsheet.article.pdf_lines import PagePicture, PdfLine, PdfPage

Item: TypeAlias = PdfLine | PagePicture

_MARGIN: Final = 0.09
"""Part of a page's height, above and below, in which running heads stand."""
_FEWEST_REPEATS: Final = 3
"""Fewest pages on which a running head stands; two in a document of two or three pages."""
_ACROSS: Final = 0.3
"""Largest share of the lines that may cross the border of two columns."""
_COLUMN_LINES: Final = 4
"""Fewest lines of a column."""


def order_pages(pages: Sequence[PdfPage]) -> list[list[Item]]:
    """For each page its lines and pictures in the order of reading."""
    heads = _find_running_heads(pages)
    ordered = []
    for page in pages:
        lines = [line for line in page.lines if not _is_running_head(line, page, heads)]
        ordered.append(_order([*lines, *page.pictures]))
    return ordered


def _find_running_heads(pages: Sequence[PdfPage]) -> set[str]:
    """Texts in the margins of several pages; numbers in them are ignored."""
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_key(line) for line in page.lines if _is_in_margin(line, page)})
    least = min(_FEWEST_REPEATS, max(2, len(pages)))
    return {text for text, count in seen.items() if count >= least}


def _is_running_head(line: PdfLine, page: PdfPage, heads: set[str]) -> bool:
    if not _is_in_margin(line, page):
        return False
    key = _key(line)
    return key in heads or not key.strip("#/|-–— .")


def _key(line: PdfLine) -> str:
    return re.sub(r"\d+", "#", line.text).casefold()


def _is_in_margin(line: PdfLine, page: PdfPage) -> bool:
    return line.y1 < _MARGIN * page.height or line.y0 > (1 - _MARGIN) * page.height


def _order(items: list[Item], depth: int = 0) -> list[Item]:
    border = _find_border(items) if depth < 3 else None
    if border is None:
        return sorted(items, key=lambda item: (round(item.y0 / 3), item.x0))
    ordered: list[Item] = []
    band: list[Item] = []
    for item in sorted(items, key=lambda item: item.y0):
        if item.x0 < border < item.x1:
            ordered += _read_columns(band, border, depth)
            ordered.append(item)
            band = []
        else:
            band.append(item)
    return ordered + _read_columns(band, border, depth)


def _read_columns(band: list[Item], border: float, depth: int) -> list[Item]:
    left = [item for item in band if item.x1 <= border]
    right = [item for item in band if item.x1 > border]
    return _order(left, depth + 1) + _order(right, depth + 1)


def _find_border(items: list[Item]) -> float | None:
    """The border between two columns; None if the page has one column."""
    lines = [item for item in items if isinstance(item, PdfLine)]
    if len(lines) < 2 * _COLUMN_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    best: tuple[int, float] | None = None
    for step in range(30, 71, 2):
        border = left + (right - left) * step / 100
        across = sum(line.x0 < border < line.x1 for line in lines)
        before = sum(line.x1 <= border for line in lines)
        after = len(lines) - across - before
        if min(before, after) >= _COLUMN_LINES and (best is None or across < best[0]):
            best = across, border
    if best is None or best[0] > _ACROSS * len(lines):
        return None
    return best[1] if _stand_side_by_side(lines, best[1]) else None


def _stand_side_by_side(lines: list[PdfLine], border: float) -> bool:
    """Whether two groups of lines are columns: most lines of the smaller one have a line beside
    them."""
    before = [line for line in lines if line.x1 <= border]
    after = [line for line in lines if line.x0 >= border]
    fewer, more = sorted((before, after), key=len)
    beside = _count_beside(fewer, more)
    wide = sorted(line.x1 - line.x0 for line in fewer)[len(fewer) // 2]
    return beside * 2 >= len(fewer) and wide > 8 * fewer[0].size


def _count_beside(fewer: list[PdfLine], more: list[PdfLine]) -> int:
    """How many lines overlap in height with one of the other lines."""
    others = sorted(more, key=lambda line: line.y0)
    tops = [line.y0 for line in others]
    lowest = list(accumulate((line.y1 for line in others), max, initial=-math.inf))
    return sum(lowest[bisect_left(tops, line.y1)] > line.y0 for line in fewer)
