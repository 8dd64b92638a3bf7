"""One correction of a clip, as everything handles it: editor, store, rules and learning.

    Edit   by the row of a node: holds for one page as it was read
    Mark   the same by a lasting path: found again on the page later, or on other pages of its site

An edit sets all segments of a node, so dropping a node inside a selected one deselects it (figure 4
of Wu et al., "Automatic Web Content Extraction by Combination of Learning and Grouping", WWW
2015). Edits are kept in the order in which they were made; removing the last one undoes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from tearsheet.store import nodes
from tearsheet.types import Bools, Clipping, Page

Selects: TypeAlias = Literal["select", "deselect"]
Action: TypeAlias = Literal["select", "deselect", "title", "image", "caption"]
Author: TypeAlias = Literal["person", "rule", "before"]
SELECTS: Final = ("select", "deselect")


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction: of a node of the first page, or with a text that somebody wrote."""

    do: Action
    row: int = -1
    text: str = ""
    """The title or caption itself, if it is not a node's."""
    image: int = -1
    """For a caption: the row of its picture."""
    by: Author = "person"
    """before: somebody made it when this page was clipped an earlier time."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Edit:
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """The edit as the store keeps it and the service answers it."""
        return asdict(self)


class Mark(NamedTuple):
    """A selection or deselection by the path of a node."""

    do: Selects
    path: str
    by: Author = "person"


def marks_to_json(marks: Iterable[Mark]) -> str:
    """Marks as the store keeps them."""
    return json.dumps([list(mark) for mark in marks])


def marks_from_json(text: str) -> list[Mark]:
    """The marks that `marks_to_json` wrote."""
    return [Mark(*values) for values in json.loads(text)]


def name_edits(page: Page, edits: Iterable[Edit]) -> list[Mark]:
    """The selections and deselections by the paths at which they can be found again."""
    return [
        Mark(edit.do, nodes.exact_path(page, edit.row), edit.by)
        for edit in edits
        if edit.do == "select" or edit.do == "deselect"
    ]


def find_edits(page: Page, marks: Iterable[Mark]) -> list[Edit]:
    """What marks do to this page; one whose path matches nothing does nothing."""
    return [
        Edit(mark.do, row, by=mark.by) for mark in marks for row in nodes.find_rows(page, mark.path)
    ]


def apply_edits(clipping: Clipping, edits: Sequence[Edit]) -> Bools:
    """Which segments are kept after all edits."""
    keep = clipping.verdict.keep.copy()
    for edit in edits:
        if edit.do in SELECTS:
            first, last = nodes.segments_within(clipping.page, clipping.segments, edit.row)
            keep[first:last] = edit.do == "select"
    return keep
