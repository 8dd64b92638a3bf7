"""Marks in headings that are not part of them: "¶", "#", "[edit]", a link to itself, "Copy"."""

from __future__ import annotations

import re
from typing import Final

from tearsheet.tags import CODES
from tearsheet.types import Page

_LINK, _SPAN, _BUTTON = CODES["a"], CODES["span"], CODES["button"]
_TAGS: Final = frozenset((_LINK, _SPAN, _BUTTON))
_LONGEST: Final = 100
"""Rows of a heading; one with more is a box around blocks."""
_WORD: Final = re.compile(r"\w")
_MOST_LETTERS: Final = 4_000
"""Characters of a heading, with all white space."""
_ID: Final = re.compile(r' (?:id|name)="([^"]*)"')
_TOOL: Final = re.compile(r' class="[^"]*(?:editsection|section-edit|edit-link)')
"""Names of edit links in wiki software."""
_ACTION: Final = re.compile(r"copy|clipboard|share|edit|anchor|permalink|bookmark", re.I)
"""Attributes of a button that acts on the heading. Other buttons may be words of it: "For
[customers] [dealers]"."""


def find_marks(page: Page, heading: int) -> list[range]:
    """The rows of each such element of a heading, in order; none if it has no other words."""
    end = int(page.end[heading])
    if end - heading > _LONGEST or _TAGS.isdisjoint(page.tag[heading:end].tobytes()):
        return []
    marks: list[range] = []
    at = heading + 1
    while at < end:
        below = int(page.end[at])
        if _is_mark(page, heading, at):
            marks.append(range(at, below))
            at = below
        else:
            at += 1
    return marks if marks and _WORD.search(_join_rest(page, heading, marks)) else []


def heading_text(page: Page, heading: int) -> str:
    """The words of a heading in one line; none of one that holds half of the page."""
    if not page.is_short(heading, _MOST_LETTERS):
        return ""
    return " ".join(_join_rest(page, heading, find_marks(page, heading)).split())


def _join_rest(page: Page, heading: int, marks: list[range]) -> str:
    """The text of a heading without its marks."""
    texts, at = [], heading
    for rows in marks:
        texts += page.text[at : rows.start]
        at = rows.stop
    return "".join(texts + page.text[at : page.end[heading]])


def _is_mark(page: Page, heading: int, row: int) -> bool:
    """Whether an element is a link to the heading or to its editor, or a button for it."""
    tag = page.tag[row]
    if tag == _BUTTON:
        return bool(_ACTION.search(page.attrs[row]))
    if tag == _SPAN:
        return bool(_TOOL.search(page.attrs[row]))
    if tag != _LINK:
        return False
    href = page.attribute(row, "href") or ""
    if not any(map(_WORD.search, page.text[row : page.end[row]])):
        return "#" in href or not href
    name = href.partition("#")[2]
    return bool(name) and name in _names_around(page, heading)


def _names_around(page: Page, heading: int) -> set[str]:
    """The names of a heading, of the elements in it, and of the element around it."""
    rows = (int(page.parent[heading]), *range(heading, int(page.end[heading])))
    return {name for row in rows for name in _ID.findall(page.attrs[row])}
