"""One correction of a clip, as everything handles it: editor, store, rules and learning.

    Edit   by the row of a node: holds for one page as it was read
    Mark   the same by a lasting path: found again on the page later, or on other pages of its site

An edit sets all segments of a node, so dropping a node inside a selected one deselects it (figure 4
of Wu et al., "Automatic Web Content Extraction by Combination of Learning and Grouping", WWW
2015). Edits are kept in the order in which they were made; removing the last one undoes it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from tearsheet import limits
from tearsheet.components.role_lines import find_roles
from tearsheet.errors import TearsheetError
from tearsheet.features.subtrees import outermost_rows
from tearsheet.store import records
from tearsheet.store.nodes import PageNodes, segments_within, text_shape
from tearsheet.types import CONTENT_ROLES, Bools, Clipping, Page

Selects: TypeAlias = Literal["select", "deselect"]
Action: TypeAlias = Literal[
    "select", "deselect", "role", "title", "authors", "published", "image", "caption"
]
Author: TypeAlias = Literal["person", "rule", "before"]
SELECTS: Final = ("select", "deselect")
CHOOSES: Final = (*SELECTS, "role")
"""The actions that decide whether text is kept."""
KEPT_ROLES: Final = CONTENT_ROLES | {"subtitle", "contents", "author_note", "pullquote"}
"""Text that somebody gives one of these roles is kept; title, byline, date and caption stand
elsewhere in the document, and the others are left out."""
_SHOWN_LETTERS: Final = 80  # characters of a path in a sentence
_SPARED_WORDS: Final = 40
_SPARED_TIMES: Final = 2
_SPARED_SHARE: Final = 0.1
"""A rule may remove so many words, or so many times the words that it removed when somebody adopted
it, or such a share of the text. A rule that exceeds all three is switched off."""
_MOST_SENTENCES: Final = 5  # sentences about marks that do nothing


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction: it names a node of the first page, or contains a text that somebody wrote."""

    do: Action
    row: int = -1
    text: str = ""
    """The title or caption itself, if it is not a node's; for a role, its name."""
    image: int = -1
    """For a caption: the row of its picture."""
    by: Author = "person"
    """before: somebody made it when this page was clipped an earlier time."""
    rule: int = 0
    """The number of the rule that made it."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Edit:
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """The edit as plain values, for the store and the API."""
        return asdict(self)


class Mark(NamedTuple):
    """A selection or deselection by the path of a node and other evidence."""

    do: Selects
    path: str
    by: Author = "person"
    rule: int = 0
    """The number of the rule."""
    role: str = ""
    """Only text that plays this role; empty: any."""
    text: str = ""
    """Only text of this shape; empty: any."""
    words: int = 0
    """The most words that the rule removed from one page when it was taken."""


_READ_MARK: Final = records.record_reader(Mark)
_MOST_VALUES: Final = 10 * (limits.MARKED_NODES + limits.EDITS_PER_CLIP)
"""Of the corrections of a page: a mark is a list of seven."""


class RuleUse(NamedTuple):
    """The effect of a rule on a page."""

    rule: int
    matched: bool
    danger: str = ""
    """Why it must not be used any more; empty if it may."""


def marks_to_json(marks: Iterable[Mark]) -> str:
    """Marks as JSON, for the store."""
    return json.dumps([list(mark) for mark in marks])


def marks_from_json(text: str) -> list[Mark]:
    """The marks that `marks_to_json` wrote; raises BadRecord if the text is anything else."""
    if type(text) is not str or limits.has_more_values(text.encode(*records.UTF8), _MOST_VALUES):
        raise records.BadRecord("a page has no corrections, or too many")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise records.BadRecord("the corrections of a page are not JSON") from None
    if type(found) is not list:
        raise records.BadRecord("the corrections of a page are not a list")
    return list(map(read_mark, found))


def read_mark(values: Any) -> Mark:
    """The mark of a list of plain values; raises BadRecord if they are of other types."""
    made: Mark = _READ_MARK(values, records.StoredColumns(b"", 0))
    return made


def name_edits(page: Page, edits: Iterable[Edit]) -> list[Mark]:
    """The selections and deselections by the paths at which they can be found again."""
    nodes = PageNodes(page)
    return [
        Mark(edit.do, nodes.exact_path(edit.row), edit.by)
        for edit in edits
        if edit.do == "select" or edit.do == "deselect"
    ]


class FoundEdits(NamedTuple):
    """The effect of marks on a page: the edits, sentences about marks without effect, and the
    effects of rules."""

    edits: list[Edit]
    unused: list[str]
    uses: list[RuleUse]


def find_edits(clipping: Clipping, marks: Iterable[Mark]) -> FoundEdits:
    """The effect of marks on this page. A mark that matches nothing or costs too much is left out
    and reported; so is a rule that would remove far more than it was made for. A node inside
    another that the same mark names is left out, since an edit holds for everything inside.
    """
    page = clipping.page
    nodes, begin = PageNodes(page), time.thread_time()
    found, unused, uses = list[Edit](), list[str](), list[RuleUse]()
    for mark in marks:
        if time.thread_time() - begin > limits.MARKS_SECONDS:
            unused.append(f"{_describe(mark)} was left out: the rules of this page took too long")
            continue
        try:
            rows = _with_text(page, outermost_rows(page, nodes.find(mark.path)), mark.text)
            rows = with_role(clipping, rows, mark.role)
        except TearsheetError as error:
            unused.append(f"{_describe(mark)} was left out: {error}")
            continue
        danger = _find_danger(clipping, rows, mark)
        if mark.by == "rule":
            uses.append(RuleUse(mark.rule, bool(rows), danger))
        if danger:
            unused.append(f"{_describe(mark)} was switched off: {danger}")
        elif not rows and mark.by != "rule":
            unused.append(f"{_describe(mark)} matches nothing on this page")
        elif len(found) + len(rows) > limits.MARKED_NODES:
            unused.append(f"{_describe(mark)} was left out: it names too many nodes of this page")
        else:
            found += [Edit(mark.do, row, by=mark.by, rule=mark.rule) for row in rows]
    return FoundEdits(found, _shorten(unused), uses)


def _with_text(page: Page, rows: list[int], shape: str) -> list[int]:
    """The nodes whose text has a shape; all if it is empty."""
    return [row for row in rows if text_shape(page.inner_text(row)) == shape] if shape else rows


def with_role(clipping: Clipping, rows: list[int], role: str) -> list[int]:
    """The nodes most of whose words play a role; all if it is empty."""
    if not role or not rows:
        return rows
    found = find_roles(clipping, [(row, int(clipping.page.end[row])) for row in rows])
    return [row for row, one in zip(rows, found) if one == role]


def role_at(clipping: Clipping, row: int) -> str:
    """The role of most words of a node; empty if the method cannot tell."""
    return find_roles(clipping, [(row, int(clipping.page.end[row]))])[0]


def count_removed(clipping: Clipping, rows: Iterable[int]) -> int:
    """The kept words within some nodes."""
    inside = np.zeros(len(clipping.segments), dtype=np.bool_)
    for row in rows:
        first, last = segments_within(clipping.page, clipping.segments, row)
        inside[first:last] = True
    return int(clipping.segments.words[inside & clipping.verdict.keep].sum())


def _find_danger(clipping: Clipping, rows: Sequence[int], mark: Mark) -> str:
    """Why a rule must not be used here: it removes far more text than when somebody took it."""
    if mark.by != "rule" or mark.do != "deselect" or not rows:
        return ""
    removed = count_removed(clipping, rows)
    total = int(clipping.segments.words[clipping.verdict.keep].sum())
    usual = max(_SPARED_WORDS, _SPARED_TIMES * mark.words)
    if removed <= usual or removed <= _SPARED_SHARE * total:
        return ""
    return f"it would have removed {removed} of {total} words of a page"


def _describe(mark: Mark) -> str:
    what = "rule" if mark.by == "rule" else "earlier correction"
    path = mark.path if len(mark.path) <= _SHOWN_LETTERS else f"…{mark.path[-_SHOWN_LETTERS:]}"
    return f"the {what} '{mark.do} {path}'"


def _shorten(sentences: list[str]) -> list[str]:
    left = len(sentences) - _MOST_SENTENCES
    return sentences if left <= 0 else [*sentences[:_MOST_SENTENCES], f"… and so are {left} more"]


def apply_edits(clipping: Clipping, edits: Sequence[Edit]) -> Bools:
    """Which segments are kept after all edits."""
    keep = clipping.verdict.keep.copy()
    for edit in edits:
        if edit.do in CHOOSES:
            first, last = segments_within(clipping.page, clipping.segments, edit.row)
            keep[first:last] = edit.do == "select" or edit.text in KEPT_ROLES
    return keep
