"""Page, Segments → the containers around each segment: the elements that hold more text than the
one below; what they are called; which texts are copies; ranges over the sequence of segments.

Rows come in document order, parents before their children, so each column is one pass down the
page. `containers.pxd` gives the loops machine types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.tags import CODES, NAMES
from tearsheet.types import Ints, Page, Segments
from tearsheet.views import view

LEVELS: Final = 6
"""How many containers around a segment are looked at."""
_DIVISION = CODES["div"]
_ALL = (1 << 64) - 1
Column: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The containers around each segment, level by level, and what they are called."""

    each: Ints
    """The row of each different container: the outermost element with the same text."""
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
    nth: Ints
    """For each segment: how many with the same text come before it."""


def containers(page: Page, segments: Segments) -> Containers:
    """Level 0 is the segment's own block; each further level the next one with more segments."""
    size, count = len(page), len(segments)
    parent, end, attrs_at = ints(page.parent), ints(page.end), ints(page.attrs_at)
    begun, high, top = (np.empty(rows, dtype=np.int32) for rows in (size + 1, size, size))
    _nest(ints(segments.first), parent, end, ints(begun), ints(high), ints(top))
    tops, bottoms, number = np.empty((3, LEVELS, count), dtype=np.int32)
    each, numbers = np.empty(size, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    different = _climb(
        ints(segments.block), parent, ints(top), view(np.ascontiguousarray(page.tag)), attrs_at,
        ints(tops), ints(bottoms), ints(number), ints(each), ints(numbers),
    )  # fmt: skip
    rows, called, classes = np.empty((3, size), dtype=np.int32)
    numbers_of = np.full((2, len(page.all_attrs)), -1, dtype=np.int32)
    attrs, named = _called(
        page.all_attrs, attrs_at, ints(begun), ints(high), ints(rows), ints(called),
        ints(classes), view(numbers_of),
    )  # fmt: skip
    kind = page.tag.astype(np.int32)
    kinds = _kinds(ints(rows[:named]), ints(classes), ints(kind))
    family = np.empty(size, dtype=np.int32)
    seen, given = np.full(kinds, -2, dtype=np.int32), np.empty(kinds, dtype=np.int32)
    families = _families(end, ints(kind), ints(seen), ints(given), ints(family))
    copy, nth = np.empty((2, count), dtype=np.int32)
    _copies(segments.text, ints(copy), ints(nth))
    return Containers(
        each[:different], number, tops, bottoms, begun[:size], high,
        rows[:named], attrs, called[:named], kind, family, kinds, families, copy, nth,
    )  # fmt: skip


def ints(column: Column) -> Any:
    """The column for a loop: indexed, it gives plain numbers."""
    return view(np.ascontiguousarray(column, dtype=np.int32))


def bits(column: Column) -> Any:
    """A column of truth values for a loop."""
    return view(np.ascontiguousarray(column).view(np.uint8))


def _nest(first: Any, parent: Any, end: Any, begun: Any, high: Any, top: Any) -> None:
    """For each row how many segments begin before it and before its end, and the outermost element
    with the same segments."""
    rows, size = end.shape[0], first.shape[0]
    at = 0
    for row in range(rows):
        while at < size and first[at] < row:
            at += 1
        begun[row] = at
    begun[rows] = size
    for row in range(rows):
        above = parent[row]
        high[row] = begun[end[row]]
        top[row] = row
        if above >= 0 and high[row] - begun[row] == high[above] - begun[above]:
            top[row] = top[above]


def _climb(
    block: Any, parent: Any, top: Any, tag: Any, attrs_at: Any, tops: Any, bottoms: Any,
    number: Any, each: Any, numbers: Any,
) -> int:  # fmt: skip
    """Fills in the levels of each segment and the different containers; returns how many these
    are. `numbers` keeps for each row its number among them, and is -1 before. A division that has
    no attributes and no more or less text than the element around it says nothing."""
    different, division = 0, _DIVISION
    for i in range(block.shape[0]):
        row = block[i]
        for level in range(LEVELS):
            while tag[row] == division and top[row] != row and not attrs_at[row]:
                row = parent[row]
            bottoms[level, i] = row
            row = top[row]
            tops[level, i] = row
            if numbers[row] < 0:
                numbers[row] = different
                each[different] = row
                different += 1
            number[level, i] = numbers[row]
            if parent[row] >= 0:
                row = parent[row]
    return different


def _called(
    all_attrs: list[str], attrs_at: Any, begun: Any, high: Any, rows: Any, called: Any,
    classes: Any, numbers_of: Any,
) -> tuple[list[str], int]:  # fmt: skip
    """Fills in the rows that hold segments and have attributes, with the number of these and of
    the class with the digits left out (0: none); returns the different attributes, and how many
    rows there are. `numbers_of` keeps both numbers of attributes, and is -1 before."""
    found: list[str] = []
    numbers: dict[int, int] = {0: 0}
    count = 0
    for row in range(high.shape[0]):
        at = attrs_at[row]
        if begun[row] == high[row] or not at:
            continue
        if numbers_of[0, at] < 0:
            numbers_of[0, at] = len(found)
            found.append(all_attrs[at])
            numbers_of[1, at] = numbers.setdefault(_class(all_attrs[at]), len(numbers))
        rows[count], called[count], classes[count] = row, numbers_of[0, at], numbers_of[1, at]
        count += 1
    return found, count


def _class(raw: str) -> int:
    """The class among serialised attributes as a number, its digits left out; 0: there is none.

    >>> _class(' id="a" class="card c12"') == _class(' class="card c7" title="b"') != 0
    True
    """
    start = raw.find(' class="')
    number, at, stop = 0, start + 8, len(raw) if start >= 0 else 0
    while at < stop:
        sign = raw[at]
        if sign == '"':
            break
        if not "0" <= sign <= "9":
            number = number * 1_000_003 + ord(sign) & _ALL
        at += 1
    return number


def attribute(raw: str, opening: str) -> str:
    """The value behind the opening (` class="`) in serialised attributes; empty: it is not there.

    >>> attribute(' id="a" class="b c"', ' class="')
    'b c'
    """
    start = raw.find(opening)
    if start < 0:
        return ""
    start += len(opening)
    return raw[start : raw.find('"', start)]


def _kinds(rows: Any, classes: Any, kind: Any) -> int:
    """Gives the elements with a class a number of their own for it and the tag that is in `kind`;
    returns how many numbers there are."""
    numbers: dict[int, int] = {}
    tags = len(NAMES)
    for i in range(rows.shape[0]):
        if classes[i]:
            row = rows[i]
            key = classes[i] * tags + kind[row]
            kind[row] = tags + numbers.setdefault(key, len(numbers))
    return tags + len(numbers)


def _families(end: Any, kind: Any, seen: Any, given: Any, family: Any) -> int:
    """Numbers the rows by parent and kind, and returns how many numbers there are; `seen` and
    `given` keep for each kind the last parent and the number given there."""
    rows, families = end.shape[0], 0
    for parent in range(-1, rows):
        child = parent + 1
        stop = rows if parent < 0 else end[parent]
        while child < stop:
            own = kind[child]
            if seen[own] != parent:
                seen[own] = parent
                given[own] = families
                families += 1
            family[child] = given[own]
            child = end[child]
    return families


def _copies(texts: list[str], copy: Any, nth: Any) -> None:
    """For each text its number, equal for equal texts, and how many equal ones came before."""
    numbers: dict[str, int] = {}
    seen: list[int] = []
    for i in range(len(texts)):
        number = numbers.setdefault(texts[i], len(seen))
        if number == len(seen):
            seen.append(0)
        copy[i], nth[i] = number, seen[number]
        seen[number] += 1
