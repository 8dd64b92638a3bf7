"""The picture of a page and the boxes of its text, from one drawing.

A page is drawn when somebody asks to see it: from its archive, from what was uploaded, or at its
address. Its rows are then found in the drawn page by their texts, so the boxes fit the picture even
if the page has changed. A page that somebody's tab sent is sketched: its texts are drawn into the
boxes that the tab sent.
"""

from __future__ import annotations

import struct
import zlib
from difflib import SequenceMatcher
from html import escape
from typing import Any, Final, NamedTuple

import numpy as np

from tearsheet.errors import RenderFailed
from tearsheet.page import read_page
from tearsheet.serve.selection import DrawnBoxes
from tearsheet.tags import CODES, TEXT
from tearsheet.types import Bools, Floats, Layout, Options, Page, Snapshot

_IMG: Final = CODES["img"]
_MOST_ROWS: Final = 40_000
"""Texts and pictures of a page that are compared."""
_SMALLEST: Final = 1.0  # CSS pixels of a box that shows something
_TALLEST: Final = 16_384
"""CSS pixels of a picture (`acquire.render` draws no more)."""
_ALIGN: Final = ("left", "center", "right", "justify")


class Drawing(NamedTuple):
    """A picture of a page, and for each row of the page its box in it (all 0: it has none)."""

    picture: bytes
    """PNG."""
    width: int
    height: int
    boxes: Floats
    """Rows × left, top, right, bottom in CSS pixels."""


def pack_boxes(drawing: Drawing) -> bytes:
    """The boxes of a drawing and its size, for the store."""
    return zlib.compress(
        struct.pack("<II", drawing.width, drawing.height) + drawing.boxes.astype("<f4").tobytes(), 1
    )


def unpack_boxes(packed: bytes) -> DrawnBoxes:
    """The boxes that `pack_boxes` packed."""
    plain = zlib.decompress(packed)
    width, height = struct.unpack_from("<II", plain)
    return DrawnBoxes(width, height, np.frombuffer(plain, "<f4", offset=8).reshape(-1, 4))


def draw_page(page: Page, source: str | bytes, url: str | None, options: Options) -> Drawing:
    """A drawing of the page's source: an address, an upload or an archive."""
    from tearsheet.acquire.sources import acquire

    drawn = acquire(source, url, render=True, options=options, picture="now")
    again = read_page(drawn)
    if drawn.picture is None or again.layout is None:
        raise RenderFailed("the browser drew no picture of the page")
    boxes = np.zeros((len(page), 4), dtype=np.float32)
    mine, theirs = _match_rows(page, again)
    boxes[mine] = _edges(again.layout)[theirs]
    return _finish(page, drawn, boxes)


def sketch_page(page: Page) -> Drawing:
    """A sketch of a page, made of its texts and their boxes alone."""
    from tearsheet.acquire.render import render_html

    layout = page.layout
    if layout is None:
        raise RenderFailed("this page has no boxes to be drawn in")
    drawn = render_html(_write_sketch(page, layout), picture="now")
    boxes = np.where(_shows(page)[:, None], _edges(layout), 0).astype(np.float32)
    return _finish(page, drawn, boxes)


def _finish(page: Page, drawn: Snapshot, boxes: Floats) -> Drawing:
    width, height = drawn.size or (0, 0)
    assert drawn.picture is not None
    return Drawing(drawn.picture, width, min(height, _TALLEST), _surround(page, boxes))


def _shows(page: Page) -> Bools:
    """The rows that show something themselves: texts and pictures."""
    found: Bools = (page.tag == TEXT) | (page.tag == _IMG)
    return found


def _edges(layout: Layout) -> Floats:
    edges = np.stack([layout.x0, layout.y0, layout.x1, layout.y1], axis=1)
    found: Floats = np.where(layout.visible[:, None], edges, 0).astype(np.float32)
    return found


