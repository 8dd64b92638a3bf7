"""Clipping → picture: the page with its segments coloured by score and the kept ones framed.

A page that was not rendered becomes a graph of text density (figure 2 of Arias Moreno,
Deschacht, Moens: Language Independent Content Extraction from Web Pages, DIR 2009): the length of
each line of text over its position in the page.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from tearsheet import plugins
from tearsheet.errors import MissingExtra
from tearsheet.tags import TEXT
from tearsheet.types import Box, Clipping, Floats

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

    from tearsheet.methods.vips import Block

Colour: TypeAlias = tuple[int, int, int]

LOW: Final[Colour] = (38, 92, 168)
MIDDLE: Final[Colour] = (240, 240, 236)
HIGH: Final[Colour] = (224, 116, 0)
"""Blue to orange, which colour-blind people can tell apart, too."""
FRAME: Final[Colour] = (0, 120, 60)
BLOCK: Final[Colour] = (140, 30, 120)
INK: Final[Colour] = (40, 40, 40)
_TINT: Final = 105  # of 255: the text below stays readable
_HEAD: Final = 44  # pixels above the picture, for what it shows
_GRAPH: Final = (1200, 520)
_MARGIN: Final = (70, 20, 24, 50)  # left, top, right, bottom of the graph
_TICKS: Final = 5
_LETTERS: Final = 15  # pixels


def draw(clipping: Clipping, picture: bytes | None = None) -> bytes:
    """A PNG of how the method judged the page."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra("a drawing", error.name, "pdf") from None

    if clipping.page.layout is not None and picture is not None:
        with Image.open(io.BytesIO(picture), formats=("PNG",)) as opened:
            drawn = _on_page(clipping, opened.convert("RGBA"))
    else:
        drawn = _graph(clipping)
    written = io.BytesIO()
    _with_head(drawn, clipping).save(written, "PNG")
    return written.getvalue()


