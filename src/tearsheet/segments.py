"""Page → Segments: the visible text between line breaks.

"Based on the visual attribute of line-break of DOM nodes, we identify the text segments that
generally correspond to paragraphs" (Article Clipper, §2.2.1). Where the page was rendered, the
computed `display` says where lines break and what is seen; where it was only parsed, the tags do.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet import tags
from tearsheet.tags import BLOCKS, UNSEEN, mask
from tearsheet.types import Bools, Ints, Page, Segments
from tearsheet.views import view

try:
    from tearsheet._core import hints
except ImportError:  # it is not compiled
    hints = None  # type: ignore[assignment]

_INVISIBLE: Final = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_HIDING: Final = re.compile(
    r' hidden=""| hidden="hidden"| style="[^"]*(?:display:\s*none|visibility:\s*hidden)'
)
_HINTS: Final = (' hidden="', "display:", "visibility:")
_COMPILED = not __file__.endswith(".py")
TEXT = tags.TEXT
# What is known of a row, a bit each.
_WRITTEN, _SHOWN, _APART, _LINKED = 1, 2, 4, 8
# What a tag says of the rows within it.
_UNSEEN, _LINK, _BLOCK = 1, 2, 4
_MEANING: Final = (UNSEEN * _UNSEEN | mask("a") * _LINK | BLOCKS * _BLOCK).astype(np.uint8)


def segments(page: Page, *, hidden: bool = False) -> Segments:
    """The segments of a page, in document order; with those hidden at first when asked.

    >>> from tearsheet.page.parsed import parse
    >>> segments(parse("<h1>A</h1><p>One <b>bold</b> word.<br>Two.")).text
    ['A', 'One bold word.', 'Two.']
    """
    known, block = _known(page)
    wanted = _WRITTEN if hidden else _SHOWN
    most = np.count_nonzero(known & wanted)
    ints, unseen = np.empty((5, most), dtype=np.int32), np.empty(most, dtype=np.bool_)
    text: list[str] = []
    _gather(
        page.text, view(page.breaks), view(known), view(block), wanted,
        text, view(ints), view(unseen.view(np.uint8)),
    )  # fmt: skip
    count = len(text)
    first, last, blocks, chars, links = ints[:, :count]
    found = Segments(
        first=first, last=last, block=blocks, text=text, chars=chars, words=_words(text),
        link_chars=links, hidden=unseen[:count],
    )  # fmt: skip
    for column in (first, last, blocks, chars, found.words, links, found.hidden):
        column.flags.writeable = False
    return found


def visible_rows(page: Page) -> Bools:
    """True for the text rows that a reader sees: not blank, not hidden, not in a control."""
    return (_known(page)[0] & _SHOWN) > 0


def _known(page: Page) -> tuple[npt.NDArray[np.uint8], Ints]:
    """What is known of each row, in bits; and itself, or the closest element above it, that breaks
    lines."""
    known = np.zeros(len(page), dtype=np.uint8)
    block = np.empty(len(page), dtype=np.int32)
    _look(
        view(page.tag), view(page.parent), view(page.end), page.text, view(_MEANING),
        _WRITTEN if page.layout is not None else _WRITTEN | _SHOWN, view(known), view(block),
    )  # fmt: skip
    if page.layout is not None:
        known[page.layout.visible & ((known & _WRITTEN) > 0)] |= _SHOWN
        return known, block
    hiding = [i for i in hinted(page.all_attrs, _HINTS) if _HIDING.search(page.all_attrs[i])]
    if hiding:
        hides = np.zeros(len(page.all_attrs), dtype=np.uint8)
        hides[hiding] = 1
        _hide(view(page.attrs_at), view(page.end), view(hides), view(known))
    return known, block


def _look(
    tag: Any, parent: Any, end: Any, text: list[str], meaning: Any, written: int, known: Any,
    block: Any,
) -> None:  # fmt: skip
    """Marks the text rows that are not blank as written or, in a control or a script, apart; and
    those in links."""
    apart = linked = 0  # the first rows behind what is unseen, and behind the link
    for row in range(len(tag)):
        code = tag[row]
        if code == TEXT:
            block[row] = block[parent[row]] if parent[row] >= 0 else row
            if row < apart:
                known[row] = _APART
            elif not _is_blank(text[row]):
                known[row] = written | _LINKED if row < linked else written
            continue
        bits = meaning[code]
        block[row] = row if bits & _BLOCK or parent[row] < 0 else block[parent[row]]
        if bits & _UNSEEN and end[row] > apart:
            apart = end[row]
        if bits & _LINK and end[row] > linked:
            linked = end[row]


def _is_blank(text: str) -> bool:
    """Whether a text has signs, and none but white space: most are told by the first."""
    for sign in text:
        if not sign.isspace():
            return False
    return bool(text)


def _hide(attrs_at: Any, end: Any, hides: Any, known: Any) -> None:
    """Takes the mark of what is shown from the rows within elements that hide them. A page that
    hides most of itself waits for a script to show it: then that says nothing."""
    hidden: list[int] = []
    shown = until = 0
    for row in range(len(known)):
        if hides[attrs_at[row]] and end[row] > until:
            until = end[row]
        if known[row] & _SHOWN:
            shown += 1
            if row < until:
                hidden.append(row)
    if 2 * (shown - len(hidden)) >= shown:
        for row in hidden:
            known[row] &= ~_SHOWN


def _gather(
    rows: list[str], breaks: Any, known: Any, block: Any, wanted: int,
    text: list[str], ints: Any, unseen: Any,
) -> None:  # fmt: skip
    """Appends the wanted text of each line, white space folded, with its first and last row, its
    block, its length and that of the links in it; and whether it is hidden at first."""
    at, size = 0, len(rows)
    while at < size:
        if not known[at] & wanted:
            at += 1
            continue
        begin = stop = at
        length = 0
        while at < size and breaks[at] == breaks[begin]:
            if known[at] & wanted:
                stop = at
                if known[at] & _LINKED:
                    length += len(rows[at].strip())
            at += 1
        line = _line(rows, known, begin, stop).strip()
        if not (_COMPILED and _is_plain(line)):  # interpreted, to look is as long as to fold
            line = _folded(line)
        if line:
            count = len(text)
            ints[0, count], ints[1, count], ints[2, count] = begin, stop, block[begin]
            ints[3, count], ints[4, count] = len(line), min(length, len(line))
            unseen[count] = not known[begin] & _SHOWN
            text.append(line)


def _is_plain(line: str) -> bool:
    """Whether no white space but single spaces stands between the words, and nothing unseen."""
    before = " "
    for sign in line:
        if sign == " ":
            if before == " ":
                return False
        elif " " < sign < "\x7f":  # most are
            pass
        elif sign.isspace() or sign in "\u00ad\u200b\u200e\u200f\u2060\ufeff":
            return False
        before = sign
    return True


def _folded(line: str) -> str:
    """The words of a line with single spaces between them, without signs that have no width."""
    return " ".join((_INVISIBLE.sub("", line) if _has_unseen(line) else line).split())


def _has_unseen(line: str) -> bool:
    """Whether signs without width stand in a line."""
    if not line.isascii():
        for sign in line:
            if sign in "\u00ad\u200b\u200e\u200f\u2060\ufeff":
                return True
    return False


def _line(rows: list[str], known: Any, begin: int, stop: int) -> str:
    """The text from one row to another, without what stands apart."""
    if begin == stop:
        return rows[begin]
    parts = [rows[row] for row in range(begin, stop + 1) if not known[row] & _APART]
    return "".join(parts)


def hinted(texts: list[str], words: tuple[str, ...]) -> list[int]:
    """Which of the texts have one of the words, all of ASCII, in them.

    >>> hinted(["", "a cat", "a dog", "a catalogue"], ("cat", "cow"))
    [1, 3]
    """
    if hints is not None:
        return hints.hinted(texts, words)
    return [i for i, text in enumerate(texts) if any(word in text for word in words)]


def rows_within(page: Page, chosen: Bools) -> Bools:
    """True for every row in the subtree of a chosen row."""
    tops = np.flatnonzero(chosen)
    change = np.bincount(tops, minlength=len(page) + 1)
    change -= np.bincount(page.end[tops], minlength=len(page) + 1)
    return np.cumsum(change[:-1]) > 0


def _words(texts: list[str]) -> Ints:
    """The words of each text."""
    words = np.empty(len(texts), dtype=np.int32)
    _count(texts, view(words))
    return words


def _count(texts: list[str], words: Any) -> None:
    for i in range(len(texts)):
        text = texts[i]
        words[i] = text.count(" ") + 1
        if not text.isascii():
            words[i] += _unspaced(text) // 2


def _unspaced(text: str) -> int:
    """How many signs of scripts written without spaces there are: Thai to Khmer, kana, Chinese."""
    count = 0
    for sign in text:
        if sign >= "\u0e00" and (
            sign <= "\u0eff"
            or "\u1000" <= sign <= "\u109f"
            or "\u1780" <= sign <= "\u17ff"
            or "\u3040" <= sign <= "\u30ff"
            or "\u3400" <= sign <= "\u9fff"
        ):
            count += 1
    return count
