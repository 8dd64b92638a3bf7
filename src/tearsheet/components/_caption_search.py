"""Finds the caption and the credit of a picture; `images` names the paper and the deviations.

`_caption_layout` knows the layouts of a drawn page, `_caption_text` what a caption may say.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import islice, takewhile
from typing import Final

import numpy as np

from tearsheet.components._caption_layout import find_by_layout
from tearsheet.components._caption_text import (
    LEVELS,
    LONGEST_CAPTION,
    MOST_ROWS,
    button_pattern,
    may_be_caption,
    read_runs,
    read_text,
    rows_inside,
    split_credit,
)
from tearsheet.components._compare import fold, similarity
from tearsheet.components.caption_lines import says_caption
from tearsheet.features.subtrees import outermost_rows
from tearsheet.languages import any_of
from tearsheet.tags import CODES, PICTURES, TEXT, mask
from tearsheet.types import Bools, Page, Runs, Segments

_CREDIT_CLASS: Final = re.compile(
    r'(?:class|itemprop)="[^"]*(?:credit|copyright|photographer|kredit|source|quelle|urheber|'
    r"author|byline|agency|rights|owner|license|fotograf|provider)",
    re.I,
)
_CLOSE: Final = 8  # most rows between a picture's place and its caption
_SHORT: Final = 300  # most characters of a caption that only its style gives away
_SIMILAR: Final = 0.6  # least similarity of a caption to the picture's `alt`
_STYLED: Final = mask("b", "strong", "i", "em", "small", "cite")
_SLANTED: Final = mask("i", "em", "small", "cite")
_A = CODES["a"]
_FIGURE, _FIGCAPTION, _CENTER = CODES["figure"], CODES["figcaption"], CODES["center"]
_CENTRED: Final = re.compile(
    r' (?:align="center|style="[^"]*text-align:\s*center|class="[^"]*\btext-?center)', re.I
)
_ALT: Final = 20  # fewest characters of an `alt` that describes something
_NEAR: Final = 12  # most rows between a picture and a caption that was kept as text
_MOST_NAMED: Final = 64  # elements named a caption, before and after a picture, that may be its own


def find_caption(
    page: Page, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[str, Runs, str, str]:
    """The caption, its runs if it has links or marks, the credit, and the rule that found them."""
    rows, rule = _caption_rows(page, segments, row, frame, kept)
    sources = [at for at in rows_inside(page, rows) if _CREDIT_CLASS.search(page.attrs[at])]
    credit = " ".join(page.inner_text(at) for at in outermost_rows(page, sources))
    caption, named = split_credit(read_text(page, rows, sources))
    credit = " ".join((credit or named).split()).strip(" |/()[]")
    caption = caption[:LONGEST_CAPTION]
    return caption, read_runs(page, rows, caption), credit, rule if caption or credit else ""


def _caption_rows(
    page: Page, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[list[int], str]:
    """The rows that hold the caption, and the first rule that found any."""
    tag = page.tag.item
    figure = next((at for at in page.ancestors(row) if at < frame or tag(at) == _FIGURE), -1)
    if figure >= frame:
        found = np.flatnonzero(page.tag[figure : page.end[figure]] == _FIGCAPTION) + figure
        if len(found):
            return found.tolist(), "figcaption"
    around = list(takewhile(lambda at: at >= frame, page.ancestors(row)))
    called = _named_captions(page, around[-1], row) if around else []
    for at in around:
        apart = [r for r in called if at <= r < page.end[at]]
        if apart:
            return outermost_rows(page, apart)[:1], "caption class"
    line = _find_marked(page, segments, frame)
    if line >= 0:
        return _text_rows(page, segments, [line]), "caption class, after the frame"
    if lines := _find_kept(page, segments, row, kept):
        return _text_rows(page, segments, lines), "kept below"
    if page.layout is not None:
        lines, rule = find_by_layout(page, page.layout, segments, row, frame, kept)
        return _text_rows(page, segments, lines), rule
    line = _find_below(page, segments, row, frame)
    if line >= 0:
        return _text_rows(page, segments, [line]), "below"
    line = _find_after_frame(page, segments, row, frame, kept)
    if line >= 0:
        return _text_rows(page, segments, [line]), "after the frame"
    line = _find_above(page, segments, row, frame)
    return _text_rows(page, segments, [line] if line >= 0 else []), "above"


def _find_marked(page: Page, segments: Segments, frame: int) -> int:
    """The first segment after the picture's place if its tag or name says caption; -1: none."""
    i = int(segments.first.searchsorted(page.end[frame]))
    if i >= len(segments) or segments.first[i] > page.end[frame] + _CLOSE:
        return -1
    line, block = int(segments.first[i]), int(segments.block[i])
    if any(PICTURES[page.tag[at]] for at in range(int(page.end[frame]), line)):
        return -1
    marked = page.tag[block] == _FIGCAPTION or says_caption(page.attrs[block])
    return i if marked and segments.chars[i] <= LONGEST_CAPTION else -1


