"""The elements whose attributes match a pattern: few do, so words are searched for first."""

from __future__ import annotations

import re

import numpy as np

from tearsheet.segments import find_texts
from tearsheet.types import Page


def rows_named(
    page: Page, attrs: list[str], hints: tuple[str, ...], pattern: re.Pattern[str]
) -> list[int]:
    """The rows whose attributes match, in order.

    `attrs` is `page.all_attrs`, or the same in lower case; each match has one of the `hints`.
    """
    named = [at for at in find_texts(attrs, hints) if pattern.search(page.all_attrs[at])]
    if not named:  # mostly
        return []
    matches = np.zeros(len(attrs), dtype=np.bool_)
    matches[named] = True
    found: list[int] = np.flatnonzero(matches[page.attrs_at]).tolist()
    return found
