"""Markup beyond all measure, reduced before the parser sees it.

A parser that follows HTML5 takes the square of time in three places, and real pages come nowhere
near them:

- Nesting: it asks of many tags whether a paragraph is open above. 100,000 nested `<div>` cost
  lexbor half a minute. Chromium nests no element deeper than 512 and puts what is deeper side by
  side; so do we.
- Options: lexbor looks through all options of a list for each new one.
- Attributes: it looks through all attributes of an element for each new one. 200,000 cost lexbor
  more than ten seconds. The largest number on our real pages is 136.

The measures hold wherever tags really begin. What is removed is markup; scripts and comments stay
as they are, unless the parser would read them as markup.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from tearsheet._core import tree
from tearsheet.tags import BREAKS, CODES, VOID

DEEPEST: Final = 512
"""Chromium's limit (`kMaximumHTMLParserDOMTreeDepth`)."""
MOST_ATTRIBUTES: Final = 512
"""Of one element; so many take half a millisecond."""
_MOST_WORK: Final = 2e8
"""Comparisons of attributes that a page may need: so many take a quarter of a second."""
_MOST_ROOTS: Final = 5_000
"""Tags `<html>` and `<body>` that a page may have: each may add an attribute to one element."""
_SMALL: Final = 20_000
"""Bytes; a smaller page is parsed as it is: even the worst takes a tenth of a second."""
_MANY: Final = 10_000
"""Tags; a page with fewer may nest them all, which takes a fifth of a second."""
_SUSPECT: Final = 5_000
"""Levels that a page may seem to have: tags that need no closing one count as open."""
_CHOICES: Final = 5_000
"""Tags of options that a page may have: so many in one list take a tenth of a second."""
_OPTION: Final = re.compile(rb"</?option\b[^<>]*>?", re.I)
# What has no end ends with the page: a search for it from every tag would take the square of time.
_SKIPPED: Final = r"<!--.*?(?:-->|\Z)|<(script|style|title|textarea)\b.*?(?:</\1\s*>|\Z)"
_TAG: Final = re.compile(rf"{_SKIPPED}|<(/?)([a-z][^\s/>]*)[^>]*(?:>|\Z)", re.I | re.S)
_START: Final = re.compile(rb"<!--(?:-?>|(.*?)(?:--!?>|\Z))|<([a-z][^\s/>]*)", re.I | re.S)
_ATTRIBUTE: Final = re.compile(
    rb"""[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^\s>"'][^\s>]*)?)?"""
)
_RAW_END: Final = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>])|\Z", re.I)
    for name in b"script style title textarea noscript iframe xmp noembed noframes".split()
}
_NESTED_SCRIPT: Final = re.compile(rb"<!--.*?<script", re.I | re.S)
"""What may hide the end of a script from us."""
_ROOTS: Final = (b"html", b"body")
_PROBE: Final = b"<b TEARSHEET=probe>"
"""Markup that the parser writes out in another way if it has read it as such."""
_READ_PROBE: Final = '<b tearsheet="probe">'
# Tags that end by themselves when the next one begins: they add no depth of their own.
_FLAT: Final = VOID | frozenset(
    "p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp "
    "html head body".split()
)


def limit_markup(html: bytes) -> bytes:
    """The page itself, or one with the same text that the parser can read in linear time.

    >>> limit_markup(b"<p>As it was.")
    b'<p>As it was.'
    """
    if len(html) < _SMALL:
        return html
    tags, depth, work, roots = tree.measure_markup(html)
    if work > _MOST_WORK or roots > _MOST_ROOTS:
        html = _limit_attributes(html)
    if tags < _MANY:
        return html
    html, removed = _remove_choices(html)
    if removed:
        depth = tree.measure_markup(html)[1]
    if depth < _SUSPECT:
        return html
    return "".join(_flatten(html.decode("utf-8", "replace"))).encode()


def _limit_attributes(html: bytes) -> bytes:
    """The page without the attributes of an element beyond the limit."""
    pieces = _cut_attributes(html)
    cut = b"".join(pieces)
    doubtful = [i for i in range(1, len(pieces), 2) if _is_heavy(pieces[i], _MOST_WORK / 100)]
    is_clear = all(_NESTED_SCRIPT.search(pieces[i]) is None for i in doubtful)
    for i in doubtful:
        pieces[i] = _PROBE
    rest = b"".join(pieces)
    if is_clear and not _is_heavy(rest) and not (doubtful and _reads_probes(rest)):
        return cut
    return tree.join_attributes(cut, MOST_ATTRIBUTES, _MOST_ROOTS)


def _is_heavy(html: bytes, most_work: float = _MOST_WORK) -> bool:
    """Whether the parser might take long over attributes, wherever tags begin."""
    _, _, work, roots = tree.measure_markup(html)
    return work > most_work or roots > _MOST_ROOTS


def _reads_probes(html: bytes) -> bool:
    """Whether the parser reads a probe as markup, where we took it for a script or the like.

    In a drawing, for one, `<script>` and `<style>` hold markup, and only the parser knows for sure
    where a drawing ends. So it is asked, with probes in the place of what might take long.
    """
    return _READ_PROBE in (LexborHTMLParser(html, scripting=True).html or "")


def _cut_attributes(html: bytes) -> list[bytes]:
    """The page in pieces, without the attributes of a tag beyond the limit: markup and, at odd
    places, comments and the content of scripts and the like.

    All tags `<html>` add attributes to one element, and so do all `<body>`.
    """
    pieces: list[bytes] = []
    markup: list[bytes] = []
    used = dict.fromkeys(_ROOTS, 0)
    done = at = 0
    while match := _START.search(html, at):
        at, name = match.end(), (match[2] or b"").lower()
        raw, raw_end = match.span(1)
        if name:
            keep, at, count = _read_attributes(html, at, used.get(name, 0))
            if keep < at:
                markup.append(html[done:keep])
                done = at
            if name in used:
                used[name] = count
        if name in _RAW_END:
            raw = at + (html[at : at + 1] == b">")
            raw_end = at = _find_end(html, raw, name)
        if raw >= 0:
            pieces += (b"".join([*markup, html[done:raw]]), html[raw:raw_end])
            markup, done = [], raw_end
    return [*pieces, b"".join([*markup, html[done:]])]


def _read_attributes(html: bytes, at: int, count: int) -> tuple[int, int, int]:
    """Where the attributes that may stay end, where all end, and how many the element has then."""
    keep = at
    while found := _ATTRIBUTE.match(html, at):
        count, at = count + 1, found.end()
        if count <= MOST_ATTRIBUTES:
            keep = at
    return keep, at, count


def _find_end(html: bytes, at: int, name: bytes) -> int:
    """Where the closing tag of an element that holds text begins, or the page ends."""
    end = _RAW_END[name].search(html, at)
    return end.start() if end else len(html)


def _remove_choices(html: bytes) -> tuple[bytes, bool]:
    """The page without the tags of its options, if it has very many; and whether it had. What a
    control offers is no text of the page."""
    less, count = _OPTION.subn(b" ", html)
    return (less, True) if count > _CHOICES else (html, False)


def _flatten(text: str) -> list[str]:
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
