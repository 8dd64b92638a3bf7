"""Finds the caption of a picture by where it is drawn (the layouts of the paper in `images`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Final, TypeAlias

import numpy as np

from tearsheet.components._caption_text import (
    LEVELS,
    LONGEST_CAPTION,
    button_pattern,
    may_be_caption,
)
from tearsheet.tags import CODES, PICTURES, TEXT
from tearsheet.types import Bools, Box, Floats, Layout, Page, Segments

Boxes: TypeAlias = tuple[Floats, Floats, Floats, Floats]
LINE_SPACES: Final = 2.0
"""Largest distance between a picture and the caption below it, in lines (§2.4)."""
_FRAME: Final = 3.0  # largest frame around picture and caption, in areas of the picture
_LINE: Final = 1.4  # height of a line, in font sizes
_SAME_SIZE: Final = 0.1  # pixels by which equal font sizes may differ
_TOUCH: Final = 4.0  # pixels by which boxes may overlap
_THIN: Final = 4.0  # pixels: most of a line that is a painted element


def find_by_layout(
    page: Page, at: Layout, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[list[int], str]:
    """The segments of the caption: by the paper's layouts, then on the picture, then above it."""
    may_be = _candidates(page, at, segments, kept)
    box = (float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row]))
    lines = _segment_boxes(at, segments)
    if found := _find_in_frame(page, at, segments, row, may_be):
        return found, "in one frame"
    places: tuple[tuple[str, Callable[..., Bools]], ...] = (
        ("below, as drawn", _is_below),
        ("on the right", _is_right),
        ("on the picture", _is_on),
        ("above, as drawn", _is_above),
    )
    for rule, test in places:
        near = may_be & test(lines, box, at.font_size[segments.first])
        if rule.startswith("above"):
            near &= (segments.first >= frame) & (segments.first < page.end[frame])
        found = np.flatnonzero(near).tolist()
        free = [i for i in found if not _is_parted(page, at, lines, kept, box, i)]
        if free:
            return [min(free, key=lambda i: abs(float(lines[1][i]) - box[3]))], rule
    return [], ""


def _candidates(page: Page, at: Layout, segments: Segments, kept: Bools) -> Bools:
    """Marks the segments that are not body text, not larger than it, and not all link."""
    sizes, body = at.font_size[segments.first], _body_size(at, segments, kept)
    may_be = ~kept & (sizes <= body + _SAME_SIZE) & (segments.link_chars < segments.chars)
    may_be &= at.visible[segments.first] & (segments.chars <= LONGEST_CAPTION)
    for i in np.flatnonzero(may_be).tolist():
        if button_pattern().match(segments.text[i]) or not may_be_caption(page, segments, i):
            may_be[i] = False
    return may_be


def _body_size(at: Layout, segments: Segments, kept: Bools) -> float:
    """The font size of most characters of the body text."""
    sizes = at.font_size[segments.first][kept]
    known, which = np.unique(sizes, return_inverse=True)
    return float(known[np.argmax(np.bincount(which, weights=segments.chars[kept]))])


def _segment_boxes(at: Layout, segments: Segments) -> tuple[Floats, Floats, Floats, Floats]:
    """Left, top, right and bottom of each segment."""
    first, last = segments.first, segments.last
    return (
        np.minimum(at.x0[first], at.x0[last]),
        np.minimum(at.y0[first], at.y0[last]),
        np.maximum(at.x1[first], at.x1[last]),
        np.maximum(at.y1[first], at.y1[last]),
    )


def _find_in_frame(
    page: Page, at: Layout, segments: Segments, row: int, may_be: Bools
) -> list[int]:
    """Layout 1: the candidates in the smallest frame around the picture, which has a border on all
    sides or a background of its own and is not much larger than the picture."""
    area = max((at.x1[row] - at.x0[row]) * (at.y1[row] - at.y0[row]), 1.0)
    for above in islice(page.ancestors(row), LEVELS):
        own = (at.x1[above] - at.x0[above]) * (at.y1[above] - at.y0[above])
        if own > _FRAME * area or page.tag[above] == CODES["body"]:
            return []
        if at.border[above] > 0 or at.background[above] >= 0 or at.background_image[above]:
            inside = (segments.first >= above) & (segments.first < page.end[above])
            return np.flatnonzero(may_be & inside).tolist()
    return []


def _is_below(lines: Boxes, box: Box, size: Floats) -> Bools:
    """Layout 2: below the picture, at most two lines away."""
    gap = lines[1] - box[3]
    beside = (lines[0] < box[2]) & (lines[2] > box[0])
    return beside & (gap > -_TOUCH) & (gap < LINE_SPACES * _LINE * size)


def _is_right(lines: Boxes, box: Box, size: Floats) -> Bools:
    """Layout 3: to the right of the picture, at most two lines away."""
    gap = lines[0] - box[2]
    beside = (lines[1] < box[3]) & (lines[3] > box[1])
    return beside & (gap > -_TOUCH) & (gap < LINE_SPACES * _LINE * size)


