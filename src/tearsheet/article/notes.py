"""Footnotes: short links to places further down, and the elements at those places."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from tearsheet.tags import BLOCKS, CODES, mask
from tearsheet.types import Ints, Page

_LABEL: Final = re.compile(r"[\[(]?(?:[\w*†‡§]{1,4}|note \d+|nb \d+)[\])]?\.?", re.IGNORECASE)
_NOTE_NAME: Final = re.compile(r"(?:fn|note|cite|ref|ftn|foot|bib)", re.IGNORECASE)
_ID: Final = re.compile(r' (?:id|name)="([^"]*)"')
_TARGETS: Final = mask(*"li p div dd aside section td tr".split())
_BRACKETS: Final = "[]().^ "
_WORD: Final = re.compile(r"\w")
_SUP: Final = CODES["sup"]


@dataclass(frozen=True, slots=True)
class Notes:
    """Which links refer to notes, which elements are notes, and which links lead back."""

    references: Mapping[int, str] = field(default_factory=dict)
    """Row of the link: id of the note."""
    targets: Mapping[int, str] = field(default_factory=dict)
    """Row of the element: id of the note."""
    labels: Mapping[str, str] = field(default_factory=dict)
    backlinks: frozenset[int] = frozenset()


_NONE: Final = Notes()


def find_notes(page: Page, links: list[int], count: Ints) -> Notes:
    """The footnotes among the links that take part in an article."""
    local = [(row, page.attribute(row, "href") or "") for row in links
             if ' href="#' in page.attrs[row]]  # fmt: skip
    if not local:
        return _NONE
    candidates = {row: unquote(href[1:]) for row, href in local if _is_reference(page, row, href)}
    if not candidates:
        return _NONE
    rows = _find_targets(page, set(candidates.values()), count)
    references: dict[int, str] = {}
    labels: dict[str, str] = {}
    targets: dict[int, str] = {}
    for row, name in candidates.items():
        target = rows.get(name)
        if target is None or target < row:  # notes follow their text; links up lead back to it
            continue
        note = targets.setdefault(target, f"fn-{len(targets) + 1}")
        references[row] = note
        labels.setdefault(note, page.inner_text(row).strip(_BRACKETS) or name)
    backlinks = _find_backlinks(page, [row for row, _ in local if row not in references], targets)
    return Notes(references, targets, labels, backlinks)


def _is_reference(page: Page, row: int, href: str) -> bool:
    if len(href) < 2 or page.end[row] - row > 12:
        return False
    if not _LABEL.fullmatch(page.inner_text(row)):
        return False
    if "noteref" in page.attrs[row] or _NOTE_NAME.search(href):
        return True
    return bool(page.tag[page.parent[row]] == _SUP or _SUP in page.tag[row : page.end[row]])


def _find_targets(page: Page, wanted: set[str], count: Ints) -> dict[str, int]:
    """For each id: the row of the note, if it holds kept text."""
    found: dict[str, int] = {}
    for row, raw in enumerate(page.attrs):
        if "=" not in raw:
            continue
        for name in _ID.findall(raw):
            if name in wanted and name not in found:
                target = _note_element(page, row)
                if target is not None and count[page.end[target]] > count[target]:
                    found[name] = target
    return found


def _note_element(page: Page, row: int) -> int | None:
    """The element itself, or the block around an anchor."""
    while not BLOCKS[page.tag[row]]:
        row = int(page.parent[row])
        if row < 0:
            return None
    return row if _TARGETS[page.tag[row]] and page.end[row] - row < 400 else None


def _find_backlinks(page: Page, links: list[int], targets: Mapping[int, str]) -> frozenset[int]:
    """The links inside notes that lead back to the text and have no words of their own."""
    starts = sorted(targets)
    found = set()
    for row in links:
        at = bisect(starts, row) - 1
        if at >= 0 and row < page.end[starts[at]] and not _WORD.search(page.inner_text(row)):
            found.add(row)
    return frozenset(found)
