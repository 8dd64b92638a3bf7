"""Drawn page, Segments, the engine's share → the columns of how each segment looks.

A page that was only parsed has none of them. They unite the four refinements of the Article Clipper
(Fan et al. 2011, §2.2.2: smaller fonts, beside the column, aligned otherwise, in a frame) with the
features of CLG (Wu et al. 2015, §4: positions, areas, popularity of colour and size). What the
paper compares with "the article text" is compared with the segments that the engine finds likely,
each by its characters and its share.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.features import subtrees
from tearsheet.features.looks import Looks, measure_looks, median_edge, most_frequent
from tearsheet.features.nodes import popularity
from tearsheet.methods.forest.columns import Column, declare_group
from tearsheet.segments import rows_within
from tearsheet.tags import TEXT, mask
from tearsheet.types import Floats, Page, Segments

LIKELY: Final = 0.5
"""Share of content from which a segment is part of the text that others are compared with."""
SCREEN: Final = 1024.0
"""CSS pixels: the height of the first screen."""
NEAR: Final = 300.0
"""CSS pixels from a segment within which a picture is near."""
SMALLEST_PICTURE: Final = 2_500.0
"""Square pixels; smaller ones are icons."""
FARTHEST: Final = 20.0
"""Lines; all larger gaps count the same."""

LAYOUT: Final[tuple[Column, ...]] = (
    *declare_group("place", (
        ("left", "left edge, as a share of the page's width"),
        ("right", "right edge, likewise"),
        ("off_centre", "distance of its middle from that of the page, likewise"),
        ("width", "width, likewise"),
        ("height", "height in lines of the text, log(1 + n)"),
        ("screens_down", "top edge in screens, log(1 + n)"),
        ("page_position", "top edge, as a share of the page's height"),
        ("on_first_screen", "1 if it can be seen without scrolling"),
        ("area", "area, as a share of the page's"),
        ("fixed", "1 if it stays on the screen while the page scrolls"),
    )),
    *declare_group("font", (
        ("font_ratio", "size of its font, divided by that of the text"),
        ("font_smaller", "1 if its font is smaller than that of the text"),
        ("font_heavier", "weight of its font minus that of the text, in hundreds"),
        ("font_size_popularity", "share of the page's characters in its size"),
        ("color_popularity", "share of the page's characters in its colour"),
        ("color_distance", "distance of its colour from that of the text, 0 to 1"),
        ("background_differs", "1 if it is on another background than the text"),
    )),
    *declare_group("alignment", (
        ("aligned_otherwise", "1 if it is aligned otherwise than the text"),
        ("centred", "1 if it is centred"),
    )),
    *declare_group("column", (
        ("column_overlap", "share of its width in the column of the text"),
        ("column_cover", "share of the column's width that it covers"),
        ("left_of_column", "its left edge to the right of the column's, as a share of its width"),
        ("right_of_column", "its right edge to the right of the column's, likewise"),
        ("above_text", "lines from it down to the top of the text, log(1 + n)"),
        ("below_text", "lines from the end of the text down to it, log(1 + n)"),
        ("column_rank", "share of the text above it"),
    )),
    *declare_group("frame", (
        ("framed", "1 if it is in a frame that does not hold all of the text"),
        ("frame_share", "share of the text in the smallest frame or background around it"),
        ("rule_above", "1 if a line is drawn above it, or around it"),
    )),
    *declare_group("gap", (
        ("gap_before", "lines between it and the segment before; negative if it is further up"),
        ("gap_after", "lines between it and the segment after; likewise"),
        ("beside_before", "1 if the segment before is beside it"),
        ("beside_after", "1 if the segment after is beside it"),
        ("same_left_before", "1 if it begins at the left edge of the segment before"),
        ("same_font_before", "1 if it has size and weight of the segment before"),
    )),
    *declare_group("picture", (
        ("picture_area", "area of pictures near it, as a share of a screen"),
        ("picture_above", "lines from the picture above it in its column, log(1 + n)"),
    )),
    *declare_group("engine", (
        ("share", "share of content that the engine expects without its looks"),
        ("share_before", "likewise of the segment before"),
        ("share_after", "likewise of the segment after"),
        ("share_around", "mean of the five before and after, by words"),
        ("share_alike", "mean of those with the same font and left edge, by words"),
        ("log_words", "words, log(1 + n)"),
        ("links", "share of its characters in links"),
        ("is_article", "probability that the page is an article"),
    )),
)  # fmt: skip
"""The columns, in the order of the table."""

_PICTURES: Final = mask("img", "svg", "video", "canvas", "object", "embed", "iframe")
_FAR: Final = np.float64(np.log1p(FARTHEST * 5))

Values = npt.NDArray[Any]


class _Text(NamedTuple):
    """The looks of most of the likely text of a page."""

    weight: Values
    """For each segment: its characters times its share of content."""
    left: float
    right: float
    top: float
    bottom: float
    font_size: float
    font_weight: float
    color: int
    align: float
    line: float
    """Height of a line in CSS pixels."""


def fill_layout(page: Page, segments: Segments, share: Floats, is_article: float = 1.0) -> Floats:
    """The table of `LAYOUT`: a row for each column, a column for each segment."""
    assert page.layout is not None
    look = measure_looks(page, segments)
    text = _describe_text(look, segments, share)
    found = {
        **_place(page, look, text, segments),
        **_font(page, look, text, segments),
        **_column(look, text),
        **_frames(page, segments, text),
        **_gaps(look, text),
        **_pictures(page, look, text),
        **_engine(look, segments, share, is_article),
    }
    return np.array([found[column.name] for column in LAYOUT], dtype=np.float32)


def _describe_text(look: Looks, segments: Segments, share: Floats) -> _Text:
    """Falls back on all segments if the engine finds none of them likely."""
    chars = segments.chars.astype(np.float64)
    likely = chars * np.where(share >= LIKELY, share, 0.0)
    weight: Values = likely if likely.any() else chars
    size = most_frequent(look.font_size, weight)
    inside = weight > 0
    order = np.argsort(look.box[:, 1], kind="stable")
    total = np.cumsum(weight[order])
    low, high = total.searchsorted([0.02 * total[-1], 0.98 * total[-1]])
    return _Text(
        weight=weight,
        left=median_edge(look.box[inside, 0], weight[inside]),
        right=median_edge(look.box[inside, 2], weight[inside]),
        top=float(look.box[order[low], 1]),
        bottom=float(look.box[order[min(high, len(order) - 1)], 3]),
        font_size=size,
        font_weight=most_frequent(look.font_weight, weight),
        color=int(most_frequent(look.color, weight)),
        align=most_frequent(look.align, weight),
        line=max(1.4 * size, 8.0),
    )


def _place(page: Page, look: Looks, text: _Text, segments: Segments) -> dict[str, Values]:
    layout = page.layout
    assert layout is not None
    width, height = max(float(layout.width), 1.0), max(float(layout.height), 1.0)
    left, top, right, bottom = look.box.T
    wide, tall = right - left, bottom - top
    return {
        "left": left / width,
        "right": right / width,
        "off_centre": np.abs((left + right) / (2 * width) - 0.5),
        "width": wide / width,
        "height": np.log1p(np.maximum(tall, 0) / text.line),
        "screens_down": np.log1p(np.maximum(top, 0) / SCREEN),
        "page_position": np.clip(top / height, 0, 1),
        "on_first_screen": bottom <= SCREEN,
        "area": wide * tall / (width * height),
        "fixed": rows_within(page, layout.fixed)[segments.first],
    }


def _font(page: Page, look: Looks, text: _Text, segments: Segments) -> dict[str, Values]:
    chars = segments.chars.astype(np.float64)
    ratio = look.font_size / max(text.font_size, 1.0)
    ground = _backgrounds(page)[segments.first]
    usual = most_frequent(ground, text.weight)
    return {
        "font_ratio": np.clip(ratio, 0, 4),
        "font_smaller": look.font_size < text.font_size - 0.5,
        "font_heavier": (look.font_weight - text.font_weight) / 100,
        "font_size_popularity": popularity(look.font_size, chars),
        "color_popularity": popularity(look.color, chars),
        "color_distance": _color_distance(look.color, text.color),
        "background_differs": ground != usual,
        "aligned_otherwise": look.align != text.align,
        "centred": look.align == 1,
    }


def _backgrounds(page: Page) -> npt.NDArray[np.int64]:
    """The colour behind each row: its own, or that of the closest element that paints one."""
    assert page.layout is not None
    found = page.layout.background.astype(np.int64)
    painted = np.flatnonzero((found >= 0) & (page.tag != TEXT))
    behind = np.full(len(page), -1, dtype=np.int64)
    for row in painted.tolist():  # outer ones come first, inner ones paint over them
        behind[row : page.end[row]] = found[row]
    return behind


def _color_distance(colors: npt.NDArray[np.int64], usual: int) -> Values:
    shifts = np.array([16, 8, 0])
    parts = (colors[:, None] >> shifts) & 255
    distance: Values = np.abs(parts - ((usual >> shifts) & 255)).sum(axis=1) / 765
    return distance


def _column(look: Looks, text: _Text) -> dict[str, Values]:
    left, top, right, bottom = look.box.T
    width = max(text.right - text.left, 1.0)
    inside = np.maximum(np.minimum(right, text.right) - np.maximum(left, text.left), 0)
    order = np.argsort(top, kind="stable")
    above = np.empty(len(top))
    above[order] = np.cumsum(text.weight[order]) - text.weight[order]
    return {
        "column_overlap": inside / np.maximum(right - left, 1.0),
        "column_cover": inside / width,
        "left_of_column": np.clip((left - text.left) / width, -2, 2),
        "right_of_column": np.clip((right - text.right) / width, -2, 2),
        "above_text": np.log1p(np.maximum(text.top - bottom, 0) / text.line),
        "below_text": np.log1p(np.maximum(top - text.bottom, 0) / text.line),
        "column_rank": above / max(float(text.weight.sum()), 1.0),
    }


def _frames(page: Page, segments: Segments, text: _Text) -> dict[str, Values]:
    layout = page.layout
    assert layout is not None
    weight = np.bincount(segments.first, weights=text.weight, minlength=len(page))
    held = subtrees.sums(page, weight)
    whole = max(float(text.weight.sum()), 1.0)
    element = page.tag != TEXT
    frame = element & ((layout.border > 0) | layout.background_image)
    partial = frame & (held < 0.95 * whole)
    quoted = rows_within(page, mask("blockquote")[page.tag])
    framed = rows_within(page, partial) & ~quoted
    share = np.ones(len(page))
    boxed = element & ((layout.border > 0) | layout.background_image | (layout.background >= 0))
    for row in boxed.nonzero()[0].tolist():
        share[row : page.end[row]] = held[row] / whole
    return {
        "framed": framed[segments.first],
        "frame_share": share[segments.first],
        "rule_above": (layout.rule > 0)[segments.block],
    }


def _gaps(look: Looks, text: _Text) -> dict[str, Values]:
    left, top, _, bottom = look.box.T
    gap = np.clip((top[1:] - bottom[:-1]) / text.line, -FARTHEST, FARTHEST)
    beside = (top[1:] < bottom[:-1]) & (bottom[1:] > top[:-1])
    alike = (look.font_size[1:] == look.font_size[:-1]) & (
        look.font_weight[1:] == look.font_weight[:-1]
    )
    return {
        "gap_before": np.append(FARTHEST, gap),
        "gap_after": np.append(gap, FARTHEST),
        "beside_before": np.append(0.0, beside),
        "beside_after": np.append(beside, 0.0),
        "same_left_before": np.append(0.0, np.abs(left[1:] - left[:-1]) < 2),
        "same_font_before": np.append(0.0, alike),
    }


def _pictures(page: Page, look: Looks, text: _Text) -> dict[str, Values]:
    """The area of pictures near each segment, and the distance to the closest one above it."""
    layout = page.layout
    assert layout is not None
    rows = np.flatnonzero(_PICTURES[page.tag] & layout.visible)
    x0, y0, x1, y1 = (side[rows].astype(np.float64) for side in
                      (layout.x0, layout.y0, layout.x1, layout.y1))  # fmt: skip
    area = (x1 - x0) * (y1 - y0)
    large = area >= SMALLEST_PICTURE
    x0, y0, x1, y1, area = x0[large], y0[large], x1[large], y1[large], area[large]
    count = len(look.box)
    if not len(area):
        return {"picture_area": np.zeros(count), "picture_above": np.full(count, _FAR)}
    near, above = np.zeros(count), np.full(count, _FAR)
    for at, (left, top, right, bottom) in enumerate(look.box.tolist()):
        meets = (x0 < right) & (x1 > left)
        close = meets & (y0 < bottom + NEAR) & (y1 > top - NEAR)
        near[at] = area[close].sum()
        ends = top - y1[meets & (y1 <= top + 4)]
        if len(ends):
            above[at] = np.log1p(max(float(ends.min()), 0.0) / text.line)
    return {"picture_area": np.minimum(near / (SCREEN * 1280), 2), "picture_above": above}


def _engine(look: Looks, segments: Segments, share: Floats, is_article: float) -> dict[str, Values]:
    words = segments.words.astype(np.float64) + 1
    known = share.astype(np.float64)
    make = np.unique(
        np.column_stack((look.font_size, look.font_weight, np.round(look.box[:, 0] / 4))),
        axis=0, return_inverse=True,
    )[1].ravel()  # fmt: skip
    alike = np.bincount(make, known * words) / np.bincount(make, words)
    kernel = np.ones(11)
    around = np.convolve(known * words, kernel, "same")[: len(known)] if len(known) > 10 else (
        np.full(len(known), float((known * words).sum())))  # fmt: skip
    total = np.convolve(words, kernel, "same")[: len(known)] if len(known) > 10 else (
        np.full(len(known), float(words.sum())))  # fmt: skip
    return {
        "share": known,
        "share_before": np.append(0.0, known[:-1]),
        "share_after": np.append(known[1:], 0.0),
        "share_around": around / total,
        "share_alike": alike[make],
        "log_words": np.log1p(segments.words),
        "links": segments.link_chars / np.maximum(segments.chars, 1),
        "is_article": np.full(len(known), is_article),
    }
