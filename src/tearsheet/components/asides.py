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

from tearsheet.components._compare import letters, letters_by_line, lower_bytes
from tearsheet.components._wording import advertisement_labels
from tearsheet.tags import mask
from tearsheet.types import Bools, Clipping, Ints, Page, Segments

SMALL: Final = 300
"""Characters that an advertisement among the text may have."""
SHORTEST: Final = 20
"""Letters of a pull quote; less may well be said twice."""

_MOST: Final = 200  # pull quotes that are looked for: no article has more
_APART: Final = mask("aside", "blockquote", "figure")
_AROUND: Final = 4  # elements, itself and those around it, that set a quotation apart
_MORE_SIGNS: Final = 4  # around a label: "– Anzeige –"
_HINTS: Final = (b"pull", b"quote", b"zitat", b"citat")
_PULLED: Final = re.compile(r' class="[^"]*(?:\bpull|[-_]pull|pulled|quote|zitat|citat)', re.I)


def drop_asides(clipping: Clipping) -> Clipping:
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
    labels = _find_labels(segments)
    if not labels:
        return found
    chars = np.concatenate(([0], np.cumsum(segments.chars, dtype=np.int64)))
    for i in labels:
        around = int(page.parent[segments.block[i]])
        low, high = np.searchsorted(segments.first, (around, page.end[around]))
        if chars[high] - chars[low] <= SMALL:
            found[low:high] = True
    return found


def _find_labels(segments: Segments) -> list[int]:
    """The segments that say "advertisement" and nothing else."""
    known = advertisement_labels()
    longest = max(map(len, known)) + _MORE_SIGNS
    short = np.flatnonzero(segments.chars <= longest).tolist()
    words = [i for i in short if " " not in segments.text[i]]
    lines = letters_by_line("\n".join([segments.text[i] for i in words])).split("\n")
    return [i for i, line in zip(words, lines) if line in known]


def _pulled(page: Page, segments: Segments, keep: Bools) -> Bools:
    """The kept segments that stand apart and say what a longer kept one says."""
    set_off = keep.copy()
    set_off[keep] = _set_off(page, segments.block[keep])
    found = np.zeros(len(segments), dtype=np.bool_)
    if not set_off.any() or set_off[keep].all():
        return found
    apart = [(i, letters(segments.text[i])) for i in np.flatnonzero(set_off)[:_MOST].tolist()]
    quotes = [(i, said) for i, said in apart if len(said) >= SHORTEST]
    rest = np.flatnonzero(keep & ~set_off).tolist() if quotes else []
    text = "\n".join([letters(segments.text[i]) for i in rest])
    for i, said in quotes:
        found[i] = said in text
    return found


def _set_off(page: Page, blocks: Ints) -> Bools:
    """For each of these rows: whether it, or one of the elements close around it, stands apart."""
    around = [blocks]
    for _ in range(_AROUND - 1):
        around.append(np.maximum(page.parent.take(around[-1]), 0))
    rows = np.stack(around)
    attrs = page.attrs_at.take(rows)
    found = _APART.take(page.tag.take(rows))
    names = np.zeros(len(page.all_attrs), dtype=np.bool_)
    names[attrs] = True
    asked = np.flatnonzero(names).tolist()
    names[:] = False
    names[_called_so(page.all_attrs, asked)] = True
    found |= names.take(attrs)
    return np.asarray(found.any(axis=0), dtype=np.bool_)


def _called_so(attrs: list[str], asked: list[int]) -> list[int]:
    """Which of these have a name for quotations set apart; most pages have none."""
    names = lower_bytes([attrs[i] for i in asked])
    if not any(hint in names for hint in _HINTS):
        return []
    return [i for i in asked if _PULLED.search(attrs[i])]
