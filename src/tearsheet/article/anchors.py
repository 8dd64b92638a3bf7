"""Leaves marks in headings, such as "#" and "[edit]", out of the text."""

from __future__ import annotations

import re
from typing import Final

from tearsheet.features.headings import find_marks
from tearsheet.tags import HEADINGS
from tearsheet.types import Bools, Ints, Page

_WORD: Final = re.compile(r"\w")


def drop_heading_anchors(page: Page, text: Bools, count: Ints) -> bool:
    """Unmarks the kept text of such marks; returns whether there were any.

    `count` counts the rows of kept text before each row.
    """
    found = False
    headings = HEADINGS.take(page.tag).nonzero()[0]
    hold_text = count.take(page.end.take(headings)) > count.take(headings)
    for row in headings[hold_text].tolist():
        marks = find_marks(page, row)
        if not marks:
            continue
        inside = slice(row, int(page.end[row]))
        rest = text[inside].copy()
        for rows in marks:
            rest[rows.start - row : rows.stop - row] = False
        if _has_words(page, rest, row):  # a heading that has nothing else keeps it
            text[inside] = rest
            found = True
    return found


def _has_words(page: Page, rest: Bools, row: int) -> bool:
    return any(_WORD.search(page.text[row + at]) for at in rest.nonzero()[0].tolist())
