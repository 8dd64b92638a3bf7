"""Leaves out signs in headings that are not part of them: "¶", "#", "[edit]", "Permalink"."""

from __future__ import annotations

import re
from typing import Final

from tearsheet.tags import CODES, HEADINGS
from tearsheet.types import Bools, Ints, Page

_LINK, _SPAN = CODES["a"], CODES["span"]
_LONGEST: Final = 100
"""Rows of a heading; one with more is a box around blocks."""
_WORD: Final = re.compile(r"\w")
_ID: Final = re.compile(r' (?:id|name)="([^"]*)"')
_TOOL: Final = re.compile(r' class="[^"]*(?:editsection|section-edit|edit-link)')
"""What wiki software calls its links for editing."""


def drop_heading_anchors(page: Page, text: Bools, count: Ints) -> bool:
    """Unmarks the kept text of such signs; returns whether there were any.

    `count` counts the rows of kept text before each row.
    """
    found = False
    tag, headings = page.tag.tobytes(), HEADINGS.take(page.tag).nonzero()[0]
    hold_text = count.take(page.end.take(headings)) > count.take(headings)
    for row in headings[hold_text].tolist():
        inside = slice(row, int(page.end[row]))
        if inside.stop - row > _LONGEST:
            continue
        if tag.find(_LINK, row, inside.stop) < 0 and tag.find(_SPAN, row, inside.stop) < 0:
            continue
        signs = [
            range(at, page.end[at]) for at in range(row + 1, inside.stop) if _is_sign(page, row, at)
        ]
        rest = text[inside].copy()
        for rows in signs:
            rest[rows.start - row : rows.stop - row] = False
        if signs and _has_words(page, rest, row):  # a heading that has nothing else keeps it
            text[inside] = rest
            found = True
    return found


def _has_words(page: Page, rest: Bools, row: int) -> bool:
    return any(_WORD.search(page.text[row + at]) for at in rest.nonzero()[0].tolist())


def _is_sign(page: Page, heading: int, row: int) -> bool:
    """Whether an element of a heading is a link to it or to its editor, and no words of it."""
    if page.tag[row] == _SPAN:
        return bool(_TOOL.search(page.attrs[row]))
    if page.tag[row] != _LINK:
        return False
    href = page.attribute(row, "href") or ""
    if not _WORD.search(page.inner_text(row)):
        return "#" in href or not href
    name = href.partition("#")[2]
    return bool(name) and name in _names_around(page, heading)


def _names_around(page: Page, heading: int) -> set[str]:
    """The names of a heading, of the elements in it, and of the element around it."""
    rows = (int(page.parent[heading]), *range(heading, int(page.end[heading])))
    return {name for row in rows for name in _ID.findall(page.attrs[row])}
