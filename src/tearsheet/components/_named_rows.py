"""The elements whose attributes match a pattern: few do, so words are searched for first."""

from __future__ import annotations

import re

import numpy as np

from tearsheet.segments import find_texts
from tearsheet.types import Page


def rows_named(page: Page, hints: tuple[str, ...], pattern: re.Pattern[str]) -> list[int]:
    """The rows whose attributes have one of the `hints` and match, in order."""
    names = page.all_attrs
    found = [at for at in find_texts(names, hints) if pattern.search(names[at])]
    if not found:
        return []
    matches = np.zeros(len(names), dtype=np.bool_)
    matches[found] = True
    rows: list[int] = np.flatnonzero(matches[page.attrs_at]).tolist()
    return rows