def _match_rows(page: Page, other: Page) -> tuple[Any, Any]:
    """Rows of texts and pictures that are the same on both pages, in order."""
    (mine, my_keys), (theirs, their_keys) = _keys(page), _keys(other)
    if my_keys == their_keys:
        return mine, theirs
    found = SequenceMatcher(None, my_keys, their_keys).get_matching_blocks()
    first = [i for begin, _, size in found for i in range(begin, begin + size)]
    second = [i for _, begin, size in found for i in range(begin, begin + size)]
    return mine[first], theirs[second]


def _keys(page: Page) -> tuple[Any, list[str]]:
    """The key by which each text or picture of a page is found again."""
    rows = np.flatnonzero(_shows(page)).tolist()[:_MOST_ROWS]
    keys = [" ".join(page.text[row].split()) or _picture_key(page, row) for row in rows]
    full = [i for i, key in enumerate(keys) if key]
    return np.array(rows, dtype=np.intp)[full], [keys[i] for i in full]


def _picture_key(page: Page, row: int) -> str:
    if page.tag[row] != _IMG:
        return ""
    return f"img {page.attribute(row, 'alt') or ''} {(page.attribute(row, 'class') or '')}"


def _surround(page: Page, boxes: Floats) -> Floats:
    """The boxes of all rows: an element's is around those of the texts and pictures in it."""
    drawn = boxes[:, 2] - boxes[:, 0] >= _SMALLEST
    low = np.where(drawn[:, None], boxes[:, :2], np.inf)
    high = np.where(drawn[:, None], boxes[:, 2:], -np.inf)
    for row in range(len(page) - 1, 0, -1):  # children come after their parents
        above = page.parent[row]
        np.minimum(low[above], low[row], out=low[above])
        np.maximum(high[above], high[row], out=high[above])
    whole = np.concatenate([low, high], axis=1)
    found: Floats = np.where(np.isfinite(whole), whole, 0).astype(np.float32)
    return found


def _write_sketch(page: Page, layout: Layout) -> str:
    """A page whose texts stand where the boxes say, and whose pictures are empty frames."""
    size = f"width:{layout.width:.0f}px;height:{min(layout.height, _TALLEST):.0f}px"
    parts = [
        "<!DOCTYPE html><meta charset=utf-8><title>A page</title><style>body{margin:0;position:"
        f"relative;background:#fff;{size};overflow:hidden}}body>*{{position:absolute;overflow:"
        "hidden;font-family:sans-serif}</style><body>"
    ]
    rows = np.flatnonzero(layout.visible | (page.tag == TEXT)).tolist()[:_MOST_ROWS]
    return "".join([*parts, *(_sketch_row(page, layout, row) for row in rows)])


def _sketch_row(page: Page, layout: Layout, row: int) -> str:
    x0, y0, x1, y1 = page.box(row) or (0, 0, 0, 0)
    if x1 - x0 < _SMALLEST or y0 > _TALLEST:
        return ""
    place = f"left:{x0:.1f}px;top:{y0:.1f}px;width:{x1 - x0 + 1:.1f}px;height:{y1 - y0:.1f}px"
    if page.tag[row] == TEXT:
        above = int(page.parent[row])
        size = float(layout.font_size[above]) or 16.0
        look = (
            f"color:#{int(layout.color[above]):06x};font-size:{size:.1f}px;"
            f"line-height:{_line_height(y1 - y0, size):.1f}px;"
            f"font-weight:{int(layout.font_weight[above])};"
            f"text-align:{_ALIGN[min(int(layout.align[above]), 3)]}"
        )
        return f'<p style="margin:0;{place};{look}">{escape(page.text[row])}</p>'
    if page.tag[row] == _IMG:
        return f'<p style="margin:0;{place};background:#d9d4c9"></p>'
    colour = int(layout.background[row])
    return f'<p style="margin:0;{place};background:#{colour:06x}"></p>' if colour >= 0 else ""


def _line_height(height: float, size: float) -> float:
    """The height of a line of a text whose lines fill a box."""
    lines = max(1, round(height / (size * 1.45)))
    return max(height / lines, size)
