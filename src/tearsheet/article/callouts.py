"""Callouts: boxes in the text that note, advise or warn. Their class names tell."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import Final

import numpy as np

from tearsheet.caching import cache_short
from tearsheet.segments import find_texts
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Block, Heading, Ints, Page, Paragraph, Runs

_CLASS: Final = re.compile(r' class="([^"]*)"')
_BOX: Final = re.compile(
    r"(?<![a-z])(?:admonition|callout|custom-block|notecard|hint-container|alert|"
    r"(?:box|block|card)-(?:note|tip|warning|caution|important|hint))(?![a-z])|"
    r"^(?!tool)[a-z]{2,12}-(?:tip|warning|caution)$"
)
_KINDS: Final = {
    "note": "note", "info": "note", "information": "note", "notice": "note", "tip": "tip",
    "hint": "tip", "success": "tip", "important": "important", "attention": "important",
    "warning": "warning", "warn": "warning", "caution": "caution", "danger": "caution",
    "error": "caution",
}  # fmt: skip
_PLAIN_NAMES: Final = frozenset("note warning tip caution important danger hint notice".split())
"""Classes that mark a callout only if they are the element's first class and text is around it."""
_NO_BOX: Final = re.compile(r"title|heading|icon|content|body|footnote|dismiss|close|inner|header")
_HINTS: Final = (
    "admonition", "callout", "custom-block", "notecard", "hint-container", "alert", "note",
    "warning", "tip", "caution", "important", "danger", "hint", "notice",
    "NOTE", "WARNING", "TIP", "CAUTION", "IMPORTANT",
)  # fmt: skip
_ELEMENTS: Final = mask(*"div section aside details p".split())
_ASIDE: Final = CODES["aside"]
_BOLD: Final = mask("b", "strong")
_LARGEST: Final = 0.4
"""Largest share of the article's text rows; a larger element is no box."""
_LONGEST_LABEL: Final = 80
_TITLE: Final = re.compile(r' class="[^"]*(?:title|heading|header|label)', re.I)
_KIND_ATTRIBUTE: Final = re.compile(r' data-callout="([\w-]+)"')
_SUMMARY: Final = CODES["summary"]


def find_callouts(page: Page, count: Ints, notes: frozenset[int]) -> dict[int, str]:
    """The outermost callouts that hold content, by row, with their kinds.

    `count` counts the kept rows before each row; `notes` are the rows of footnotes.
    """
    hinted = np.zeros(len(page.all_attrs), dtype=np.bool_)
    hinted[find_texts(page.all_attrs, _HINTS)] = True
    likely = hinted.take(page.attrs_at) | (page.tag == _ASIDE)
    rows = (likely & _ELEMENTS.take(page.tag)).nonzero()[0]
    sizes = count.take(page.end.take(rows)) - count.take(rows)
    found: dict[int, str] = {}
    done = 0
    most = _LARGEST * int(count[-1])
    for row, size in zip(rows.tolist(), sizes.tolist()):
        if not size or row < done:
            continue
        raw = page.attrs[row]
        if (size > most and ' class="callout' not in raw) or row in notes:
            continue
        kind = read_kind(raw) if hinted[page.attrs_at[row]] else None
        if kind is not None or (page.tag[row] == _ASIDE and _begins_with_label(page, row)):
            found[row] = kind or ""
            done = int(page.end[row])
    return found


@cache_short(1024)
def read_kind(raw: str) -> str | None:
    """The kind of callout that a class names; None if it names none.

    >>> read_kind(' class="admonition warning"'), read_kind(' class="note-list"')
    ('warning', None)
    """
    match = _CLASS.search(raw)
    names = match[1].casefold() if match else ""
    given = _KIND_ATTRIBUTE.search(raw)
    words = re.split(r"[\s_-]+", f"{given[1].casefold()} {names}" if given else names)
    own = names.split()
    if any(_BOX.search(name) and not _NO_BOX.search(name) for name in own):
        return next((_KINDS[word] for word in words if word in _KINDS), "")
    plain = [name for name in own if name in _PLAIN_NAMES]
    return _KINDS[plain[0]] if plain and len(own) <= 2 else None


def _begins_with_label(page: Page, row: int) -> bool:
    """Whether the first text of an element is in a heading, or bold and ends with a colon."""
    at = row + 1
    end = int(page.end[row])
    while at < end and not (page.text[at] and page.text[at].strip()):
        at += 1
    if at >= end:
        return False
    above = [up for up in page.ancestors(at) if up > row]
    bold = any(_BOLD[page.tag[up]] for up in above) and page.text[at].rstrip().endswith(":")
    return bold or any(HEADINGS[page.tag[up]] for up in above)


def split_title(page: Page, blocks: tuple[Block, ...]) -> tuple[Runs, tuple[Block, ...]]:
    """The title of a callout, and its other blocks."""
    first = blocks[0] if blocks else None
    if isinstance(first, Heading):
        return first.runs, blocks[1:]
    if not isinstance(first, Paragraph):
        return (), blocks
    if split := _split_label(first.runs):
        return split[0], (replace(first, runs=split[1]), *blocks[1:])
    if len(blocks) < 2:
        return (), blocks
    length = sum(len(run.text) for run in first.runs)
    row = first.origin.first
    around = (row, *islice(page.ancestors(row), 2))
    named = any(_TITLE.search(page.attrs[up]) or page.tag[up] == _SUMMARY for up in around)
    bold = all("strong" in run.marks for run in first.runs)
    if length <= _LONGEST_LABEL and (named or bold) and "\n" not in [r.text for r in first.runs]:
        return first.runs, blocks[1:]
    return (), blocks


def _split_label(runs: Runs) -> tuple[Runs, Runs] | None:
    """The bold words with a colon that begin a paragraph, and the rest of it: "Mind: it is hot"."""
    if len(runs) < 2 or "strong" not in runs[0].marks or len(runs[0].text) > _LONGEST_LABEL:
        return None
    label, behind = runs[0].text.rstrip(), runs[1].text.lstrip()
    if not label.endswith(":") and not behind.startswith(":"):
        return None
    rest = (runs[1]._replace(text=behind.removeprefix(":").lstrip()), *runs[2:])
    rest = rest if rest[0].text else rest[1:]
    title = label.rstrip(": ")
    return (
        ((runs[0]._replace(text=title, marks=runs[0].marks - {"strong"}),), rest)
        if title and rest
        else None
    )
