"""Makes kept parts whole: adds notes that the text refers to, completes tables, drops headings
without text.

Methods judge a line by itself and its neighbours. They may keep a sentence and drop the note that
it refers to, keep one row of ten of a table, or end with the heading of a list that was dropped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.article import listings, notes, tables
from tearsheet.languages import phrases
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Bools, Clipping, Page, Segments

_TABLE: Final = CODES["table"]
_PRE: Final = CODES["pre"]
_TEXTLESS: Final = mask(
    *"img picture video audio iframe table math svg canvas object embed".split()
)
"""Elements without text that justify the heading above them."""
_CONTINUOUS_TYPES: Final = frozenset(("article", "documentation"))
"""Kinds of page that are read from the beginning to the end."""
_MOST_NOTES: Final = 0.5
"""Most words of added notes per word of the text; a bibliography may be longer."""
_MOSTLY: Final = 0.5
"""Share of a table's characters that must be kept for it to be kept whole."""
_LARGEST_TABLE: Final = 400
"""Most cells; a larger table stays as the method chose."""
_LONGEST_LABEL: Final = 4
"""Most words of a line such as "Related:"."""
_BOXES_UP: Final = 3
_MOST_BOXES: Final = 500
"""Most tables and listings that are examined: a page may have any number."""


def keep_whole(clipping: Clipping) -> Clipping:
    """The clipping with the notes and cells that were missing, and without labels of nothing."""
    page, segments, verdict = clipping.page, clipping.segments, clipping.verdict
    if not verdict.keep.any():
        return clipping
    keep = verdict.keep.copy()
    kind = max(verdict.page_type, key=verdict.page_type.__getitem__, default="article")
    if kind in _CONTINUOUS_TYPES:  # the tables and numbers of a shop are for finding something
        _keep_tables(page, segments, keep)
        _keep_listings(page, segments, keep)
        _keep_notes(page, segments, keep)
    _drop_code_bars(page, segments, keep)
    _drop_last_labels(page, segments, keep)
    if (keep == verdict.keep).all():
        return clipping
    return replace(clipping, verdict=replace(verdict, keep=keep))


def _keep_notes(page: Page, segments: Segments, keep: Bools) -> None:
    """Keeps the notes that kept text refers to."""
    rows = np.flatnonzero(page.tag == CODES["a"])
    kept = rows[_are_kept(segments, keep, rows)].tolist()
    links = [row for row in kept if "#" in page.attrs[row]]
    if not links:
        return
    local = notes.find_local_links(page, links)
    lines = np.zeros(len(keep), dtype=np.bool_)
    for _, target in notes.pair_references(page, local):
        low, high = segments.first.searchsorted((target, page.end[target]))
        lines[low:high] = True
    added = lines & ~keep  # many are hidden until a reader asks for them
    if int(segments.words[added].sum()) <= _MOST_NOTES * int(segments.words[keep].sum()):
        keep |= added


def _are_kept(segments: Segments, keep: Bools, rows: npt.NDArray[np.intp]) -> Bools:
    """Which rows stand in a kept segment, or right before its text."""
    at = segments.last.searchsorted(rows)
    found: Bools = (at < len(keep)) & keep.take(at, mode="clip")
    return found & (segments.first.take(at, mode="clip") <= rows + 3)


def _keep_tables(page: Page, segments: Segments, keep: Bools) -> None:
    """Keeps or drops each table of data as a whole, as most of its text is."""
    for row in page.rows(_TABLE)[:_MOST_BOXES]:
        low, high = segments.first.searchsorted((row, page.end[row]))
        inside = slice(int(low), int(high))
        kept = keep[inside]
        if not kept.any() or kept.all() or high - low > _LARGEST_TABLE:
            continue
        rows = list(range(row + 1, int(page.end[row])))
        if _TABLE in page.tag[rows] or not tables.is_data_table(page, row, rows):
            continue
        chars = segments.chars[inside]
        if chars.sum() > segments.chars[keep].sum() - chars[kept].sum():
            continue  # the page is about this table, and the method has judged it as a whole
        share = chars[kept].sum() / max(int(chars.sum()), 1)
        keep[inside] = (share >= _MOSTLY) & ~(segments.hidden[inside] & ~kept)


def _keep_listings(page: Page, segments: Segments, keep: Bools) -> None:
    """Keeps listings of code whole if any of their lines is kept."""
    for row in page.rows(_PRE):
        low, high = (int(at) for at in segments.first.searchsorted((row, page.end[row])))
        if keep[low:high].any():
            keep[low:high] |= ~segments.hidden[low:high]


def _drop_code_bars(page: Page, segments: Segments, keep: Bools) -> None:
    """Drops the bars of listings: the name of the language, "Copy"."""
    for row in page.rows(_PRE)[:_MOST_BOXES]:
        at = int(segments.first.searchsorted(row))
        after = int(segments.first.searchsorted(page.end[row]))
        box = _listing_box(page, row)
        for line in (*range(max(at - 3, 0), at), *range(after, min(after + 2, len(keep)))):
            if keep[line] and box <= segments.first[line] < page.end[box]:
                keep[line] = not _is_bar(segments.text[line])


def _listing_box(page: Page, row: int) -> int:
    """The largest element close around a listing that has no other listing."""
    box = row
    for _ in range(_BOXES_UP):
        up = int(page.parent[box])
        listed = np.count_nonzero(page.tag[up : page.end[up]] == _PRE)
        if up < 0 or listed > 2 or page.tag[up] == CODES["body"]:
            break
        box = up
    return box


def _is_bar(text: str) -> bool:
    name = text.strip(" !").casefold()
    return name in listings.LANGUAGES or name in phrases("code_button")


def _drop_last_labels(page: Page, segments: Segments, keep: Bools) -> None:
    """Drops headings, and labels such as "Related:", that nothing kept follows."""
    kept = keep.nonzero()[0]
    for last in kept[:0:-1].tolist():
        block, end = int(segments.block[last]), int(segments.last[last]) + 1
        following = int(segments.first[last + 1]) if last + 1 < len(keep) else len(page)
        if _TEXTLESS[page.tag[end:following]].any() or not _is_label(page, segments, last, block):
            return
        keep[last] = False


def _is_label(page: Page, segments: Segments, line: int, block: int) -> bool:
    words = int(segments.words[line])
    is_heading = bool(HEADINGS[page.tag[block]]) and page.tag[block] != CODES["h1"]
    return is_heading or (words <= _LONGEST_LABEL and segments.text[line].endswith((":", "：")))
