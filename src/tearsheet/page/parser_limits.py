"""Limits extreme markup before the parser sees it.

A parser that follows HTML5 takes the square of time in four places, and real pages come nowhere
near them:

- Nesting: it asks of many tags whether a paragraph is open above. 100,000 nested `<div>` cost
  lexbor half a minute. Chromium nests no element deeper than 512 and puts what is deeper side by
  side; so do we.
- Options: lexbor looks through all options of a list for each new one.
- Attributes: it looks through all attributes of an element for each new one. 200,000 cost lexbor
  more than ten seconds. The largest number on our real pages is 136.
- Formatting: it copies every open `<b>`, `<font>` and so on, with its attributes, into each new
  paragraph. 29 KB cost lexbor 750 MB of memory. On a page that copies very many, these tags get
  other names, unless they have nothing but text between them.

The measures hold wherever tags really begin. What is removed is markup; scripts and comments stay
as they are, unless the parser would read them as markup.
"""

from __future__ import annotations

import re
from collections import Counter
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
_MOST_COPIES: Final = 4e6
"""Elements and attributes that a page may copy: so many take half a second and 800 MB."""
_FEW_COPIES: Final = 64
"""Copies for each tag; so many take linear time."""
_SMALL: Final = 5_000
"""Bytes; a smaller page is parsed as it is: even the worst takes a tenth of a second."""
_MANY: Final = 5_000
"""Tags; a page with fewer may nest them all, which takes a twentieth of a second."""
_SUSPECT: Final = 2_500
"""Levels that a page may seem to have: tags that need no closing one count as open."""
_CHOICES: Final = 5_000
"""Most tags of options in a page: so many in one list take a tenth of a second."""
_FORMATTING: Final = rb"a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_VALUE: Final = rb"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++)"""
_FORMATTING_TAG: Final = re.compile(
    rb"<(?:(%b)((?:\s++[\w:.-]++(?:=%b)?+)*+\s*+>)(?:([^<>]*+</)\1(?=\s*+>))?+|(/?)(?=(?:%b)[\s/>]))"
    % (_FORMATTING, _VALUE, _FORMATTING),
    re.I,
)
"""A well-formed tag, and `</` of its end if there is nothing but text between; or any other tag."""
_MOST_ALIKE: Final = 3
"""Elements with the same attributes that HTML5 copies."""
_OPTION: Final = re.compile(rb"</?option\b[^<>]*>?", re.I)
# An element without an end ends with the page: to search for the end from every tag would take the
# square of the time.
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
"""Markup that may hide the end of a script from us."""
_ROOTS: Final = (b"html", b"body")
_PROBE: Final = b"<q TEARSHEET=probe>"
"""Markup that the parser writes out in another way if it has read it as such."""
_READ_PROBE: Final = '<q tearsheet="probe">'
# How elements end, as `OpenElements` wants to know it.
_SELF_ENDING: Final = (
    "p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp"
)
_SPECIAL: Final = (
    "address article aside blockquote center details dir div dl fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hgroup main menu nav ol pre search section summary svg math ul"
)
_BORDERS: Final = (
    "table object template marquee applet foreignobject desc title annotation-xml mi mo mn ms mtext"
)
_KINDS: Final = (
    frozenset(name.encode() for name in (*VOID, "html", "head", "body")),
    frozenset(_SELF_ENDING.encode().split()),
    frozenset(_SPECIAL.encode().split()),
    frozenset(_BORDERS.encode().split()),
)


def limit_markup(html: bytes) -> bytes:
    """The page itself, or one with the same text that the parser can read in linear time.

    >>> limit_markup(b"<p>As it was.")
    b'<p>As it was.'
    """
    if len(html) < _SMALL:
        return html
    tags, _, work, roots, copied = tree.measure_markup(html)
    if tags >= _MANY:
        html = _remove_choices(html)
        if tree.seems_deep(html, _KINDS, _SUSPECT):
            html = _flatten(html).encode()
    is_suspect = _are_many(copied, tags)
    if (is_suspect and _is_copied(html, tags)) or work > _MOST_WORK or roots > _MOST_ROOTS:
        html = _limit_tags(html, tags)
    return html


def _limit_tags(html: bytes, tags: int) -> bytes:
    """The page without the attributes of an element beyond the limit; with other names for
    formatting elements, if they would be copied very often."""
    pieces = _cut_attributes(html)
    rest = pieces.copy()
    for i in range(1, len(pieces), 2):
        if _is_heavy(pieces[i], 0.01) or _is_copied(pieces[i], tags, 0.01):
            rest[i] = _PROBE
    is_clear = all(
        _NESTED_SCRIPT.search(old) is None for old, new in zip(pieces, rest) if old != new
    )
    if _is_copied(b"".join(rest), tags):
        pieces, rest = [_rename(piece) for piece in pieces], [_rename(piece) for piece in rest]
    limited, shown = b"".join(pieces), b"".join(rest)
    if is_clear and not _is_heavy(shown) and not (_PROBE in rest and _reads_probes(shown)):
        return limited
    if _is_copied(limited, tags):
        limited = _rename(limited)
    return tree.join_attributes(limited, MOST_ATTRIBUTES, _MOST_ROOTS)


def _is_heavy(html: bytes, share: float = 1) -> bool:
    """Whether the parser might take long over attributes, wherever tags begin."""
    _, _, work, roots, _ = tree.measure_markup(html)
    return work > share * _MOST_WORK or roots > _MOST_ROOTS


def _is_copied(html: bytes, tags: int, share: float = 1) -> bool:
    """Whether the parser might copy very many formatting elements and attributes into a page with
    so many tags."""
    if not _are_many(tree.measure_markup(html)[4], tags, share):
        return False
    alike: Counter[bytes] = Counter()

    def hide(tag: re.Match[bytes]) -> bytes:
        """Gives a formatting element another name, so that the parser does not copy it."""
        if not tag[1]:
            return tag[0]
        alike[tag[0]] += 1
        is_copied = not tag[3] and alike[tag[0]] <= _MOST_ALIKE
        return tag[0] if is_copied else b"<x-" + tag[0][1:]

    return _are_many(tree.measure_markup(_FORMATTING_TAG.sub(hide, html))[4], tags, share)


def _are_many(copied: float, tags: int, share: float = 1) -> bool:
    return copied > share * _FEW_COPIES and tags * copied > share * _MOST_COPIES


def _rename(html: bytes) -> bytes:
    """Gives formatting elements other names, but for those that are closed wherever they begin."""

    def rename(tag: re.Match[bytes]) -> bytes:
        return tag[0] if tag[3] else b"</x-" if tag[4] else b"<x-" + tag[0][1:]

    return _FORMATTING_TAG.sub(rename, html)


def _reads_probes(html: bytes) -> bool:
    """Whether the parser reads markup where we see a script or the like. In a drawing, for example,
    `<script>` and `<style>` contain markup, and only the parser knows where a drawing ends. So the
    parser reads the page with probes in place of the costly parts.
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


def _remove_choices(html: bytes) -> bytes:
    """The page without the tags of its options, if it has very many. Options are not part of the
    page's text."""
    if html.lower().count(b"option") <= _CHOICES:  # a tenth of the time of a search for tags
        return html
    less, count = _OPTION.subn(b" ", html)
    return less if count > _CHOICES else html


def _flatten(html: bytes) -> str:
    """The page without the tags below the deepest level; a line ends where one did."""
    text = html.decode("utf-8", "replace")
    pieces: list[str] = []
    done = 0
    elements = tree.OpenElements(_KINDS)
    for match in _TAG.finditer(text):
        slash, name = bool(match[2]), (match[3] or "").lower()
        before = elements.level
        if name:
            elements.add(name.encode(), slash)
        is_depth = elements.level != before or (slash and name and not _ends_itself(name))
        if is_depth and max(before, elements.level) > DEEPEST:
            pieces += (text[done : match.start()], "<br>" if BREAKS[CODES.get(name, 1)] else "")
            done = match.end()
    return "".join([*pieces, text[done:]])


def _ends_itself(name: str) -> bool:
    return any(name.encode() in names for names in _KINDS[:2])
