"""The links of a page and their texts, read once for all components that search them."""

from __future__ import annotations

from typing import Final, NamedTuple

from tearsheet.tags import CODES
from tearsheet.types import Page
from tearsheet.writing import WIDTHLESS

SIGNS: Final = f" \t\n\xa0[](){{}}<>«»‹›|·•:;.,…*_-–—=+←→▶►◀◄{WIDTHLESS}\ufe0f🖨"
"""Characters that may surround the words of a link without changing their meaning."""
LARGE: Final = 40
"""A link with this many rows is a whole card, not a label; its text is not read."""

_MARK: Final = "\0"
"""Separates texts; HTML forbids it, so no page has it."""


class Links(NamedTuple):
    """The elements `a` and `area` in the order of the page, as columns."""

    rows: list[int]
    ends: list[int]
    """The first row after each link."""
    sizes: list[int]
    """The length of each text as it is written."""
    lines: list[str]
    """The text with single spaces; empty for large links."""
    folded: list[str]
    """The same in lower case."""


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
    whole = " ".join(_join_texts(texts).split())  # all at once, for there are hundreds
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
