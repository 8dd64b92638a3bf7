"""Paths that name nodes: on one page by position, on a whole site by what its pages share.

    /html/body/div[2]/p[3]      one node of one page
    //div.story/aside.related   every node of that kind on the pages of a site

A step is a tag, with optional `#id`, `.class` and `[position among its siblings of that tag]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

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
_TELLING: Final = frozenset("article main aside nav footer header figure form table h1".split())
"""Tags that mean something even without a class."""


class BadPath(TearsheetError):
    code = "bad-path"


@dataclass(frozen=True, slots=True)
class Step:
    tag: str
    marks: frozenset[str] = frozenset()
    """`#id` and `.class`, as written."""
    position: int = 0


def exact_path(page: Page, row: int) -> str:
    """The path of one node of this page.

    >>> from tearsheet.page.parsed import parse
    >>> page = parse("<div><p>a</p><p>b</p></div>")
    >>> exact_path(page, 5), find_rows(page, "//p[2]")
    ('/html[1]/body[1]/div[1]/p[1]', [6])
    """
    if page.tag[row] == TEXT:
        row = int(page.parent[row])
    chain = [row, *page.ancestors(row)]
    return "".join(f"/{tag_name(page, r)}[{_position(page, r)}]" for r in reversed(chain))


def find_rows(page: Page, path: str) -> list[int]:
    """The nodes of this page that a path names, in document order."""
    steps, anchored = parse_path(path)
    *above, last = steps
    rows = [row for row in _rows_with_tag(page, last.tag) if _fits(page, row, last)]
    return [row for row in rows if _is_below(page, row, above, anchored)]


def parse_path(path: str) -> tuple[list[Step], bool]:
    """The steps of a path, and whether it begins at the root."""
    anchored = path.startswith("/") and not path.startswith("//")
    parts = path.rstrip("\n").lstrip("/").split("/")
    if len(path) > _LONGEST:
        raise BadPath("the path is too long")
    return [_step(part) for part in parts], anchored


def _step(text: str) -> Step:
    found = _STEP.fullmatch(text)
    if found is None:
        raise BadPath(f"'{text[:60]}' is not a step of a path: write tag#id.class[position]")
    tag, marks, position = found.groups()
    return Step(tag.lower(), frozenset(re.findall(r"[#.][^#.]+", marks)), int(position or 0))


def general_path(page: Page, row: int, segments: Segments, keep: Bools, *, wanted: bool) -> str:
    """The shortest path for other pages of the site that is still right on this one.

    `keep` must keep (or drop) every node that it names here as a whole.
    """
    if page.tag[row] == TEXT:
        row = int(page.parent[row])
    total = np.concatenate(([0], np.cumsum(keep == wanted))).astype(np.int32)
    path, telling = "", False
    for number, at in enumerate([row, *page.ancestors(row)]):
        step = _general_step(page, at)
        telling = telling or any(sign in step for sign in "#.") or step in _TELLING
        path = f"/{step}{path}"
        if telling and all(_agrees(page, r, segments, total) for r in find_rows(page, "/" + path)):
            return "/" + path
        if number == _DEEPEST:
            break
    return exact_path(page, row)


def _agrees(page: Page, row: int, segments: Segments, total: Ints) -> bool:
    first, last = segments_within(page, segments, row)
    return int(total[last]) - int(total[first]) == last - first


def segments_within(page: Page, segments: Segments, row: int) -> tuple[int, int]:
    """The range of the segments inside a node, or of the one that the node is inside."""
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


def _rows_with_tag(page: Page, tag: str) -> list[int]:
    if tag == "*":
        return list(range(len(page)))
    if tag in CODES:
        return page.rows(CODES[tag])
    return [row for row, name in page.names.items() if name == tag]


def _fits(page: Page, row: int, step: Step) -> bool:
    if step.tag not in ("*", tag_name(page, row)):
        return False
    if step.marks and not step.marks <= set(_marks(page, row)):
        return False
    return not step.position or step.position == _position(page, row)


def _is_below(page: Page, row: int, above: list[Step], anchored: bool) -> bool:
    for step in reversed(above):
        row = int(page.parent[row])
        if row < 0 or not _fits(page, row, step):
            return False
    return not anchored or int(page.parent[row]) < 0


def _position(page: Page, row: int) -> int:
    """Which of its parent's children of the same name a node is, from 1."""
    name = tag_name(page, row)
    parent = int(page.parent[row])
    if parent < 0:
        return 1
    return sum(1 for child in _children(page, parent, row) if tag_name(page, child) == name) + 1


def _children(page: Page, parent: int, stop: int) -> Iterator[int]:
    """The children of a node before row `stop`."""
    child = parent + 1
    while child < stop:
        yield child
        child = int(page.end[child])
