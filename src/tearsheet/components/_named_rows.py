"""The elements whose attributes match a pattern: few do, so words are searched for first."""

from __future__ import annotations

import re

import numpy as np

from tearsheet.segments import find_texts
from tearsheet.types import Page


def rows_named(
    page: Page, hints: tuple[str, ...], pattern: re.Pattern[str], *, any_case: bool = False
) -> list[int]:
    """The rows whose attributes match, in order; each match has one of the `hints`."""
    attrs = page.all_attrs
    named = [at for at in find_texts(attrs, hints, any_case) if pattern.search(attrs[at])]
    if not named:  # mostly
        return []
    matches = np.zeros(len(attrs), dtype=np.bool_)
    matches[named] = True
    found: list[int] = np.flatnonzero(matches[page.attrs_at]).tolist()
    return found
