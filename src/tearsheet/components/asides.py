"""Kept text that is not the article's own: advertisements in its column, and pull quotes.

A method scores each line by itself and by its neighbours; two things only the whole page tells.
A line that shares a small element with the word "advertisement" is one; and a quotation set apart
that says what the text says is there for the eye: an article says nothing twice.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.components._compare import ADVERTISEMENT, letters, letters_by_line, lower_bytes
from tearsheet.tags import mask
from tearsheet.types import Bools, Clipping, Ints, Page, Segments
from tearsheet.views import view

Flags: TypeAlias = npt.NDArray[np.uint8]
SMALL: Final = 300
"""Characters that an advertisement among the text may have."""
SHORTEST: Final = 20
"""Letters of a pull quote; less may well be said twice."""

_MOST: Final = 200  # pull quotes that are looked for: no article has more
_LABEL: Final = max(map(len, ADVERTISEMENT)) + 4
_APART: Final = mask("aside", "blockquote", "figure")
_AROUND = 4  # elements around a quotation that set it apart
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
    labels = _labels(segments)
    if not labels:
        return found
    chars = np.concatenate(([0], np.cumsum(segments.chars, dtype=np.int64)))
    for i in labels:
        around = int(page.parent[segments.block[i]])
        low, high = np.searchsorted(segments.first, (around, page.end[around]))
        if chars[high] - chars[low] <= SMALL:
            found[low:high] = True
    return found


def _labels(segments: Segments) -> list[int]:
    """The segments that say "advertisement", and nothing else."""
    found, others = _single_words(segments.text)
    lines = letters_by_line("\n".join([segments.text[i] for i in others])).split("\n")
    return sorted(found + [i for i, line in zip(others, lines) if line in ADVERTISEMENT])


def _single_words(texts: list[str]) -> tuple[list[int], list[int]]:
    """Of the short texts of one word those that say so, and those with signs beyond letters."""
    found, others = [], []
    for i in range(len(texts)):
        text = texts[i]
        if len(text) > _LABEL or " " in text:
            continue
        if not (text.isascii() and text.isalnum()):
            others.append(i)
        elif text.lower() in ADVERTISEMENT:
            found.append(i)
    return found, others


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
    names, asked = np.zeros((2, len(page.all_attrs)), dtype=np.uint8)
    found = _marked(page, blocks, names, asked)
    called = _called_so(page.all_attrs, np.flatnonzero(asked).tolist())
    if called:
        names[called] = 1
        found = _marked(page, blocks, names, asked)
    return found


def _marked(page: Page, blocks: Ints, names: Flags, asked: Flags) -> Bools:
    found = np.zeros(len(blocks), dtype=np.uint8)
    _look_around(
        view(page.tag), view(page.parent), view(page.attrs_at), view(np.ascontiguousarray(blocks)),
        view(_APART.view(np.uint8)), view(names), view(asked), view(found),
    )  # fmt: skip
    return found.view(np.bool_)


def _look_around(
    tag: Any, parent: Any, attrs_at: Any, blocks: Any,
    apart: Any, names: Any, asked: Any, found: Any,
) -> None:  # fmt: skip
    """Marks the blocks that stand apart by their tags, or by attributes that are called so; and
    the attributes that were asked."""
    for i in range(len(blocks)):
        row = blocks[i]
        for _ in range(_AROUND):
            asked[attrs_at[row]] = 1
            if apart[tag[row]] or names[attrs_at[row]]:
                found[i] = 1
            row = max(parent[row], 0)


def _called_so(attrs: list[str], asked: list[int]) -> list[int]:
    """Which of these have a name for quotations set apart; most pages have none."""
    names = lower_bytes([attrs[i] for i in asked])
    if not any(hint in names for hint in _HINTS):
        return []
    return [i for i in asked if _PULLED.search(attrs[i])]
