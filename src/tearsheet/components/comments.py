"""The comments of readers below an article: who wrote when what, in answer to whom.

The engine says which lines are comments; here they are told apart. Each comment is an element of
one kind (`<li class="comment">`, `<div class="reply">`): of all kinds of elements around these
lines it is the one of which most have a date or a name of their own, and a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from tearsheet.components import _dates
from tearsheet.components._wording import named_author
from tearsheet.components.role_lines import mark_role
from tearsheet.tags import CODES
from tearsheet.types import Clipping, Comment, Origin, Page

Kind: TypeAlias = tuple[int, str]
"""A tag and a class that elements have."""

_HIGHEST: Final = 30
"""Elements around a line that are looked at: pages nest without limit."""
_MOST_LINES: Final = 20_000
_LONGEST_DATE: Final = 60
_LONGEST_NAME: Final = 60
_MOST_NAME_WORDS: Final = 6
_LONGEST_TOOL: Final = 3
"""Words of a link that does something with a comment ("Reply", "Report abuse")."""
_COVERED: Final = 0.6
"""Share of the words of all comments that the elements of the right kind hold."""
_DIGITS: Final = re.compile(r"\d+")
_DEPTH: Final = re.compile(r' class="[^"]*(?<![a-z])(?:depth|level)[-_]?(\d+)', re.I)
_NAMES_AUTHOR: Final = re.compile(
    r' (?:class|rel|itemprop|id)="[^"]*(?:author|user|name|nick|poster|(?<![a-z])fn(?![a-z]))', re.I
)
_NAMES_DATE: Final = re.compile(r' (?:class|itemprop|id)="[^"]*(?:date|time|(?<![a-z])ago)', re.I)
_SAYS: Final = re.compile(
    r"\s+(?:says|said|wrote|writes|schreibt|sagt|a dit|dice|escribió)?\s*[:：]$"
)
_TIME, _CITE = CODES["time"], CODES["cite"]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a comment, with the elements around it, the innermost first."""

    at: int
    text: str
    words: int
    is_link: bool
    around: tuple[int, ...]


def find_comments(clipping: Clipping) -> tuple[Comment, ...]:
    """The comments on a page, in order; none if the method cannot tell what a comment is."""
    lines = _read_lines(clipping)
    if not lines:
        return ()
    page = clipping.page
    dates = {line.at: when for line in lines if (when := _read_date(page, line))}
    items = _choose_items(page, lines, dates)
    found = (_make_comment(clipping, row, own, items, dates) for row, own in items.items())
    return tuple(comment for comment in found if comment.text)


def _read_lines(clipping: Clipping) -> list[_Line]:
    page, segments = clipping.page, clipping.segments
    chosen = np.flatnonzero(mark_role(clipping.verdict, "comment"))[:_MOST_LINES].tolist()
    return [
        _Line(
            at=i,
            text=segments.text[i],
            words=int(segments.words[i]),
            is_link=2 * int(segments.link_chars[i]) > int(segments.chars[i]),
            around=tuple(_climb(page, int(segments.first[i]))),
        )
        for i in chosen
    ]


def _climb(page: Page, row: int) -> Iterator[int]:
    for _ in range(_HIGHEST):
        row = int(page.parent[row])
        if row < 0:
            return
        yield row


def _read_date(page: Page, line: _Line) -> str:
    """The date that a line is; empty if it is none."""
    if len(line.text) > _LONGEST_DATE:
        return ""
    for row in line.around[:2]:
        declared = page.attribute(row, "datetime") if page.tag[row] == _TIME else None
        if declared and (when := _dates.read_date(declared)):
            return when
    if when := _dates.read_date(line.text):
        return when
    named = any(_NAMES_DATE.search(page.attrs[row]) for row in line.around[:2])
    return line.text if named and any(map(str.isdigit, line.text)) else ""


