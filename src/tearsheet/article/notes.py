"""Footnotes: references in the text, and the elements further down that they refer to.

A reference is a short link to a place further down the page, or a bare raised number if a
paragraph further down begins with it. A note may also stand in the sentence itself, in an element
that a style sheet hides until it is asked for.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from tearsheet.segments import find_texts
from tearsheet.tags import BLOCKS, CODES, TEXT, mask
from tearsheet.types import Bools, Ints, Page

_LABEL: Final = re.compile(
    r"[\[(]?(?:[\w*†‡§]{1,4}|(?:foot)?note:? ?\d+|nb \d+)[\])]?\.?", re.IGNORECASE
)
_NOTE_NAME: Final = re.compile(r"(?:fn|note|cite|ref|ftn|foot|bib)", re.IGNORECASE)
_ID: Final = re.compile(r' (?:id|name)="([^"]*)"')
_TARGETS: Final = mask(*"li p div dd aside section td tr".split())
_BRACKETS: Final = "[]().^ "
_WORD: Final = re.compile(r"\w")
_SUP, _OL, _LI = CODES["sup"], CODES["ol"], CODES["li"]
_NUMBER: Final = re.compile(r"[\[(]?(\d{1,3}|[*†‡§])[\])]?")
_LONGEST_NUMBER: Final = 200
"""Characters of an element that is the number of a note, with all white space."""
_BRACKETED: Final = re.compile(r"\[\d{1,3}\]")
_NUMBERED: Final = re.compile(r"[\[(]?(\d{1,3})[\]).:]?\s+\S")
_INLINE: Final = re.compile(
    r' class="[^"]*(?:footnote|sidenote|marginnote)[\w-]*(?:note|content|text|tooltip|popup|body)\b'
    r'| class="(?:sidenote|marginnote|ltx_note_outer)"'
)
"""Names of elements in a sentence that hold a note."""
_NO_INLINE: Final = re.compile(r"number|refer|link|marker|button|footnotes\b")
_MOST_NAMES: Final = 3
"""Most names of one note."""
_LONGEST_INLINE: Final = 60
"""Most rows of a note inside a sentence."""


@dataclass(frozen=True, slots=True)
class Notes:
    """Which links refer to notes, which elements are notes, and which links lead back."""

    references: Mapping[int, str] = field(default_factory=dict)
    """Row of the link: id of the note."""
    targets: Mapping[int, str] = field(default_factory=dict)
    """Row of the element: id of the note."""
    labels: Mapping[str, str] = field(default_factory=dict)
    backlinks: frozenset[int] = frozenset()
    raised: Mapping[str, str] = field(default_factory=dict)
    """Raised number without a link: id of the note."""
    inline: Mapping[int, str] = field(default_factory=dict)
    """Row of an element inside a sentence: id of the note that it is."""

    def __bool__(self) -> bool:
        return bool(self.targets or self.inline)


def find_notes(page: Page, links: list[int], text: Bools, count: Ints) -> Notes:
    """The footnotes among the links and raised numbers that take part in an article.

    `text` marks the kept rows of text; `count` counts what is kept before each row.
    """
    local = find_local_links(page, links)
    references: dict[int, str] = {}
    labels: dict[str, str] = {}
    targets: dict[int, str] = {}
    for row, target in pair_references(page, local):
        if count[page.end[target]] > count[target]:
            note = targets.setdefault(target, f"fn-{len(targets) + 1}")
            references[row] = note
            label = page.inner_text(row).strip(_BRACKETS)
            labels.setdefault(note, label or str(len(targets)))
    raised = {} if targets else _pair_raised(page, text, targets, labels)
    inline = _find_inline(page, text, labels)
    raised |= _pair_inline(page, text, inline, labels)
    backlinks = _find_backlinks(page, [row for row in local if row not in references], targets)
    return Notes(references, targets, labels, backlinks, raised, inline)


def find_local_links(page: Page, links: list[int]) -> dict[int, str]:
    """The links that lead to a place on this page, with the name of the place."""
    here = (page.url or "").partition("#")[0]
    found: dict[int, str] = {}
    for row in links:
        if "#" not in page.attrs[row]:
            continue
        address, _, name = (page.attribute(row, "href") or "").strip().partition("#")
        # The page may not know its own address; a name of a note is then enough.
        if name and (not address or address == here or _NOTE_NAME.match(name.lstrip("_"))):
            found[row] = unquote(name)
    return found


def pair_references(page: Page, local: Mapping[int, str]) -> Iterator[tuple[int, int]]:
    """The references among links to this page, each with the row of its note further down."""
    wanted = {row: name for row, name in local.items() if _is_reference(page, row, name)}
    rows = _find_targets(page, set(wanted.values())) if wanted else {}
    shared = {row for row, names in Counter(rows.values()).items() if names > _MOST_NAMES}
    for row, name in wanted.items():
        target = rows.get(name)
        # Links up lead back to the text; a block with many names is a list of notes, none itself.
        if target is not None and target > row and target not in shared:
            yield row, target


def _is_reference(page: Page, row: int, name: str) -> bool:
    if page.end[row] - row > 12 or not _LABEL.fullmatch(page.inner_text(row)):
        return False
    if "noteref" in page.attrs[row] or _NOTE_NAME.search(name):
        return True
    if _BRACKETED.fullmatch(page.inner_text(row)):
        return True
    return bool(page.tag[page.parent[row]] == _SUP or _SUP in page.tag[row : page.end[row]])


def _find_targets(page: Page, wanted: set[str]) -> dict[str, int]:
    """For each name: the row of the note."""
    found: dict[str, int] = {}
    # Not by `find_texts`, which looks for its words on every page: most elements have an id.
    named = {
        i: _ID.findall(raw)
        for i, raw in enumerate(page.all_attrs)
        if ' id="' in raw or ' name="' in raw
    }
    called = [i for i, names in named.items() if not wanted.isdisjoint(names)]
    for row in page.rows_with(called):
        for name in named[int(page.attrs_at[row])]:
            if name in wanted and name not in found:
                target = _note_element(page, row)
                if target is not None:
                    found[name] = target
    return found


def _note_element(page: Page, row: int) -> int | None:
    """The element of a note: the row's own if it is a block, else the block around it; None if
    there is none of that kind."""
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
        if at < 0 or row >= page.end[starts[at]]:
            continue
        if not any(map(_WORD.search, page.text[row : page.end[row]])):
            found.add(row)
    return frozenset(found)


def _pair_raised(
    page: Page, text: Bools, targets: dict[int, str], labels: dict[str, str]
) -> dict[str, str]:
    """Raised numbers in the text, each with the paragraph further down that begins with it.

    Adds these to the targets and labels. All numbers from 1 on must have one.
    """
    raised: dict[str, int] = {}
    begins: dict[str, int] = {}
    for row in page.rows(_SUP):
        match = _NUMBER.fullmatch(page.short_text(row, _LONGEST_NUMBER).strip())
        if match is None or not text[row : page.end[row]].any():
            continue
        block = _note_element(page, row)
        if block is not None and _first_text(page, block) >= row:
            begins.setdefault(match[1], block)
        elif CODES["a"] not in page.tag[row : page.end[row]]:
            raised.setdefault(match[1], row)
    last = max(raised.values(), default=0)
    if raised and not begins:
        begins = _numbered_paragraphs(page, text, last) or _closing_list(page, text, raised)
    known = {label: begins[label] for label in raised if begins.get(label, -1) > raised[label]}
    if not raised or len(known) < len(raised) or ("1" not in known and len(known) < 2):
        return {}
    for label, target in known.items():
        targets[target] = f"fn-{len(targets) + 1}"
        labels[targets[target]] = label
    return {label: targets[target] for label, target in known.items()}


def _numbered_paragraphs(page: Page, text: Bools, after: int) -> dict[str, int]:
    """The kept paragraphs after a row that begin with a number, counted from 1."""
    found: dict[str, int] = {}
    for row in range(after + 1, len(page)):
        match = _NUMBERED.match(page.text[row].lstrip()) if text[row] else None
        block = _note_element(page, row) if match else None
        if match is None or block is None or _first_text(page, block) != row:
            continue
        if match[1] == str(len(found) + 1):
            found[match[1]] = block
    return found


def _closing_list(page: Page, text: Bools, raised: Mapping[str, int]) -> dict[str, int]:
    """The items of the numbered list that ends the text, if it has one for each raised number."""
    numbers = [str(n) for n in range(1, len(raised) + 1)]
    lists = page.rows(_OL)
    if not lists or list(raised) != numbers:
        return {}
    first, end = lists[-1], int(page.end[lists[-1]])
    items = [row for row in range(first, end) if page.tag[row] == _LI and page.parent[row] == first]
    is_last = not text[end:].any() and first > max(raised.values())
    return dict(zip(numbers, items)) if is_last and len(items) == len(numbers) else {}


def _pair_inline(
    page: Page, text: Bools, inline: Mapping[int, str], labels: dict[str, str]
) -> dict[str, str]:
    """The raised number right before each note in a sentence, if no other is the same.

    Gives the notes these labels.
    """
    if not inline:
        return {}
    inside = {at for row in inline for at in range(row, int(page.end[row]))}
    rows = [row for row in page.rows(_SUP) if row not in inside and text[row : page.end[row]].any()]
    numbers = {row: page.short_text(row, _LONGEST_NUMBER).strip(_BRACKETS) for row in rows}
    often = Counter(numbers.values())
    found: dict[str, str] = {}
    for row, note in inline.items():
        at = bisect(rows, row) - 1
        if at < 0 or text[page.end[rows[at]] : row].any():
            continue
        number = numbers[rows[at]]
        if number and often[number] == 1:
            found[number] = note
            labels[note] = number
    return found


def _first_text(page: Page, row: int) -> int:
    end = int(page.end[row])
    return next(
        (at for at in range(row, end) if page.tag[at] == TEXT and page.text[at].strip()), end
    )


def _find_inline(page: Page, text: Bools, labels: dict[str, str]) -> dict[int, str]:
    """The notes that stand in a sentence, right behind their reference."""
    found: dict[int, str] = {}
    attrs = page.all_attrs
    named = [i for i in find_texts(page.all_attrs, ("note",)) if _INLINE.search(attrs[i])]
    named = [i for i in named if not _NO_INLINE.search(attrs[i])]
    for row in page.rows_with(named):
        size = int(page.end[row]) - row
        if BLOCKS[page.tag[row]] or size > _LONGEST_INLINE or not text[row : row + size].any():
            continue
        note = f"fn-i{len(found) + 1}"
        labels[note] = str(len(found) + 1)
        found[row] = note
    return found
