"""The elements whose attributes match a pattern: few do, so words are searched for first."""

from __future__ import annotations

import re

from tearsheet.segments import find_texts, rows_with
from tearsheet.types import Page


def rows_named(
    page: Page, hints: tuple[str, ...], pattern: re.Pattern[str], *, any_case: bool = False
) -> list[int]:
    """The rows whose attributes match, in order; each match has one of the `hints`."""
    attrs = page.all_attrs
    named = [at for at in find_texts(attrs, hints, any_case) if pattern.search(attrs[at])]
    found: list[int] = rows_with(page, named).tolist()
    return found
