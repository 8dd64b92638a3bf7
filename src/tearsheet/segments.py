"""Page → Segments: the visible text between line breaks.

"Based on the visual attribute of line-break of DOM nodes, we identify the text segments that
generally correspond to paragraphs" (Article Clipper, §2.2.1). In a rendered page, the computed
`display` tells where lines break and what is visible; in a parsed one, the tags do.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet._core import segments as core
from tearsheet._core import text_search
from tearsheet.tags import BLOCKS, UNSEEN, mask
from tearsheet.types import Bools, Ints, Page, Segments

_HIDING: Final = re.compile(
    r' hidden=""| hidden="hidden"| style="[^"]*(?:display:\s*none|visibility:\s*hidden)'
)
_HINTS: Final = (' hidden="', "display:", "visibility:")
_MEANING: Final = (UNSEEN * core.UNSEEN | mask("a") * core.LINK | BLOCKS * core.BLOCK).astype(
    np.uint8
)
"""The marks that each tag gives to the rows within it."""

count_words = core.count_words
find_texts = text_search.find_texts


def segments(page: Page, *, hidden: bool = False) -> Segments:
    """The segments of a page, in document order; with those hidden at first if asked for.

    >>> from tearsheet.page.parsed import parse
    >>> segments(parse("<h1>A</h1><p>One <b>bold</b> word.<br>Two.")).text
    ['A', 'One bold word.', 'Two.']
    """
    known, block = _mark(page)
    wanted = core.WRITTEN if hidden else core.SHOWN
    most = np.count_nonzero(known & wanted)
    ints, unseen = np.empty((6, most), dtype=np.int32), np.empty(most, dtype=np.bool_)
    text: list[str] = []
    core.gather_lines(
        page.text, page.breaks, known, block, wanted, text, ints, unseen.view(np.uint8)
    )
    ints.flags.writeable = unseen.flags.writeable = False
    first, last, blocks, chars, link_chars, words = ints[:, : len(text)]
    return Segments(
        first=first, last=last, block=blocks, text=text, chars=chars, words=words,
        link_chars=link_chars, hidden=unseen[: len(text)],
    )  # fmt: skip


def visible_rows(page: Page) -> Bools:
    """True for the text rows that a reader sees: not blank, not hidden, not in a control."""
    return (_mark(page)[0] & core.SHOWN) > 0


def _mark(page: Page) -> tuple[npt.NDArray[np.uint8], Ints]:
    """The marks of each row (see the core), and the closest element that breaks lines."""
    known = np.zeros(len(page), dtype=np.uint8)
    block = np.empty(len(page), dtype=np.int32)
    written = core.WRITTEN if page.layout is not None else core.WRITTEN | core.SHOWN
    core.mark_rows(page.tag, page.parent, page.end, page.text, _MEANING, written, known, block)
    if page.layout is not None:
        known[page.layout.visible & ((known & core.WRITTEN) > 0)] |= core.SHOWN
        return known, block
    attrs = page.all_attrs
    hiding = [i for i in find_texts(page.all_attrs, _HINTS) if _HIDING.search(attrs[i])]
    if hiding:
        hides = np.zeros(len(attrs), dtype=np.uint8)
        hides[hiding] = 1
        core.hide_rows(page.attrs_at, page.end, hides, known)
    return known, block


def rows_within(page: Page, chosen: Bools) -> Bools:
    """True for every row in the subtree of a chosen row."""
    tops = chosen.nonzero()[0]
    change = np.bincount(tops, minlength=len(page) + 1)
    change -= np.bincount(page.end[tops], minlength=len(page) + 1)
    return np.cumsum(change[:-1]) > 0
