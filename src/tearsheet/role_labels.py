"""The role of each segment of a page, labelled by people: paths and roles, no text of the page.

A file for each page, below `evaluate/truth/roles`:

    {"page": "saves/000-a.example", "kind": "article",
     "roles": [["/html[1]/body[1]/div[1]", "navigation"],
               ["/html[1]/body[1]/div[2]/p[1]/text()[2]", "byline"]],
     "pictures": [["/html[1]/body[1]/div[2]/img[1]", ["/html[1]/body[1]/div[2]/p[3]"]]]}

An entry holds for a whole subtree, and a deeper one overrides it; `text()[k]` is the k-th text of
an element that is not blank. A segment has the role that holds at its first row. One that no entry
covers was not labelled, because it was hidden on the drawn page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tearsheet.errors import FetchFailed
from tearsheet.store.nodes import PageNodes, tag_name
from tearsheet.tags import TEXT
from tearsheet.types import (
    BESIDE_ROLES,
    CONTENT_ROLES,
    PAGE_TYPES,
    ROLES,
    Ints,
    Page,
    Segments,
)  # fmt: skip

FOLDER: Final = Path(__file__).parent / "evaluate" / "truth" / "roles"
"""A folder for each set of pages."""
CONTENT: Final = CONTENT_ROLES
EITHER: Final = BESIDE_ROLES
CHROME: Final = frozenset(ROLES) - CONTENT - EITHER
"""Roles of text that an article must not have."""
UNKNOWN: Final = -1
"""The number of a segment without a label."""

_STEP: Final = re.compile(r"([^/\[\]]+)\[(\d+)\]")
_TEXT: Final = "text()"


@dataclass(frozen=True, slots=True)
class RoleLabels:
    """The labels of one page."""

    page: str
    """Set and key: `saves/000-a.example`."""
    kind: str
    """One of `PAGE_TYPES`."""
    roles: tuple[tuple[str, str], ...]
    """Path and role."""
    pictures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The path of each picture of the article, and those of the segments of its caption."""


def read_labels(dataset: str) -> dict[str, RoleLabels]:
    """The labels of a set, by the keys of its pages."""
    paths = sorted((FOLDER / dataset).glob("*.json"))
    return {path.stem: read_file(path) for path in paths}


def read_file(path: Path) -> RoleLabels:
    """The labels in a file; raises if it has none."""
    try:
        return _check(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FetchFailed(f"{path} has no role labels: {error}", code="input") from None


def _check(values: Mapping[str, Any]) -> RoleLabels:
    roles = tuple((str(path), str(role)) for path, role in values["roles"])
    pictures = tuple((str(path), tuple(map(str, rows))) for path, rows in values["pictures"])
    unknown = {role for _, role in roles} - set(ROLES) or {values["kind"]} - set(PAGE_TYPES)
    if unknown:
        raise ValueError(f"'{unknown.pop()}' is neither a role nor a kind of page")
    return RoleLabels(str(values["page"]), str(values["kind"]), roles, pictures)


def write_file(labels: RoleLabels, path: Path) -> None:
    """Writes a line for each entry, so that changes can be read."""
    values = asdict(labels)
    lines = [f"{json.dumps(name)}: {_write_value(values[name])}" for name in values]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


def _write_value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return "[" + ",\n".join(json.dumps(part, ensure_ascii=False) for part in value) + "]"


class LabelPaths:
    """The paths of a page, by which labels name its elements and texts: path → row, row → path."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._nodes = PageNodes(page)
        self._rows: dict[tuple[int, str, int], int] = {}
        self._text_number: dict[int, int] = {}
        seen: dict[tuple[int, str], int] = {}
        for row in range(1, len(page)):
            is_text = page.tag.item(row) == TEXT
            if is_text and not page.text[row].strip():
                continue
            above = page.parent.item(row)
            name = _TEXT if is_text else tag_name(page, row)
            number = seen[above, name] = seen.get((above, name), 0) + 1
            self._rows[above, name, number] = row
            if is_text:
                self._text_number[row] = number

    def row(self, path: str) -> int | None:
        """The row that a path names; None if the page has none there."""
        row: int | None = 0
        for name, number in _STEP.findall(path)[1:]:
            row = self._rows.get((row, name, int(number))) if row is not None else None
        return row

    def path(self, row: int) -> str:
        """The path of an element or of a text."""
        if self._page.tag.item(row) != TEXT:
            return self._nodes.exact_path(row)
        above = self._nodes.exact_path(self._page.parent.item(row))
        return f"{above}/{_TEXT}[{self._text_number[row]}]"

    def segment_roles(self, segments: Segments, labels: RoleLabels) -> Ints:
        """For each segment the number of its role in `ROLES`, or `UNKNOWN`."""
        held = np.full(len(self._page), UNKNOWN, dtype=np.int32)
        found = [(self.row(path), ROLES.index(role)) for path, role in labels.roles]
        for row, role in sorted((row, role) for row, role in found if row is not None):
            held[row : self._page.end[row]] = role
        roles: Ints = held[segments.first]
        return roles

    def label(
        self, name: str, kind: str, segments: Segments, roles: Sequence[str],
        pictures: Iterable[tuple[int, Sequence[int]]] = (),
    ) -> RoleLabels:  # fmt: skip
        """Labels for a page: the role of each segment, the row of each picture with the numbers
        of the segments of its caption."""
        numbers = np.array([ROLES.index(role) for role in roles], dtype=np.int32)
        first = segments.first
        shown = tuple(
            (self.path(row), tuple(self.path(int(first[at])) for at in caption))
            for row, caption in pictures
        )
        return RoleLabels(name, kind, tuple(self._entries(first, numbers)), shown)

    def _entries(self, first: Ints, roles: Ints) -> Iterator[tuple[str, str]]:
        """The fewest entries from the root down: one where all segments below have one role."""
        waiting = [0]
        while waiting:
            row = waiting.pop()
            low, high = np.searchsorted(first, [row, self._page.end[row]])
            if low == high:
                continue
            if (roles[low:high] == roles[low]).all():
                yield self.path(row), ROLES[roles[low]]
            else:
                waiting += reversed(self._children(row))

    def _children(self, row: int) -> list[int]:
        end, at, found = self._page.end.item(row), row + 1, []
        while at < end:
            found.append(at)
            at = self._page.end.item(at)
        return found
