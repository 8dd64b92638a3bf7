"""Whether the columns of a stored page fit each other.

The compiled core reads columns without looking at their ends, so what comes from a store is checked
before anything else sees it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from tearsheet.store.records import BadRecord
from tearsheet.tags import NAMES, TEXT
from tearsheet.types import Clipping, Layout, Page, Segments, Verdict


def check_table(page: Page) -> None:
    """Raises unless the columns that are stored have one valid entry for each row."""
    rows = len(page.tag)
    _require(rows > 0, "a page has no rows")
    _require(len(page.text) == rows, "texts and rows differ")
    for column in (page.end, page.attrs_at, page.breaks):
        _require(len(column) == rows, "columns of a page differ in length")
    _require(int(page.tag.max()) < len(NAMES), "there is no such tag")
    _require_within(page.attrs_at, 0, len(page.all_attrs))
    _require_within(page.end - np.arange(rows), 1, rows + 1)
    _require(int(page.end.max()) <= rows, "a subtree goes beyond the page")
    _require(all(row < rows for row in page.names), "a name has no row")
    if page.layout is not None:
        _check_layout(page.layout, rows)


def check_clipping(clipping: Clipping) -> None:
    """Raises unless the page is a tree, and segments and verdict are of this page."""
    page = clipping.page
    above = page.parent[1:]
    _require(int(page.parent[0]) == -1, "a page has no root")
    _require_within(above - np.arange(1, len(page)), -len(page), 0)
    _require_within(above, 0, len(page))
    _require(bool((page.end[1:] <= page.end[above]).all()), "subtrees overlap")
    leaves = np.flatnonzero(page.tag == TEXT)
    _require(bool((page.end[leaves] == leaves + 1).all()), "something is within a text")
    _check_segments(clipping.segments, len(page))
    _check_verdict(clipping.verdict, len(clipping.segments), len(page))


def _check_layout(layout: Layout, rows: int) -> None:
    for field in fields(Layout):
        column: Any = getattr(layout, field.name)
        if isinstance(column, np.ndarray):
            _require(len(column) == rows, "columns of the layout differ in length")


def _check_segments(segments: Segments, rows: int) -> None:
    count = len(segments)
    for field in fields(Segments):
        _require(len(getattr(segments, field.name)) == count, "columns of the segments differ")
    for column in (segments.first, segments.last, segments.block):
        _require_within(column, 0, rows)
    _require(bool((segments.first <= segments.last).all()), "a segment ends before it begins")
    _require(bool((segments.last[:-1] <= segments.first[1:]).all()), "segments overlap")
    _require(segments.chars.tolist() == list(map(len, segments.text)), "lengths of texts differ")
    _require_within(segments.link_chars, 0, 2**31)
    _require_within(segments.words, 0, 2**31)


def _check_verdict(verdict: Verdict, segments: int, rows: int) -> None:
    _require(len(verdict.score) == len(verdict.keep) == segments, "the verdict is of another page")
    _require(all(0 <= row < rows for row in verdict.rows), "a chosen row does not exist")


def _require_within(column: Any, low: int, high: int) -> None:
    """Raises unless all numbers are at least `low` and less than `high`."""
    if len(column):
        _require(low <= int(column.min()) and int(column.max()) < high, "a row does not exist")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadRecord(otherwise)
