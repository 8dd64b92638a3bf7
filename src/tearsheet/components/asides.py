"""Kept text that is not the article's own: advertisements in its column, and pull quotes.

A method scores each line by itself and by its neighbours; two things only the whole page tells.
A line that shares a small element with the word "advertisement" is one; and a quotation set apart
that says what the text says is there for the eye: an article says nothing twice.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np

from tearsheet.components._words import ADVERTISEMENT, letters
from tearsheet.remember import remembered
from tearsheet.tags import mask
from tearsheet.types import Bools, Clipping, Ints, Page, Segments

SMALL: Final = 300
"""Characters that an advertisement among the text may have."""
SHORTEST: Final = 20
"""Letters of a pull quote; less may well be said twice."""

_MOST: Final = 200  # pull quotes that are looked for: no article has more
_LABEL: Final = max(map(len, ADVERTISEMENT)) + 4
_APART: Final = mask("aside", "blockquote", "figure")
_AROUND: Final = 4  # elements around a quotation that set it apart
_PULLED: Final = re.compile(r' class="[^"]*(?:\bpull|[-_]pull|pulled|quote|zitat|citat)', re.I)


def left_out(clipping: Clipping) -> Clipping:
    """The clipping whose verdict keeps no advertisements and no pull quotes."""
    page, segments, verdict = clipping.page, clipping.segments, clipping.verdict
    keep = verdict.keep & ~_advertised(page, segments)
    keep &= ~_pulled(page, segments, keep)
    if np.array_equal(keep, verdict.keep):
        return clipping
    return replace(clipping, verdict=replace(verdict, keep=keep))


def _advertised(page: Page, segments: Segments) -> Bools:
    """The segments in a small element with a line that calls it an advertisement."""
    found = np.zeros(len(segments), dtype=np.bool_)
    chars = np.concatenate(([0], np.cumsum(segments.chars, dtype=np.int64)))
    for i in np.flatnonzero(segments.chars <= _LABEL).tolist():
        if " " not in segments.text[i] and letters(segments.text[i]) in ADVERTISEMENT:
            around = int(page.parent[segments.block[i]])
            low, high = np.searchsorted(segments.first, (around, page.end[around]))
            if chars[high] - chars[low] <= SMALL:
                found[low:high] = True
    return found


def _pulled(page: Page, segments: Segments, keep: Bools) -> Bools:
    """The kept segments that stand apart and say what a longer kept one says."""
    set_off = keep.copy()
    set_off[keep] = _set_off(page, segments.block[keep])
    found = np.zeros(len(segments), dtype=np.bool_)
    if not set_off.any() or set_off[keep].all():
        return found
    text = "\n".join(letters(segments.text[i]) for i in np.flatnonzero(keep & ~set_off).tolist())
    for i in np.flatnonzero(set_off)[:_MOST].tolist():
        said = letters(segments.text[i])
        found[i] = len(said) >= SHORTEST and said in text
    return found


def _set_off(page: Page, blocks: Ints) -> Bools:
    """For each of these rows: whether it, or one of the elements close around it, stands apart."""
    found = np.zeros(len(blocks), dtype=np.bool_)
    rows = blocks
    for _ in range(_AROUND):
        found |= _APART[page.tag[rows]]
        called = [_called_so(page.attrs[row]) for row in rows.tolist()]
        found |= np.array(called, dtype=np.bool_)  # of none, too
        rows = np.maximum(page.parent[rows], 0)
    return found


@remembered(4096)  # paragraphs have the same elements around them
def _called_so(raw: str) -> bool:
    return _PULLED.search(raw) is not None
