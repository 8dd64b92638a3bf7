"""Pages nested beyond all measure, made as shallow as a browser makes them; lists of choices beyond
all measure, made plain.

HTML5 asks of many tags whether a paragraph is open above, so a parser that follows it takes the
square of the depth: 100,000 nested `<div>` cost lexbor half a minute. Chromium nests no element
deeper than 512 and puts what is deeper side by side; so do we, before the page is parsed.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet._core import tree
from tearsheet.tags import BREAKS, CODES, VOID

DEEPEST: Final = 512
"""Chromium's limit (`kMaximumHTMLParserDOMTreeDepth`)."""
_MANY: Final = 10_000
"""Pages with fewer tags are parsed as they are: even all nested they take a fifth of a second."""
_SUSPECT: Final = 5_000
_CHOICES: Final = 5_000
"""Tags of options that a page may have: so many in one list take a tenth of a second."""
_OPTION: Final = re.compile(rb"</?option\b[^<>]*>?", re.I)
_AT_ONCE: Final = 1 << 18
"""Bytes looked at together: so many stay in the processor's cache."""
_LESS, _SLASH, _A = (ord(sign) for sign in "</A")
# What has no end ends with the page: looked for in vain from every tag, it took the square of time.
_TAG: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|title|textarea)\b.*?(?:</\1\s*>|\Z)"
    r"|<(/?)([a-z][^\s/>]*)[^>]*(?:>|\Z)",
    re.I | re.S,
)
# Tags that end by themselves when the next one begins: they make no depth of their own.
_FLAT: Final = VOID | frozenset(
    "p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp "
    "html head body".split()
)


def limit_markup(html: bytes) -> bytes:
    """The page itself, or where it is nested beyond measure a page with the same text that is not.

    >>> limit_markup(b"<p>As it was.")
    b'<p>As it was.'
    """
    if len(html) < 2 * _MANY:
        return html
    if _tags(html) < _MANY:
        return html
    html = _without_choices(html)
    if _depth(html) < _SUSPECT:
        return html
    return "".join(_levelled(html.decode("utf-8", "replace"))).encode()


def _without_choices(html: bytes) -> bytes:
    """The page without the tags of its options, where it has very many: what a control offers is
    no text of the page, and lexbor looks through all options of a list for each new one."""
    less, count = _OPTION.subn(b" ", html)
    return less if count > _CHOICES else html


def _tags(html: bytes) -> int:
    """How many tags the page has at most."""
    return tree.count(html, _LESS)


def _depth(html: bytes) -> int:
    """How deep the page may be: no tag that is closed counts twice, but one that needs no closing
    tag counts as open."""
    letters = np.frombuffer(html, dtype=np.uint8)
    level = deepest = 0
    for start in range(0, len(letters) - 1, _AT_ONCE):
        part = letters[start : start + _AT_ONCE + 1]
        following = part[np.flatnonzero(part[:-1] == _LESS) + 1]
        steps = (following >= _A).view(np.int8) - (following == _SLASH).view(np.int8)
        levels = np.cumsum(steps, dtype=np.int32)
        deepest = max(deepest, level + int(levels.max(initial=0)))
        level += int(levels[-1]) if len(levels) else 0
    return deepest


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
