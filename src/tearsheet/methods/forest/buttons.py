"""Page, Segments → the segments in buttons with long labels."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Bools, Page, Segments

LABEL: Final = 6
"""Words up to which a button may be content: a tab, a feature, a choice."""
_BUTTON = CODES["button"]
_OPENS: Final = re.compile(
    r' aria-(?:expanded|controls)="| role="tab"|accordion|toggle|collapse', re.I
)
"""Attributes of a button that opens the text below it, and so is its heading."""
_TITLES: Final = HEADINGS | mask("summary", "dt")


def find_actions(page: Page, segments: Segments, keep: Bools) -> list[int]:
    """The kept segments in buttons that have more than a label and do something ("Add the red one
    to your list"). Buttons that are the heading or the question of a text do not count. In labelled
    pages, 2 in 100 words of such buttons belong to the text; of the shorter buttons that the engine
    keeps, more than half do.
    """
    buttons = page.rows(_BUTTON)
    if not buttons:
        return []
    low = segments.first.searchsorted(buttons)
    high = segments.first.searchsorted(page.end.take(buttons))
    words = np.zeros(len(segments) + 1, dtype=np.int64)
    np.cumsum(segments.words * keep, out=words[1:])
    found: list[int] = []
    for i in (words.take(high) - words.take(low) > LABEL).nonzero()[0].tolist():
        if not _opens_text(page, buttons[i]):
            found += range(low[i], high[i])
    return found


def _opens_text(page: Page, row: int) -> bool:
    """Whether a button is the heading, or the question, of a text that it opens."""
    if _OPENS.search(page.all_attrs[page.attrs_at[row]]):
        return True
    end, above = int(page.end[row]), int(page.parent[row])
    label = "".join(page.text[row:end]).rstrip()
    return label.endswith(("?", "？", "؟")) or bool(
        _TITLES[page.tag[row:end]].any() or _TITLES[page.tag[[above, page.parent[above]]]].any()
    )
