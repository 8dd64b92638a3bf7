"""What each entrant kept of one page, side by side (like figure 12 of the CLG paper).

The page is drawn once for each entrant: a rendered page by the boxes of its segments, a parsed page
as a strip on which the height of a segment is the length of its text.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.datasets import Example
from tearsheet.evaluate.entrants import Entrant, find, find_rendered
from tearsheet.evaluate.peers import Found
from tearsheet.types import Bools, Box, Page, Segments

RIGHT, WRONG, MISSED, LEFT_OUT = "#7fb77e", "#e07a5f", "#f2cc8f", "#e8e8e8"
_WIDTH: Final = 150.0
_TALLEST: Final = 640.0
_LINE: Final = 60
"""Characters in a line of the strip."""
_TRUE: Final = 0.5


def picture(example: Example, entrants: list[Entrant], *, drawn: bool) -> str:
    """One column per entrant, the truth first: green is right, red too much, yellow missed."""
    seen = _label(example, drawn)
    if seen is None:
        return ""
    page, parts, truth = seen
    boxes = _places(page, parts)
    kept = {"truth": truth}
    for entrant in entrants:
        kept[entrant.label] = _is_kept(parts, _find(entrant, example, page, drawn))
    return _columns(parts, boxes, kept, truth)


def _label(example: Example, drawn: bool) -> tuple[Page, Segments, Bools] | None:
    """The page, its segments and which of them are true; None if it shows no text."""
    from tearsheet.learn.examples import label

    seen = next(label([example], drawn=drawn), None)
    if seen is None:
        return None
    return seen.page, seen.segments, seen.share >= _TRUE


def _find(entrant: Entrant, example: Example, page: Page, drawn: bool) -> Found:
    try:
        if drawn and not entrant.is_peer:
            return find_rendered(entrant, page)
        return find(entrant, example.markup, example.url)
    except Exception:  # an entrant that fails on a page keeps nothing of it
        return Found("")


def _is_kept(parts: Segments, found: Found) -> Bools:
    """The segments whose words are in the found text, aligned as truth is for training."""
    from tearsheet.learn.labels import labels

    return labels(parts, found.text) >= _TRUE


def _places(page: Page, parts: Segments) -> list[Box]:
    """A box for each segment, scaled to the column's width."""
    if page.layout is None:
        return _strip(parts)
    found = [_around(page, int(i), int(j)) for i, j in zip(parts.first, parts.last)]
    right = max((box[2] for box in found), default=1.0)
    bottom = max((box[3] for box in found), default=1.0)
    x, y = _WIDTH / max(right, 1), min(_WIDTH / max(right, 1), _TALLEST / max(bottom, 1))
    return [(a * x, b * y, c * x, d * y) for a, b, c, d in found]


def _around(page: Page, first: int, last: int) -> Box:
    at = page.layout
    assert at is not None
    rows = [row for row in range(first, last + 1) if at.visible[row]] or [first]
    return (
        float(at.x0[rows].min()),
        float(at.y0[rows].min()),
        float(at.x1[rows].max()),
        float(at.y1[rows].max()),
    )


def _strip(parts: Segments) -> list[Box]:
    rows = np.ceil(parts.chars / _LINE)
    scale = min(4.0, _TALLEST / max(float(rows.sum()), 1))
    ends = np.cumsum(rows) * scale
    widths = np.minimum(parts.chars / _LINE, 1) * _WIDTH
    tops: npt.NDArray[np.float64] = ends - rows * scale
    return [(0.0, float(a), max(float(w), 3.0), float(b)) for a, w, b in zip(tops, widths, ends)]


def _columns(parts: Segments, boxes: list[Box], kept: Mapping[str, Bools], truth: Bools) -> str:
    height = max((box[3] for box in boxes), default=0.0) + 22
    width = (_WIDTH + 14) * len(kept)
    drawn = []
    for i, (name, chosen) in enumerate(kept.items()):
        left = i * (_WIDTH + 14)
        drawn.append(f'<text x="{left:.0f}" y="12" font-size="11">{escape(name)}</text>')
        drawn.append(f'<g transform="translate({left:.0f} 18)">')
        drawn += [_segment(parts.text[k], boxes[k], chosen[k], truth[k]) for k in range(len(parts))]
        drawn.append("</g>")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="sans-serif">{"".join(drawn)}</svg>'
    )


def _segment(text: str, box: Box, kept: bool, true: bool) -> str:
    color = (RIGHT if true else WRONG) if kept else (MISSED if true else LEFT_OUT)
    x0, y0, x1, y1 = box
    label = escape(textwrap.shorten(text, 60))
    return (
        f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{max(x1 - x0, 1):.1f}" '
        f'height="{max(y1 - y0 - 0.4, 0.6):.1f}" fill="{color}"><title>{label}</title></rect>'
    )
