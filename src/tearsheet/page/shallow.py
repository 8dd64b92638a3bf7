"""Pages nested beyond all measure, made as shallow as a browser makes them.

HTML5 asks of many tags whether a paragraph is open above, so a parser that follows it takes the
square of the depth: 100,000 nested `<div>` cost lexbor half a minute. Chromium nests no element
deeper than 512 and puts what is deeper side by side; so do we, before the page is parsed.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.tags import BREAKS, CODES, VOID

DEEPEST: Final = 512
"""Chromium's limit (`kMaximumHTMLParserDOMTreeDepth`)."""
_MANY: Final = 10_000
"""Pages with fewer tags are parsed as they are: even all nested they take a fifth of a second."""
_SUSPECT: Final = 5_000
_LESS, _SLASH, _A = (ord(sign) for sign in "</A")
_TAG: Final = re.compile(
    r"<!--.*?-->|<(script|style|title|textarea)\b.*?</\1\s*>|<(/?)([a-z][^\s/>]*)[^>]*>",
    re.I | re.S,
)
# Tags that end by themselves when the next one begins: they make no depth of their own.
_FLAT: Final = VOID | frozenset(
    "p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp "
    "html head body".split()
)


def shallow(html: str | bytes) -> str | bytes:
    """The page itself, or where it is nested beyond measure a page with the same text that is not.

    >>> shallow("<p>As it was.")
    '<p>As it was.'
    """
    if len(html) < 2 * _MANY or _tags(html) < _MANY or _depth(html) < _SUSPECT:
        return html
    text = html if isinstance(html, str) else html.decode("utf-8", "replace")
    return "".join(_levelled(text))


def _tags(html: str | bytes) -> int:
    return html.count("<") if isinstance(html, str) else html.count(b"<")


def _depth(html: str | bytes) -> int:
    """How deep the page may be: no tag that is closed counts twice, but one that needs no closing
    tag counts as open."""
    written = html.encode("latin-1", "replace") if isinstance(html, str) else html
    letters = np.frombuffer(written + b" ", dtype=np.uint8)
    following = letters[np.flatnonzero(letters[:-1] == _LESS) + 1]
    steps = np.where(following == _SLASH, -1, following >= _A)
    return int(np.cumsum(steps).max(initial=0))


def _levelled(text: str) -> list[str]:
    """The page in pieces, without the tags below the deepest level; a line ends where one did."""
    pieces: list[str] = []
    level = done = 0
    for match in _TAG.finditer(text):
        slash, name = match[2], (match[3] or "").lower()
        if not name or name in _FLAT:
            continue
        level = max(level + (-1 if slash else 1), 0)
        if level + bool(slash) > DEEPEST:
            pieces += (text[done : match.start()], "<br>" if BREAKS[CODES.get(name, 1)] else "")
            done = match.end()
    return [*pieces, text[done:]]
