"""Removes two things from the kept text that are not the article's own: advertisements and pull
quotes.

Methods judge a line by itself and its neighbours; these two show only in the whole page. A line is
an advertisement if it shares a small element with a label that says so. A quotation is a pull quote
if it is set apart and repeats the text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np

from tearsheet.components._compare import only_letters_by_line
from tearsheet.components._wording import find_advertisements
from tearsheet.segments import find_texts
from tearsheet.tags import mask
from tearsheet.types import Bools, Clipping, Ints, Page, Segments

SMALL: Final = 300
"""Most characters of an advertisement within the text."""
SHORTEST: Final = 20
"""Fewest letters of a pull quote; a shorter text may well occur twice."""

_MOST: Final = 200  # quotations that are compared; no article has more
_APART: Final = mask("aside", "blockquote", "figure")
_AROUND: Final = 4  # elements, itself and those around it, that set a quotation apart
_HINTS: Final = ("pull", "quote", "zitat", "citat")
"""Every match of the pattern contains one of these, in any letter case."""
_PULLED: Final = re.compile(r' class="[^"]*(?:\bpull|[-_]pull|pulled|quote|zitat|citat)', re.I)


def drop_asides(clipping: Clipping) -> Clipping:
    """The clipping without advertisements and pull quotes among the segments that it keeps."""
    page, segments, verdict = clipping.page, clipping.segments, clipping.verdict
    keep = verdict.keep & ~_mark_advertisements(page, segments)
    if max(verdict.page_type, key=verdict.page_type.__getitem__, default="") != "forum":
        keep &= ~_mark_pull_quotes(page, segments, keep)  # answers quote what they answer
    if (keep == verdict.keep).all():
        return clipping
    return replace(clipping, verdict=replace(verdict, keep=keep))


def _mark_advertisements(page: Page, segments: Segments) -> Bools:
    """Marks the segments in a small element with a label that says "advertisement"."""
    found = np.zeros(len(segments), dtype=np.bool_)
    labels = find_advertisements(segments.text)
    if not labels:
        return found
    chars = np.concatenate(([0], np.cumsum(segments.chars, dtype=np.int64)))
    for i in labels:
        around = int(page.parent[segments.block[i]])
        low, high = segments.first.searchsorted((around, page.end[around]))
        if chars[high] - chars[low] <= SMALL:
            found[low:high] = True
    return found


def _mark_pull_quotes(page: Page, segments: Segments, keep: Bools) -> Bools:
    """Marks the kept segments that are set apart and repeat a part of the other kept text."""
    set_off = keep.copy()
    set_off[keep] = _are_set_apart(page, segments.block[keep])
    found = np.zeros(len(segments), dtype=np.bool_)
    if not set_off.any() or set_off[keep].all():
        return found
    apart = set_off.nonzero()[0][:_MOST].tolist()
    letters = _join_letters(segments, apart).split("\n")
    quotes = [(i, quote) for i, quote in zip(apart, letters) if len(quote) >= SHORTEST]
    text = _join_letters(segments, np.flatnonzero(keep & ~set_off).tolist() if quotes else [])
    for i, quote in quotes:
        found[i] = quote in text
    return found


def _join_letters(segments: Segments, lines: list[int]) -> str:
    """The letters of these segments, a line each."""
    return only_letters_by_line("\n".join([segments.text[i] for i in lines]))


def _are_set_apart(page: Page, blocks: Ints) -> Bools:
    """For each of these rows: whether it, or an element close around it, is set apart."""
    apart = _APART.take(page.tag)
    attrs = page.all_attrs
    if named := [i for i in find_texts(attrs, _HINTS, any_case=True) if _PULLED.search(attrs[i])]:
        names = np.zeros(len(attrs), dtype=np.bool_)
        names[named] = True
        apart |= names.take(page.attrs_at)
    found = apart.take(blocks)
    for _ in range(_AROUND - 1):
        blocks = page.parent.take(blocks, mode="clip")
        found |= apart.take(blocks, mode="clip")
    return found
