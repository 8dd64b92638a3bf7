"""Page → Segments: the visible text between line breaks.

"Based on the visual attribute of line-break of DOM nodes, we identify the text segments that
generally correspond to paragraphs" (Article Clipper, §2.2.1). Where the page was rendered, the
computed `display` says where lines break and what is seen; where it was only parsed, the tags do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import methodcaller
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.tags import BLOCKS, CODES, TEXT, UNSEEN
from tearsheet.types import Bools, Ints, Page, Segments

_INVISIBLE: Final = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
_SPACES: Final = methodcaller("count", " ")
_A: Final = CODES["a"]
# Scripts written without spaces between words: Thai to Khmer, kana, Chinese characters.
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_HIDING: Final = re.compile(
    r' hidden=""| hidden="hidden"| style="[^"]*(?:display:\s*none|visibility:\s*hidden)'
)
_HIDING_WORDS: Final = (' hidden="', "display:", "visibility:")
"""One of these stands in whatever `_HIDING` finds."""


def segments(page: Page, *, hidden: bool = False) -> Segments:
    """The segments of a page, in document order; with those hidden at first when asked.

    >>> from tearsheet.page.parsed import parse
    >>> segments(parse("<h1>A</h1><p>One <b>bold</b> word.<br>Two.")).text
    ['A', 'One bold word.', 'Two.']
    """
    unseen = rows_within(page, UNSEEN[page.tag])
    written = _written(page, unseen)
    shown = _seen(page, written)
    rows = np.flatnonzero(written if hidden else shown)
    if not len(rows):
        return _none()
    breaks = page.breaks[rows]
    starts = np.flatnonzero(np.concatenate(([True], breaks[1:] != breaks[:-1])))
    first = rows[starts].astype(np.int32)
    last = rows[np.concatenate((starts[1:], [len(rows)])) - 1].astype(np.int32)
    text = _texts(page, first, last, unseen)
    link_chars = np.add.reduceat(_link_lengths(page, rows), starts)
    if not all(text):
        filled = np.array([t != "" for t in text], dtype=np.bool_)
        text = [t for t in text if t]
        first, last, link_chars = first[filled], last[filled], link_chars[filled]
    chars = np.fromiter(map(len, text), dtype=np.int32, count=len(text))
    found = Segments(
        first=first, last=last, block=block_rows(page)[first], text=text, chars=chars,
        words=_words(text), link_chars=np.minimum(link_chars, chars), hidden=~shown[first],
    )  # fmt: skip
    for column in (first, last, found.block, chars, found.words, found.link_chars, found.hidden):
        column.flags.writeable = False
    return found


def visible(page: Page) -> Bools:
    """True for the text rows that a reader sees: not blank, not hidden, not in a control."""
    return _seen(page, _written(page, rows_within(page, UNSEEN[page.tag])))


def _seen(page: Page, text: Bools) -> Bools:
    """Those of the text rows that are not hidden."""
    if page.layout is not None:
        return text & page.layout.visible
    hidden = [row for row in _suspects(page) if _HIDING.search(page.attrs[row])]
    if not hidden:
        return text
    marked = np.zeros(len(page), dtype=np.bool_)
    marked[hidden] = True
    seen = text & ~rows_within(page, marked)
    # A page that hides most of itself waits for a script to show it: then the mark says nothing.
    return seen if 2 * np.count_nonzero(seen) >= np.count_nonzero(text) else text


def _suspects(page: Page) -> Iterator[int]:
    """The rows in whose attributes a word for hiding stands; searched for in all of them at once,
    for most have none."""
    written = "\0".join(page.attrs)  # no page has this sign: the parser replaces it
    for word in _HIDING_WORDS:
        row = done = 0
        while (at := written.find(word, done)) >= 0:
            row += written.count("\0", done, at)
            yield row
            done = at + len(word)


def _written(page: Page, unseen: Bools) -> Bools:
    """True for the text rows that are not blank, a control's or a script's."""
    written: Bools = (page.tag == TEXT) & ~unseen
    rows, text = np.flatnonzero(written), page.text
    written[rows] = [not text[row].isspace() for row in rows.tolist()]
    return written


def _link_lengths(page: Page, rows: npt.NDArray[np.intp]) -> Ints:
    """The characters of those rows that stand in links; 0 for the others."""
    lengths = np.zeros(len(rows), dtype=np.int32)
    linked = rows_within(page, page.tag == _A)[rows]
    lengths[linked] = [len(page.text[row].strip()) for row in rows[linked].tolist()]
    return lengths


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


def _texts(page: Page, first: Ints, last: Ints, unseen: Bools) -> list[str]:
    """The text of each segment, white space folded."""
    cut = np.concatenate(([0], np.cumsum(unseen & (page.tag == TEXT))))
    mixed = cut[last + 1] > cut[first]
    texts, rows = [], page.text
    whole = "".join(rows)
    invisible = dict.fromkeys(ord(sign) for sign in _INVISIBLE if sign in whole)
    for i, j, some_unseen in zip(first.tolist(), last.tolist(), mixed.tolist(), strict=True):
        if i == j:
            line = rows[i]
        elif some_unseen:
            pairs = zip(rows[i : j + 1], unseen[i : j + 1].tolist(), strict=True)
            line = "".join([part for part, out in pairs if not out])
        else:
            line = "".join(rows[i : j + 1])
        if invisible:
            line = line.translate(invisible)
        texts.append(" ".join(line.split()))
    return texts


def _words(texts: list[str]) -> Ints:
    """The words of each text."""
    words = np.fromiter(map(_SPACES, texts), dtype=np.int32, count=len(texts)) + np.int32(1)
    signs = "".join([text for text in texts if not text.isascii()])
    if len(signs) and _has_unspaced(signs):
        words += np.array([len(_UNSPACED.findall(text)) // 2 for text in texts], dtype=np.int32)
    return words


def _has_unspaced(text: str) -> bool:
    """Whether a text may have signs of the scripts without spaces; the regular expression that
    knows takes long to say no."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return bool(
        (((codes >= 0xE00) & (codes < 0x1800)) | ((codes >= 0x3040) & (codes < 0xA000))).any()
    )


def _none() -> Segments:
    empty = np.zeros(0, dtype=np.int32)
    return Segments(empty, empty, empty, [], empty, empty, empty, empty.astype(np.bool_))
