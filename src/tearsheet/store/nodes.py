"""Paths that name nodes: on one page by position, on a whole site by what its pages share.

    /html/body/div[2]/p[3]      one node of one page
    //div.story/aside.related   every node of that kind on the pages of a site

A step is a tag, with optional `#id`, `.class` and `[position among its siblings of that tag]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np

from tearsheet import limits
from tearsheet.errors import TearsheetError
from tearsheet.tags import CODES, NAMES, OTHER, TEXT
from tearsheet.types import Bools, Ints, Page, Segments

_STEP: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9_:-]*|[*])((?:[#.][^\x00-\x20\x7f-\xa0/#.\[\]]+)*)(?:\[([0-9]{1,6})\])?"
)
PATTERN: Final = rf"^/{{0,2}}{_STEP.pattern}(?:/{_STEP.pattern})*$"
"""What a path looks like, for the OpenAPI document; `parse_path` decides."""
_LONGEST: Final = 20_000
_DEEPEST: Final = 200
_CLASSES: Final = 3
_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = re.compile(r"\d+")
_SHAPE: Final = 80  # characters of the beginning of a text
_TELLING: Final = frozenset("article main aside nav footer header figure form table h1".split())
"""Tags that mean something even without a class."""


class BadPath(TearsheetError):
    code = "bad-path"


@dataclass(frozen=True, slots=True)
class PathStep:
    tag: str
    marks: frozenset[str] = frozenset()
    """`#id` and `.class`, as written."""
    position: int = 0


class CostlyPath(TearsheetError):
    """A path that takes too many looks at the rows of a page."""

    code = "bad-path"


class PageNodes:
    """The nodes of one page by their paths. Shared values are computed once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._marks: dict[int, frozenset[str]] = {}
        """`#id` and `.class` by the number of the attributes, which many nodes share."""

    def exact_path(self, row: int) -> str:
        """The path of one node of this page.

        >>> from tearsheet.page.parsed import parse
        >>> nodes = PageNodes(parse("<div><p>a</p><p>b</p></div>"))
        >>> nodes.exact_path(5), nodes.find("//p[2]")
        ('/html[1]/body[1]/div[1]/p[1]', [6])
        """
        page = self._page
        row = find_element(page, row)
        chain = [row, *page.ancestors(row)]
        return "".join(f"/{tag_name(page, r)}[{self._positions[r]}]" for r in reversed(chain))

    def find(self, path: str) -> list[int]:
        """The nodes that a path names, in document order; raises CostlyPath if that takes long.

        From the last step to the first, only nodes that fit so far are looked at.
        """
        steps, anchored = parse_path(path)
        found = at = np.arange(len(self._page), dtype=np.int32)
        looks = 0
        for number, step in enumerate(reversed(steps)):
            if number:
                at = self._page.parent[at]
            looks += len(at)
            if looks > limits.PATH_LOOKS:
                raise CostlyPath(f"the path '{path[:60]}' takes too long on this page")
            fits = self._fit(at, step)
            found, at = found[fits], at[fits]
        if anchored:
            found = found[self._page.parent[at] < 0]
        rows: list[int] = found.tolist()
        return rows

    def general_paths(self, row: int) -> Iterator[str]:
        """Paths for other pages of the site that name a node by its names, never by its position;
        the shortest first."""
        page = self._page
        row = find_element(page, row)
        path, telling = "", False
        for at in islice([row, *page.ancestors(row)], _DEEPEST + 1):
            step = _general_step(page, at)
            telling = telling or any(sign in step for sign in "#.") or step in _TELLING
            path = f"/{step}{path}"
            if telling:
                yield f"/{path}"

    def _fit(self, rows: Ints, step: PathStep) -> Bools:
        """Marks the rows that match a step; -1, which is above the root, never does."""
        fits: Bools = rows >= 0
        if step.tag in CODES:
            fits &= self._page.tag[rows] == CODES[step.tag]
        elif step.tag != "*":
            fits &= np.isin(rows, self._rows_by_name.get(step.tag, []))
        if step.position:
            fits &= self._positions[rows] == step.position
        if step.marks:
            left = np.flatnonzero(fits)
            fits[left] = self._have_marks(rows[left], step.marks)
        return fits

    def _have_marks(self, rows: Ints, marks: frozenset[str]) -> Bools:
        numbers, first, back = np.unique(
            self._page.attrs_at[rows], return_index=True, return_inverse=True
        )
        known = self._marks
        for number, at in zip(numbers.tolist(), first.tolist()):
            if number not in known:
                known[number] = frozenset(_marks(self._page, int(rows[at])))
        has = np.array([marks <= known[number] for number in numbers.tolist()], dtype=np.bool_)
        found: Bools = has[back]
        return found

    @cached_property
    def _rows_by_name(self) -> dict[str, list[int]]:
        """The rows of elements that are not in `tags`."""
        found: dict[str, list[int]] = {}
        for row, name in self._page.names.items():
            found.setdefault(name, []).append(row)
        return found

    @cached_property
    def _positions(self) -> Ints:
        """Which of its parent's children of the same name each node is, from 1."""
        page = self._page
        names = page.tag.astype(np.int64)
        for number, rows in enumerate(self._rows_by_name.values(), len(NAMES)):
            names[rows] = number
        family = (page.parent.astype(np.int64) + 1) * (int(names.max(initial=0)) + 1) + names
        order = np.argsort(family, kind="stable")
        begins = np.diff(family[order], prepend=-1) != 0
        places = np.arange(len(order))
        positions = np.empty(len(order), dtype=np.int32)
        positions[order] = places - np.maximum.accumulate(np.where(begins, places, 0)) + 1
        return positions


