"""Columns → the space that a style sheet draws between two elements, where the markup has none.

`<span>La Sportiva</span><span>Aragon Shoes</span>` is drawn as two boxes, and a reader sees two
words where they meet. The markup alone does not tell that from `<b>bold</b><i>er</i>`, but letters
do: on the pages with truth, 1,860 of such edges are apart and 7 together where a capital or a digit
begins what follows. `spaces.pxd` gives the loop machine types.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tearsheet import tags
from tearsheet.page.columns import Columns
from tearsheet.views import view

TEXT = tags.TEXT
_VERBATIM: Final = tags.mask(*"pre code kbd samp sub sup math svg".split()).astype(np.uint8)
"""Where every sign counts as it is written."""


def space(columns: Columns) -> None:
    """Ends texts with a space where the next element's text begins a word of its own."""
    _space(
        view(columns.tag), view(columns.parent), view(columns.end), view(columns.breaks),
        columns.text, view(_VERBATIM),
    )  # fmt: skip


def _space(tag: Any, parent: Any, end: Any, breaks: Any, text: list[str], verbatim: Any) -> None:
    before, until = -1, 0  # the last text; the first row behind what is verbatim
    for row in range(len(tag)):
        if tag[row] != TEXT:
            if verbatim[tag[row]] and end[row] > until:
                until = end[row]
        elif row < until:
            before = -1
        else:
            if (
                before >= 0
                and breaks[row] == breaks[before]
                and parent[row] > before  # each in an element that does not hold the other
                and end[parent[before]] <= row
                and _apart(text[before], text[row])
            ):
                text[before] += " "
            before = row


def _apart(left: str, right: str) -> bool:
    """Whether the second text begins a word of its own. A single sign before it may be an initial.

    >>> _apart("La Sportiva", "Aragon"), _apart("bold", "er"), _apart("O", "NCE")
    (True, False, False)
    """
    if len(left) < 2 or not right:
        return False
    last, first = left[len(left) - 1], right[0]
    if not (first.isupper() or first.isdigit()):
        return False
    if last.islower() or last.isupper() or last.isdigit():
        return True
    return first.isupper() and last in ".:;!?)%"
