"""Page → the segments in elements that are named comments, replies or discussion."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods.forest.containers import Containers
from tearsheet.segments import find_texts
from tearsheet.tags import mask
from tearsheet.types import Floats, Page

_NAMED: Final = re.compile(
    r' (?:id|class)="[^"]*(?:comment|disqus|(?<![a-z])(?:respond|repl(?:y|ies))(?![a-z]))', re.I
)
_HINTS: Final = ("omment", "OMMENT", "isqus", "espond", "eply", "eplies")
"""Attributes that match the pattern contain one of these, or capitals."""
_NEVER: Final = mask(*"html body main span i em b code a button label input textarea".split())
"""Largest and smallest share of the page; a comment in a program is smaller."""


def find_threads(page: Page, around: Containers, words: npt.NDArray[Any]) -> Floats:
    """For each segment the share of the page's words in the outermost element around it that is
    named for comments; 0 without one."""
    share: Floats = np.zeros(len(words), dtype=np.float32)
    attrs = page.all_attrs
    names = [i for i in find_texts(page.all_attrs, _HINTS) if _NAMED.search(attrs[i])]
    if not names:
        return share
    is_named = np.zeros(len(attrs), dtype=np.bool_)
    is_named[names] = True
    rows = around.rows[is_named.take(page.attrs_at.take(around.rows))]
    rows = rows[~_NEVER.take(page.tag.take(rows)).astype(np.bool_)]
    total, past = np.concatenate(([0], np.cumsum(words, dtype=np.int64))), 0
    for low, high in zip(around.low[rows].tolist(), around.high[rows].tolist()):
        if low >= past:  # rows are in document order: this one is in no other
            share[low:high] = (total[high] - total[low]) / max(int(total[-1]), 1)
            past = high
    return share