def _choose_items(
    page: Page, lines: Sequence[_Line], dates: Mapping[int, str]
) -> dict[int, list[_Line]]:
    """The element of each comment with the lines that are in no other; without any such elements,
    all lines are one comment."""
    total = sum(line.words for line in lines)
    best: tuple[int, int, dict[int, list[_Line]]] = (0, 0, {lines[0].around[0]: list(lines)})
    for rows in _group_elements(page, lines).values():
        items = _own_lines(lines, rows)
        inside = sum(line.words for own in items.values() for line in own)
        if inside < _COVERED * total:
            continue
        whole = sum(_is_whole(page, own, dates) for own in items.values())
        if (whole, inside) > best[:2]:
            best = whole, inside, items
    return best[2]


def _group_elements(page: Page, lines: Sequence[_Line]) -> dict[Kind, set[int]]:
    """The elements around the lines by tag and each of their classes, without numbers in them."""
    groups: dict[Kind, set[int]] = defaultdict(set)
    for row in {row for line in lines for row in line.around}:
        classes = _DIGITS.sub("", page.attribute(row, "class") or "").lower().split()
        for name in classes or ("",):
            groups[int(page.tag[row]), name].add(row)
    return groups


def _own_lines(lines: Sequence[_Line], rows: set[int]) -> dict[int, list[_Line]]:
    """The lines in each of these elements; a line counts for the innermost one."""
    found: dict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        inner = next((row for row in line.around if row in rows), None)
        if inner is not None:
            found[inner].append(line)
    return found


def _is_whole(page: Page, own: Sequence[_Line], dates: Mapping[int, str]) -> bool:
    """Whether lines are one comment: a date or a name, at most one date, and a text."""
    dated = sum(line.at in dates for line in own)
    named = any(_is_author(page, line) for line in own)
    has_text = any(line.at not in dates and not line.is_link for line in own)
    return has_text and len(own) > 1 and (dated == 1 or (named and dated < 2))


def _is_author(page: Page, line: _Line) -> bool:
    """Whether an element close around a line says that it names somebody."""
    if len(line.text) > _LONGEST_NAME or line.words > _MOST_NAME_WORDS:
        return False
    return any(
        page.tag[row] == _CITE or _NAMES_AUTHOR.search(page.attrs[row]) for row in line.around[:3]
    )


def _make_comment(
    clipping: Clipping,
    row: int,
    own: Sequence[_Line],
    items: Mapping[int, Sequence[_Line]],
    dates: Mapping[int, str],
) -> Comment:
    page = clipping.page
    author = _find_author(page, own, dates)
    text = [line.text for line in own if _is_text(line, author, dates)]
    score = clipping.verdict.roles["comment"]
    return Comment(
        text="\n\n".join(text),
        author=_clean_name(author.text) if author else "",
        published=next((dates[line.at] for line in own if line.at in dates), ""),
        depth=_find_depth(page, row, items),
        origin=Origin(0, row, int(page.end[row]), float(np.mean([score[line.at] for line in own]))),
    )


def _find_author(page: Page, own: Sequence[_Line], dates: Mapping[int, str]) -> _Line | None:
    """The line that names who wrote a comment: by its element, else a short first line."""
    others = [line for line in own if line.at not in dates]
    named = next((line for line in others if _is_author(page, line)), None)
    if named is not None or len(others) < 2:
        return named
    first = others[0]
    is_short = len(first.text) <= _LONGEST_NAME and first.words <= _MOST_NAME_WORDS
    ends = first.text.endswith((".", "!", "?", "。", "！", "？"))
    return first if is_short and not ends else None


def _is_text(line: _Line, author: _Line | None, dates: Mapping[int, str]) -> bool:
    is_tool = line.is_link and line.words <= _LONGEST_TOOL
    return line is not author and line.at not in dates and not is_tool


def _clean_name(text: str) -> str:
    """The name in a line.

    >>> _clean_name("Ann Lee says:"), _clean_name("By Ann Lee")
    ('Ann Lee', 'Ann Lee')
    """
    text = _SAYS.sub("", text).strip(" ,:|·•-–")
    return named_author(text) or text


def _find_depth(page: Page, row: int, items: Mapping[int, Sequence[_Line]]) -> int:
    """How many comments a comment answers: as its class says, else those around it."""
    declared = _DEPTH.search(page.attrs[row])
    if declared:
        return max(int(declared[1]) - 1, 0) if declared[1].isascii() else 0
    return sum(above in items for above in _climb(page, row))
