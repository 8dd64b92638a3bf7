"""The elements whose attributes match a pattern: few do, so words are searched for first."""

from __future__ import annotations

import re

from tearsheet.segments import find_texts
from tearsheet.types import Page


def rows_named(
    page: Page, hints: tuple[str, ...], pattern: re.Pattern[str], *, any_case: bool = False
) -> list[int]:
    """The rows whose attributes match, in order; each match has one of the `hints`."""
    attrs = page.all_attrs
    hinted = find_texts(attrs, hints, any_case)
    return page.rows_with([at for at in hinted if pattern.search(attrs[at])])