def _is_on(lines: Boxes, box: Box, size: Floats) -> Bools:
    inside = (lines[0] >= box[0] - _TOUCH) & (lines[2] <= box[2] + _TOUCH)
    return inside & (lines[1] >= box[1] - _TOUCH) & (lines[3] <= box[3] + _TOUCH)


def _is_above(lines: Boxes, box: Box, size: Floats) -> Bools:
    gap = box[1] - lines[3]
    beside = (lines[0] < box[2]) & (lines[2] > box[0])
    return beside & (gap > -_TOUCH) & (gap < LINE_SPACES * _LINE * size)


def find_literal_caption(page: Page, segments: Segments, row: int, kept: Bools) -> tuple[str, str]:
    """The caption of a drawn picture by the letter of §2.4, and the layout that found it."""
    at = page.layout
    assert at is not None
    may_be = ~kept & at.visible[segments.first] & (segments.link_chars < segments.chars)
    may_be &= at.font_size[segments.first] <= _body_size(at, segments, kept) + _SAME_SIZE
    if found := _find_in_visible_frame(page, at, segments, row, kept, may_be):
        return " ".join(segments.text[i] for i in found), "in one frame"
    box = (float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row]))
    lines, size = _segment_boxes(at, segments), at.font_size[segments.first]
    for rule, test in (("below", _is_below), ("on the right", _is_right)):
        near = np.flatnonzero(may_be & test(lines, box, size)).tolist()
        free = [i for i in near if not _is_parted(page, at, lines, kept, box, i)]
        if free:
            return segments.text[min(free, key=lambda i: abs(float(lines[1][i]) - box[3]))], rule
    return "", ""


def _find_in_visible_frame(
    page: Page, at: Layout, segments: Segments, row: int, kept: Bools, may_be: Bools
) -> list[int]:
    """The candidates in the smallest frame around a picture: an element with a border on all sides
    or a background picture that does not hold the whole text (§2.2.2, §2.4)."""
    for above in page.ancestors(row):
        inside = (segments.first >= above) & (segments.first < page.end[above])
        if not (kept & ~inside).any():
            return []
        if at.border[above] > 0 or at.background_image[above]:
            return np.flatnonzero(may_be & inside).tolist()
    return []


def is_labelled_advertisement(page: Page, segments: Segments, row: int) -> bool:
    """Whether "advertisement" is drawn closely above or below a picture (§2.4)."""
    at = page.layout
    assert at is not None
    box = (float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row]))
    lines, size = _segment_boxes(at, segments), at.font_size[segments.first]
    near = at.visible[segments.first] & (_is_below(lines, box, size) | _is_above(lines, box, size))
    return any("advertisement" in segments.text[i].lower() for i in np.flatnonzero(near))


def _is_parted(page: Page, at: Layout, lines: Boxes, kept: Bools, box: Box, i: int) -> bool:
    """Whether a line or body text is drawn between the picture and segment i below it or on its
    right (§2.4)."""
    left, top = float(lines[0][i]), float(lines[1][i])
    rows = np.flatnonzero(_drawn_lines(page))
    rules = at.x0[rows], at.y0[rows], at.x1[rows], at.y1[rows]
    if top > box[3]:
        between = _lie_below(lines, box, top), _lie_below(rules, box, top)
    elif left > box[2]:
        between = _lie_right(lines, box, left), _lie_right(rules, box, left)
    else:
        return False
    return bool((kept & between[0]).any() or between[1].any())


def _lie_below(boxes: Boxes, box: Box, bottom: float) -> Bools:
    """Marks the boxes between the lower edge of a picture and another one below."""
    x0, y0, x1, y1 = boxes
    over = (x0 < box[2]) & (x1 > box[0])
    return over & (y0 >= box[3] - _TOUCH) & (y1 <= bottom + _TOUCH)


def _lie_right(boxes: Boxes, box: Box, right: float) -> Bools:
    """Marks the boxes between the right edge of a picture and another one further right."""
    x0, y0, x1, y1 = boxes
    beside = (y0 < box[3]) & (y1 > box[1])
    return beside & (x0 >= box[2] - _TOUCH) & (x1 <= right + _TOUCH)


@lru_cache(1)  # for all pictures of a page
def _drawn_lines(page: Page) -> Bools:
    """Marks the elements that draw a line: `<hr>`, or a thin or bordered one with nothing in it."""
    at = page.layout
    assert at is not None
    rows = np.arange(len(page))
    empty = (page.end == rows + 1) & (page.tag != TEXT) & ~PICTURES[page.tag]
    thin = np.minimum(at.x1 - at.x0, at.y1 - at.y0) <= _THIN
    painted = (at.rule > 0) | ((at.background >= 0) & thin)
    found: Bools = (page.tag == CODES["hr"]) | (at.visible & empty & painted)
    return found
