"""Page, Segments → the containers around each segment: the elements that hold more text than the
one below; and which elements and texts are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet._core import containers as core
from tearsheet.methods.forest.columns import LEVELS
from tearsheet.types import Ints, Page, Segments

IntColumn: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The containers around each segment, level by level, and what is alike on the page."""

    each: Ints
    """The row of each container: the outermost of the elements with the same text."""
    number: Ints
    """For each level and segment: which of `each` it is in."""
    top: Ints
    """For each level and segment: the row of that container."""
    bottom: Ints
    """For each level and segment: the innermost element with the same text."""
    low: Ints
    """For each page row: how many segments begin before it."""
    high: Ints
    """For each page row: how many segments begin before its end."""
    rows: Ints
    """The elements that hold segments and have attributes."""
    attrs: list[str]
    """The attributes that elements have here, each once."""
    called: Ints
    """For each of `rows`: the number of its attributes."""
    kind: Ints
    """For each page row: a number that rows of equal tag and class share."""
    family: Ints
    """For each page row: a number that children of one parent with equal tag and class share."""
    kinds: int
    families: int
    """How many numbers of kinds and of families there are."""
    copy: Ints
    """For each segment: the number of its text, equal for equal texts."""
    copies_before: Ints
    """For each segment: how many with the same text come before it."""


def find_containers(page: Page, segments: Segments) -> Containers:
    """Level 0 is the segment's own block; each further level the next one with more segments."""
    size, count = len(page), len(segments)
    parent, end, attrs_at = to_ints(page.parent), to_ints(page.end), to_ints(page.attrs_at)
    begun, high, top = (np.empty(rows, dtype=np.int32) for rows in (size + 1, size, size))
    core.nest(to_ints(segments.first), parent, end, begun, high, top)
    tops, bottoms, number = np.empty((3, LEVELS, count), dtype=np.int32)
    each, numbers = np.empty(size, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    different = core.climb(
        to_ints(segments.block), parent, top, np.ascontiguousarray(page.tag), attrs_at,
        tops, bottoms, number, each, numbers,
    )  # fmt: skip
    rows, called, classes = np.empty((3, size), dtype=np.int32)
    attrs_number, class_of = np.full((2, len(page.all_attrs)), -1, dtype=np.int32)
    attrs, named = core.number_attributes(
        page.all_attrs, attrs_at, begun, high, rows, called, classes, attrs_number, class_of
    )
    kind = page.tag.astype(np.int32)
    kinds = core.number_kinds(rows[:named], classes, kind)
    family = np.empty(size, dtype=np.int32)
    seen, given = np.full(kinds, -2, dtype=np.int32), np.empty(kinds, dtype=np.int32)
    families = core.number_families(end, kind, seen, given, family)
    copy, copies_before = np.empty((2, count), dtype=np.int32)
    core.number_copies(segments.text, copy, copies_before)
    return Containers(
        each[:different], number, tops, bottoms, begun[:size], high,
        rows[:named], attrs, called[:named], kind, family, kinds, families, copy, copies_before,
    )  # fmt: skip


def to_ints(column: IntColumn) -> Ints:
    """The column as the loops of the core want it."""
    return np.ascontiguousarray(column, dtype=np.int32)


def to_bits(column: IntColumn) -> npt.NDArray[np.uint8]:
    """A column of truth values as bytes, as the core's loops need it."""
    return np.ascontiguousarray(column).view(np.uint8)


def attribute(raw: str, opening: str) -> str:
    """The value after the opening (` class="`) in serialised attributes; empty if it is not there.

    >>> attribute(' id="a" class="b c"', ' class="')
    'b c'
    """
    start = raw.find(opening)
    if start < 0:
        return ""
    start += len(opening)
    return raw[start : raw.find('"', start)]
