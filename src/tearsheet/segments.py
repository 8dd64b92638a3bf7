"""Page → Segments: the visible text between line breaks.

"Based on the visual attribute of line-break of DOM nodes, we identify the text segments that
generally correspond to paragraphs" (Article Clipper, §2.2.1). Where the page was rendered, the
computed `display` says where lines break and what is seen; where it was only parsed, the tags do.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.tags import BLOCKS, CODES, TEXT, UNSEEN
from tearsheet.types import Bools, Ints, Page, Segments

_INVISIBLE: Final = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
# Scripts written without spaces between words: Thai to Khmer, kana, Chinese characters.
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_HIDING: Final = re.compile(
    r' hidden=""| hidden="hidden"| style="[^"]*(?:display:\s*none|visibility:\s*hidden)'
)


def segments(page: Page, *, hidden: bool = False) -> Segments:
    """The segments of a page, in document order; with those hidden at first when asked.

    >>> from tearsheet.page.parsed import parse
    >>> segments(parse("<h1>A</h1><p>One <b>bold</b> word.<br>Two.")).text
    ['A', 'One bold word.', 'Two.']
    """
    written = _written(page)
    shown = _seen(page, written)
    rows = np.flatnonzero(written if hidden else shown)
    if not len(rows):
        return _none()
    breaks = page.breaks[rows]
    starts = np.flatnonzero(np.diff(breaks, prepend=breaks[0] - 1))
    first = rows[starts].astype(np.int32)
    last = rows[np.append(starts[1:], len(rows)) - 1].astype(np.int32)
    text = _texts(page, first, last)
    filled = np.array([t != "" for t in text], dtype=np.bool_)
    linked = rows_within(page, page.tag == CODES["a"])[rows]
    lengths = np.zeros(len(rows), dtype=np.int32)
    lengths[linked] = [len(page.text[row].strip()) for row in rows[linked].tolist()]
    link_chars = np.add.reduceat(lengths, starts).astype(np.int32)
    if not filled.all():
        text = [t for t in text if t]
        first, last, link_chars = first[filled], last[filled], link_chars[filled]
    chars = np.array([len(t) for t in text], dtype=np.int32)
    found = Segments(
        first=first, last=last, block=block_rows(page)[first], text=text, chars=chars,
        words=np.array([_words(t) for t in text], dtype=np.int32),
        link_chars=np.minimum(link_chars, chars), hidden=~shown[first],
    )  # fmt: skip
    for column in (first, last, found.block, chars, found.words, found.link_chars, found.hidden):
        column.flags.writeable = False
    return found


def visible(page: Page) -> Bools:
    """True for the text rows that a reader sees: not blank, not hidden, not in a control."""
    return _seen(page, _written(page))


def _seen(page: Page, text: Bools) -> Bools:
    """Those of the text rows that are not hidden."""
    if page.layout is not None:
        return text & page.layout.visible
    suspects = [i for i, raw in enumerate(page.attrs) if raw and ("hidden" in raw or "none" in raw)]
    hidden = np.zeros(len(page), dtype=np.bool_)
    hidden[[i for i in suspects if _HIDING.search(page.attrs[i])]] = True
    if not hidden.any():
        return text
    seen = text & ~rows_within(page, hidden)
    # A page that hides most of itself waits for a script to show it: then the mark says nothing.
    return seen if 2 * np.count_nonzero(seen) >= np.count_nonzero(text) else text


def _written(page: Page) -> Bools:
    """True for the text rows that are not blank, a control's or a script's."""
    text = np.zeros(len(page), dtype=np.bool_)
    rows = np.flatnonzero(page.tag == TEXT)
    text[rows] = [not page.text[row].isspace() for row in rows.tolist()]
    return text & ~rows_within(page, UNSEEN[page.tag])


def rows_within(page: Page, chosen: Bools) -> Bools:
    """True for every row in the subtree of a chosen row."""
    tops = np.flatnonzero(chosen)
    change = np.bincount(tops, minlength=len(page) + 1)
    change -= np.bincount(page.end[tops], minlength=len(page) + 1)
    return np.cumsum(change[:-1]) > 0


def block_rows(page: Page) -> Ints:
    """For each row: itself, or the closest element above it, that breaks lines."""
    here = np.arange(len(page), dtype=np.int32)
    up = np.where(BLOCKS[page.tag] | (page.parent < 0), here, page.parent)
    while True:  # each round doubles the step, so depth costs its logarithm
        further = up[up]
        if np.array_equal(further, up):
            return up
        up = further


def _texts(page: Page, first: Ints, last: Ints) -> list[str]:
    """The text of each segment, white space folded."""
    unseen = rows_within(page, UNSEEN[page.tag])
    cut = np.concatenate(([0], np.cumsum(unseen & (page.tag == TEXT))))
    mixed = cut[last + 1] > cut[first]
    texts = []
    for i, j, some_unseen in zip(first.tolist(), last.tolist(), mixed.tolist(), strict=True):
        parts = page.text[i : j + 1]
        if some_unseen:
            parts = [part for part, out in zip(parts, unseen[i : j + 1], strict=True) if not out]
        line = parts[0] if i == j else "".join(parts)
        if not line.isascii():
            for sign in _INVISIBLE:
                if sign in line:
                    line = line.replace(sign, "")
        texts.append(" ".join(line.split()))
    return texts


def _words(text: str) -> int:
    words = text.count(" ") + 1
    return words if text.isascii() else words + len(_UNSPACED.findall(text)) // 2


def _none() -> Segments:
    empty = np.zeros(0, dtype=np.int32)
    return Segments(empty, empty, empty, [], empty, empty, empty, empty.astype(np.bool_))
