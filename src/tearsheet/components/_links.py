"""The links of a page and what is written on them, read once for all that look for one."""

from __future__ import annotations

from typing import Final, NamedTuple

from tearsheet.tags import CODES
from tearsheet.types import Page
from tearsheet.writing import WIDTHLESS

SIGNS: Final = f" \t\n\xa0[](){{}}<>«»‹›|·•:;.,…*_-–—=+←→▶►◀◄{WIDTHLESS}\ufe0f🖨"
"""What may stand around the words of a link without changing what it says."""
LARGE: Final = 40
"""Rows of an element that is no label any more: a whole card is the link."""

_MARK: Final = "\0"
"""Between two texts: no page has it, for HTML forbids it."""


class Links(NamedTuple):
    """The elements `a` and `area` in columns, in the order of the page."""

    rows: list[int]
    ends: list[int]
    """First row after each."""
    sizes: list[int]
    """Characters of the text, as written."""
    lines: list[str]
    """The text, white space folded; empty for large ones."""
    folded: list[str]
    """The same without regard to case."""


def read_links(page: Page) -> Links:
    """The links of a page.

    >>> from tearsheet.page.parsed import parse
    >>> read_links(parse("<a href=/2>Next\\n page</a>")).lines
    ['Next page']
    """
    rows = page.rows(CODES["a"], CODES["area"])
    if not rows:
        return Links([], [], [], [], [])
    ends: list[int] = page.end[rows].tolist()
    text = page.text
    texts = [
        text[r + 1] if e - r == 2 else "".join(text[r:e]) if e - r < LARGE else ""
        for r, e in zip(rows, ends)
    ]
    whole = " ".join(_join_texts(texts).split())  # all at once: there are hundreds
    lines = [line.strip() for line in whole.split(_MARK)]
    folded = [line.strip() for line in whole.casefold().split(_MARK)]
    return Links(rows, ends, [len(text) for text in texts], lines, folded)


def read_phrase(text: str) -> str:
    """A text as the lists of phrases know it: in lower case, without the signs around it.

    >>> read_phrase(" [ Print  this page ] »")
    'print this page'
    """
    return " ".join(text.split()).strip(SIGNS).casefold()


def _join_texts(texts: list[str]) -> str:
    whole = _MARK.join(texts)
    if whole.count(_MARK) == len(texts) - 1:
        return whole
    return _MARK.join([text.replace(_MARK, "") for text in texts])
