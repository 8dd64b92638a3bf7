"""Finding the rows of a page that a test wrote."""

from __future__ import annotations

from tearsheet.types import Page


def row_of(page: Page, name: str) -> int:
    """The row of the element with this id."""
    return next(row for row in range(len(page)) if page.attribute(row, "id") == name)