def _on_page(clipping: Clipping, page: Image) -> Image:
    from PIL import Image, ImageDraw

    tint = Image.new("RGBA", page.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(tint)
    boxes = [_segment_box(clipping, i) for i in range(len(clipping.segments))]
    for box, level in zip(boxes, _levels(clipping.verdict.score).tolist(), strict=True):
        if box is not None:
            pen.rectangle(box, fill=(*_colour(level), _TINT))
    drawn = Image.alpha_composite(page, tint)
    pen = ImageDraw.Draw(drawn)
    for first, last in _kept_runs(clipping):
        _frame(pen, [box for box in boxes[first:last] if box is not None])
    tree = getattr(plugins.load("methods", clipping.verdict.method), "tree", None)
    if tree is not None:
        _blocks(pen, tree(clipping.page))
    return drawn


def _blocks(pen: ImageDraw, root: Block) -> None:
    """Draws the tree of blocks of a method that has one: deeper ones thinner, with their degree of
    coherence."""
    waiting = [(root, 0)]
    while waiting:
        block, depth = waiting.pop()
        inset = min(2 * depth, 12)
        left, top, right, bottom = block.box
        if right - left > 2 * inset and bottom - top > 2 * inset:
            box = (left + inset, top + inset, right - inset, bottom - inset)
            pen.rectangle(box, outline=BLOCK, width=max(4 - depth, 1))
            if not block.children:
                place = (right - inset - 4, top + inset + 2)
                pen.text(place, f"{block.coherence}", fill=BLOCK, font_size=_LETTERS, anchor="rt")
        waiting += [(child, depth + 1) for child in block.children]


def _segment_box(clipping: Clipping, i: int) -> Box | None:
    """The smallest box around the text of a segment; None if it is not visible."""
    page, at = clipping.page, clipping.page.layout
    if at is None:
        return None
    rows = np.arange(clipping.segments.first[i], clipping.segments.last[i] + 1)
    rows = rows[(page.tag[rows] == TEXT) & at.visible[rows]]
    if not len(rows):
        return None
    left, top = float(at.x0[rows].min()), float(at.y0[rows].min())
    return left, top, float(at.x1[rows].max()), float(at.y1[rows].max())


def _levels(score: Floats) -> Floats:
    """The ranks of the scores, from 0 to 1, since every method has its own scale."""
    order = np.unique(score, return_inverse=True)[1].reshape(-1)
    return (order / max(int(order.max(initial=0)), 1)).astype(np.float32)


def _colour(level: float) -> Colour:
    low, high, share = (LOW, MIDDLE, 2 * level) if level < 0.5 else (MIDDLE, HIGH, 2 * level - 1)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return red, green, blue


def _kept_runs(clipping: Clipping) -> Iterator[tuple[int, int]]:
    """Start and end of each run of kept segments."""
    keep = np.concatenate(([False], clipping.verdict.keep, [False])).astype(np.int8)
    starts, ends = np.flatnonzero(np.diff(keep) == 1), np.flatnonzero(np.diff(keep) == -1)
    yield from zip(starts.tolist(), ends.tolist(), strict=True)


def _frame(pen: ImageDraw, boxes: list[Box]) -> None:
    if boxes:
        left, top, right, bottom = np.array(boxes).T
        around = (left.min() - 5, top.min() - 4, right.max() + 5, bottom.max() + 4)
        pen.rectangle(tuple(around), outline=FRAME, width=3)


def _graph(clipping: Clipping) -> Image:
    from PIL import Image, ImageDraw

    drawn = Image.new("RGBA", _GRAPH, "white")
    pen = ImageDraw.Draw(drawn)
    left, top, right, bottom = _plot_area()
    position = clipping.page.breaks[clipping.segments.first].astype(np.float64)
    x = left + position / max(position.max(initial=1), 1) * (right - left)
    longest = max(int(clipping.segments.chars.max(initial=1)), 1)
    y = bottom - clipping.segments.chars / longest * (bottom - top)
    for first, last in _kept_runs(clipping):
        pen.rectangle((x[first] - 2, top, x[last - 1] + 3, bottom), fill=(226, 243, 232))
        pen.rectangle((x[first] - 2, top, x[last - 1] + 3, bottom), outline=FRAME, width=2)
    levels = _levels(clipping.verdict.score).tolist()
    for i, level in enumerate(levels):
        colour = _colour(level) if abs(level - 0.5) > 0.2 else (150, 150, 146)
        pen.line((x[i], bottom, x[i], y[i]), fill=colour, width=2)
    _axes(pen, longest, int(position.max(initial=1)))
    return drawn


def _plot_area() -> tuple[int, int, int, int]:
    left, top, right, bottom = _MARGIN
    return left, top, _GRAPH[0] - right, _GRAPH[1] - bottom


def _axes(pen: ImageDraw, longest: int, lines: int) -> None:
    left, top, right, bottom = _plot_area()
    pen.line((left, top, left, bottom, right, bottom), fill=INK)
    for tick in range(_TICKS + 1):
        share = tick / _TICKS
        y, x = bottom - share * (bottom - top), left + share * (right - left)
        pen.text((left - 8, y), f"{share * longest:.0f}", fill=INK, font_size=_LETTERS, anchor="rm")
        pen.text((x, bottom + 8), f"{share * lines:.0f}", fill=INK, font_size=_LETTERS, anchor="mt")
    pen.text((left + 8, top - 4), "characters", fill=INK, font_size=_LETTERS, anchor="lt")
    pen.text(
        (right, bottom + 26),
        "line breaks from the top of the page",
        fill=INK,
        font_size=_LETTERS,
        anchor="rt",
    )


def _with_head(drawn: Image, clipping: Clipping) -> Image:
    """The picture with a caption above it."""
    from PIL import Image, ImageDraw

    whole = Image.new("RGB", (drawn.width, drawn.height + _HEAD), "white")
    whole.paste(drawn.convert("RGB"), (0, _HEAD))
    pen = ImageDraw.Draw(whole)
    kept, all_ = int(clipping.verdict.keep.sum()), len(clipping.segments)
    text = f"method {clipping.verdict.method}: {kept} of {all_} segments kept"
    pen.text((12, 20), text, fill=INK, font_size=_LETTERS, anchor="lm")
    for step in range(100):
        x = drawn.width - 220 + step
        pen.line((x, 12, x, 28), fill=_colour(step / 99))
    pen.text((drawn.width - 228, 20), "low", fill=INK, font_size=_LETTERS, anchor="rm")
    pen.text((drawn.width - 112, 20), "high score", fill=INK, font_size=_LETTERS, anchor="lm")
    pen.rectangle((drawn.width - 310, 12, drawn.width - 282, 28), outline=FRAME, width=3)
    pen.text((drawn.width - 316, 20), "kept", fill=INK, font_size=_LETTERS, anchor="rm")
    return whole