def _find_kept(page: Page, segments: Segments, row: int, kept: Bools) -> list[int]:
    """The lines right after a picture that were kept as text, but look like its caption: they begin
    like "Figure 2", resemble its `alt`, are all small or slanted, have the picture's link, or are
    centred like the picture while the text is not. A line right before the picture counts if it
    begins like "Figure 2"."""
    i = int(segments.first.searchsorted(row))
    if i > 0 and _is_numbered_above(page, segments, row, kept, i):
        return [i - 1]
    if i >= len(segments) or not kept[i] or segments.first[i] > row + _NEAR:
        return []
    if any(PICTURES[page.tag[at]] for at in range(row + 1, int(segments.first[i]))):
        return []
    if segments.chars[i] <= _SHORT and _leads_to_same(page, segments, row, i):
        return [i]
    if segments.chars[i] > _SHORT or not may_be_caption(page, segments, i):
        return []
    if not _looks_like_caption(page, segments, row, kept, i):
        return []
    block = segments.block[i]
    same = takewhile(lambda at: at < len(segments) and segments.block[at] == block, range(i, i + 3))
    found = list(same)
    return found if sum(segments.chars.item(at) for at in found) <= _SHORT else found[:1]


def _looks_like_caption(page: Page, segments: Segments, row: int, kept: Bools, i: int) -> bool:
    if _figure_label().match(segments.text[i]) or _is_like_alt(page, segments, row, i):
        return True
    if _is_all_slanted(page, segments, i):
        return not _is_most(kept, lambda line: _is_all_slanted(page, segments, line))
    first = segments.first.item
    return (
        _is_centred(page, first(i))
        and _is_centred(page, row)
        and not _is_most(kept, lambda line: _is_centred(page, first(line)))
    )


def _leads_to_same(page: Page, segments: Segments, row: int, i: int) -> bool:
    """Whether a line is all link, and links to the same page as the picture."""
    if segments.link_chars[i] < segments.chars[i]:
        return False
    ours, its = (_link_above(page, at) for at in (row, int(segments.first[i])))
    return bool(ours) and ours == its


def _link_above(page: Page, row: int) -> str:
    """The address of the closest link around a row; empty if none is close."""
    above = islice(page.ancestors(row), 4)
    return next((page.attribute(at, "href") or "" for at in above if page.tag[at] == _A), "")


def _is_numbered_above(page: Page, segments: Segments, row: int, kept: Bools, i: int) -> bool:
    """Whether the line before a picture is a numbered caption, and the line after it is not."""
    above, last = i - 1, int(segments.last[i - 1])
    if not kept[above] or row > last + _NEAR or segments.chars[above] > _SHORT:
        return False
    if i < len(segments) and _figure_label().match(segments.text[i]):
        return False
    is_next = not any(PICTURES[page.tag[at]] for at in range(last + 1, row))
    return (
        is_next
        and _figure_label().match(segments.text[above]) is not None
        and may_be_caption(page, segments, above)
        and not _has_picture_above(page, segments, above)
    )


def _has_picture_above(page: Page, segments: Segments, i: int) -> bool:
    """Whether a picture stands right above a line: then the line is that picture's caption."""
    start = int(segments.last[i - 1]) + 1 if i else 0
    return any(PICTURES[page.tag[at]] for at in range(start, int(segments.first[i])))


@cache
def _figure_label() -> re.Pattern[str]:
    """The beginning of a numbered caption."""
    return re.compile(
        rf"^{any_of('figure_label')}\s*\d{{1,3}}(?:[.-]\d{{1,3}})*(?:\W|$|[^\W\da-z])", re.I
    )