def parse_path(path: str) -> tuple[list[PathStep], bool]:
    """The steps of a path, and whether it begins at the root."""
    anchored = path.startswith("/") and not path.startswith("//")
    parts = path.rstrip("\n").lstrip("/").split("/")
    if len(path) > _LONGEST:
        raise BadPath("the path is too long")
    return [_step(part) for part in parts], anchored


def _step(text: str) -> PathStep:
    found = _STEP.fullmatch(text)
    if found is None:
        raise BadPath(f"'{text[:60]}' is not a step of a path: write tag#id.class[position]")
    tag, marks, position = found.groups()
    return PathStep(tag.lower(), frozenset(re.findall(r"[#.][^#.]+", marks)), int(position or 0))


def check_rule_path(path: str, text: str) -> None:
    """Raises unless a path names nodes by evidence that other pages of a site share."""
    steps, _ = parse_path(path)
    if any(step.position for step in steps):
        raise BadPath("a rule cannot name a position: it may be anything on another page")
    if not text and not any(step.marks or step.tag in _TELLING for step in steps):
        raise BadPath("a rule needs a class, an id, a telling element or a text: //aside.related")


def text_shape(text: str) -> str:
    """The shape of a text, which is the same on every page: its beginning, with 0 for every number.

    >>> text_shape("3 Comments")
    '0 comments'
    """
    return _NUMBER.sub("0", " ".join(text.casefold().split()))[:_SHAPE]


def find_element(page: Page, row: int) -> int:
    """The row itself, or of a text the element around it."""
    return int(page.parent[row]) if page.tag[row] == TEXT else row


def segments_within(page: Page, segments: Segments, row: int) -> tuple[int, int]:
    """The range of the segments inside a node; for a node inside a segment, that segment."""
    first = int(np.searchsorted(segments.last, row))
    return first, max(first, int(np.searchsorted(segments.first, page.end[row])))


def tag_name(page: Page, row: int) -> str:
    code = int(page.tag[row])
    return page.names.get(row, "*") if code == OTHER else NAMES[code]


def _general_step(page: Page, row: int) -> str:
    """A node as other pages of the site may have it: without numbers, with few classes."""
    marks = [mark for mark in _marks(page, row) if not _DIGIT.search(mark)]
    return tag_name(page, row) + "".join(marks[: _CLASSES + 1])


def _marks(page: Page, row: int) -> list[str]:
    name = (page.attribute(row, "id") or "").split()
    classes = (page.attribute(row, "class") or "").split()
    found = [f"#{name[0]}" if name else "", *(f".{one}" for one in classes)]
    return [mark for mark in found if mark and _STEP.fullmatch(f"p{mark}")]