def _is_centred(page: Page, row: int) -> bool:
    """Whether a text or a picture is centred, as drawn, or else by the elements around it."""
    if page.layout is not None:
        up = int(page.parent[row])
        return bool(page.layout.align[up] == 1)
    above = islice(page.ancestors(row), 3)
    return any(page.tag[at] == _CENTER or _CENTRED.search(page.attrs[at]) for at in above)


def _is_most(kept: Bools, test: Callable[[int], bool]) -> bool:
    """Whether more than a third of the text's lines pass a test, so that it proves nothing."""
    lines = np.flatnonzero(kept)[:MOST_ROWS].tolist()
    return 3 * sum(map(test, lines)) > len(lines)


def _is_all_slanted(page: Page, segments: Segments, i: int) -> bool:
    """Whether all of a line is in small or slanted letters, by its tags."""
    block = int(segments.block[i])
    rows = range(int(segments.first[i]), int(segments.last[i]) + 1)
    texts = [at for at in rows if page.tag[at] == TEXT and page.text[at].strip()]
    return all(
        any(_SLANTED[page.tag[up]] for up in islice(page.ancestors(at), LEVELS) if up >= block)
        for at in texts[:MOST_ROWS]
    )


def _named_captions(page: Page, place: int, row: int) -> list[int]:
    """The elements of a place that are named a caption and do not contain the picture."""
    named = _captions_within(page, place)
    at = bisect_left(named, row)
    near = named[max(at - _MOST_NAMED, 0) : at + _MOST_NAMED]
    return [r for r in near if not r <= row < page.end[r]]


@lru_cache(1)  # the pictures of one place follow each other
def _captions_within(page: Page, place: int) -> list[int]:
    inside = enumerate(page.attrs[place : page.end[place]], place)
    return [row for row, raw in inside if raw and says_caption(raw)]


def _text_rows(page: Page, segments: Segments, lines: list[int]) -> list[int]:
    """The text rows of these segments."""
    inside = (range(segments.first[i], segments.last[i] + 1) for i in lines)
    return [row for each in inside for row in each if page.tag[row] == TEXT]


def _find_below(page: Page, segments: Segments, row: int, frame: int) -> int:
    """The first segment after the picture, within its place, that may be a caption; -1: none.

    Another picture, a heading, a byline or a text that is all link ends the search.
    """
    i = int(segments.first.searchsorted(row))
    before = row
    while i < len(segments) and segments.first[i] < page.end[frame]:
        line = int(segments.first[i])
        if any(page.tag[r] == CODES["img"] for r in range(before + 1, line)):
            return -1
        if not button_pattern().match(segments.text[i]):
            return i if may_be_caption(page, segments, i) else -1
        before, i = line, i + 1
    return -1


def _find_above(page: Page, segments: Segments, row: int, frame: int) -> int:
    """The one segment before the picture within its place, if nothing else is there; -1: none."""
    first, end = segments.first.searchsorted([frame, page.end[frame]]).tolist()
    if end - first != 1 or segments.first[first] > row or segments.chars[first] > _SHORT:
        return -1
    pictures = int((page.tag[frame : page.end[frame]] == CODES["img"]).sum())
    is_text = not button_pattern().match(segments.text[first])
    return first if pictures == 1 and is_text and may_be_caption(page, segments, first) else -1


def _find_after_frame(page: Page, segments: Segments, row: int, frame: int, kept: Bools) -> int:
    """The first segment after the picture's place if it looks like a caption and not like body
    text, by its style or because it is similar to the picture's `alt`; else -1."""
    i = int(segments.first.searchsorted(page.end[frame]))
    if i >= len(segments) or segments.first[i] > page.end[frame] + _CLOSE or kept[i]:
        return -1
    if not may_be_caption(page, segments, i):
        return -1
    is_styled = _is_styled(page, segments, i) and segments.chars[i] <= _SHORT
    return i if is_styled or _is_like_alt(page, segments, row, i) else -1


def _is_styled(page: Page, segments: Segments, i: int) -> bool:
    """Whether a line begins in small, slanted or bold letters, by its tags."""
    line, block = int(segments.first[i]), int(segments.block[i])
    return any(_STYLED[page.tag[at]] for at in page.ancestors(line) if at > block)


def _is_like_alt(page: Page, segments: Segments, row: int, i: int) -> bool:
    """Whether a line says what the picture's `alt` does."""
    alt = fold(page.attribute(row, "alt") or "")
    return len(alt) > _ALT and similarity(alt, fold(segments.text[i])[: len(alt)]) > _SIMILAR
