"""Which rows of the page take part in the article, and what is known of each: array work, and two
passes down the rows, to which `material.pxd` gives machine types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet import tags
from tearsheet.article import formulas, notes
from tearsheet.components import caption_lines
from tearsheet.tags import CODES, MARKS, UNSEEN, mask
from tearsheet.types import Bools, Clipping, Figure, Image, Ints, Page, Run
from tearsheet.views import view

Rows: TypeAlias = npt.NDArray[np.intp]

TEXT = tags.TEXT
_SHAPE: Final = mask(
    *"a h1 h2 h3 h4 h5 h6 ul ol menu dir li dl dt dd blockquote pre listing xmp plaintext".split(),
    *"table caption tr td th".split(),
    *(name for name, code in CODES.items() if code in MARKS),
)
"""Elements that the article's blocks and runs tell of. All others only break lines."""
_WITHIN_LINES: Final = mask("a", *(name for name, code in CODES.items() if code in MARKS))
# What a tag means for the rows, a bit each.
_SHAPES, _IN_LINES, _CELL, _HIDES = 1, 2, 4, 8
_MEANING: Final = (
    _SHAPE * _SHAPES | _WITHIN_LINES * _IN_LINES | mask("td", "th") * _CELL | UNSEEN * _HIDES
).astype(np.uint8)
_ATOMS: Final = mask(*"hr iframe video audio object embed".split())
_A, _TABLE = CODES["a"], CODES["table"]
_CAPTION_REACH: Final = (3, 8)
"""How many segments before and after its picture a caption may stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The rows of an article. `rows` are in document order; the rest is looked up by row."""

    page: Page
    rows: list[int]
    tag: Sequence[int]
    end: Sequence[int]
    segment: Sequence[int]
    """For each row: the number of its kept segment among the kept ones (text rows only)."""
    joins: list[bool]
    """For each kept segment: a single `<br>` separates it from the kept one before."""
    whole: list[str]
    """For each kept segment: its text when it is all in one row; else empty."""
    score: list[float]
    text: Bools
    """True for the rows of kept text."""
    count: Ints
    """How many kept rows of text, pictures and formulas stand before each row."""
    tables: list[int]
    """Rows of the tables that take part."""
    figures: Mapping[int, Figure]
    formulas: Mapping[int, formulas.Formula]
    notes: notes.Notes


def gather(clipping: Clipping, images: Sequence[Image]) -> Material:
    """What the builder needs of a page, its kept segments and its pictures."""
    keep = clipping.verdict.keep
    moved, figures = _figures(clipping, images)
    return _material(clipping, keep if moved is None else keep & ~moved, figures)


def gather_prose(clipping: Clipping) -> Material:
    """The same without pictures and captions, which needs no search for pictures."""
    keep, words = clipping.verdict.keep, clipping.segments.words
    called = caption_lines.find_caption_lines(clipping.page, clipping.segments, keep)
    # Where they are most of the text, that is not what they are.
    if called.any() and 2 * int(words[called].sum()) < int(words[keep].sum()):
        keep = keep & ~called
    return _material(clipping, keep, {}, lines=True)


def _material(
    clipping: Clipping, keep: Bools, figures: Mapping[int, Figure], *, lines: bool = False
) -> Material:
    """With `lines`, styles and links are not wanted: where nothing in a line means more than its
    text, the line is taken as it is in its segment."""
    page, segments, kept = clipping.page, clipping.segments, np.flatnonzero(keep)
    numbers = kept.tolist()
    text, segment = _text_rows(clipping, kept)
    found = formulas.find(clipping, text)
    for formula in found.values():
        text[formula.first : formula.end] = False
    leaf = text.copy() if found or figures else text
    for row in (*figures, *found):
        leaf[row] = True
    count = np.empty(len(page) + 1, dtype=np.int32)
    _sum_up(view(leaf.view(np.uint8)), view(count))
    footnotes = notes.find(page, _links(view(page.tag), view(page.end), view(count)), count)
    lines = lines and not found and not footnotes.targets and not _has_tex(segments.text, numbers)
    chosen = np.zeros(len(page), dtype=np.bool_)
    _choose(
        view(page.tag), view(page.end), view(page.parent), view(count), view(_MEANING), lines,
        view(chosen.view(np.uint8)),
    )  # fmt: skip
    if lines:
        chosen[segments.first[kept]] = True
        whole = [segments.text[i] for i in numbers]
    else:
        chosen |= leaf
        whole = _whole(clipping, kept, bool(found))
    chosen[_between(clipping, np.flatnonzero(_ATOMS[page.tag]))] = True
    for row in footnotes.targets:
        chosen[row] = True
    rows = np.flatnonzero(chosen).tolist()
    return Material(
        page=page,
        rows=rows,
        tag=page.tag.data,
        end=page.end.data,
        segment=segment,
        joins=_joins(
            view(page.breaks),
            view(segments.first),
            view(segments.last),
            view(segments.block),
            numbers,
        ),
        whole=whole,
        score=clipping.verdict.score[kept].tolist(),
        text=text,
        count=count,
        tables=_tables(view(page.tag), rows),
        figures=figures,
        formulas=found,
        notes=footnotes,
    )


def _text_rows(clipping: Clipping, kept: Rows) -> tuple[Bools, Sequence[int]]:
    """Which rows are text of kept segments, and for every row the kept segment it lies in."""
    page, segments = clipping.page, clipping.segments
    text, segment = np.zeros(len(page), dtype=np.bool_), np.empty(len(page), dtype=np.int32)
    _mark(
        view(page.tag), view(page.end), view(_MEANING), view(segments.first.take(kept)),
        view(segments.last.take(kept)), view(text.view(np.uint8)), view(segment),
    )  # fmt: skip
    return text, segment.data


def _mark(tag: Any, end: Any, meaning: Any, first: Any, last: Any, text: Any, segment: Any) -> None:
    """Fills in both columns; `text` is zero before."""
    size, at, hidden = len(first), -1, 0
    for row in range(len(tag)):
        code = tag[row]
        if at + 1 < size and first[at + 1] == row:
            at += 1
        segment[row] = at
        if meaning[code] & _HIDES and end[row] > hidden:
            hidden = end[row]
        if code == TEXT and at >= 0 and row <= last[at] and row >= hidden:
            text[row] = 1


def _sum_up(leaf: Any, count: Any) -> None:
    """How many of the rows before each take part, and of all."""
    before = 0
    for row in range(len(leaf)):
        count[row] = before
        before += leaf[row]
    count[len(leaf)] = before


def _links(tag: Any, end: Any, count: Any) -> list[int]:
    """The rows of the links that hold something that takes part."""
    return [row for row in range(len(tag)) if tag[row] == _A and count[end[row]] > count[row]]


def _choose(
    tag: Any, end: Any, parent: Any, count: Any, meaning: Any, lines: bool, chosen: Any
) -> None:
    """Marks the elements that shape what takes part in the article, with all cells of a row; where
    lines are taken as they are, without those in them. `chosen` is zero before."""
    for row in range(len(tag)):
        bits = meaning[tag[row]]
        if bits & _SHAPES and not (lines and bits & _IN_LINES):
            chosen[row] = count[end[row]] > count[row] or (
                bits & _CELL and parent[row] >= 0 and chosen[parent[row]]
            )


def _tables(tag: Any, rows: list[int]) -> list[int]:
    return [row for row in rows if tag[row] == _TABLE]


def _has_tex(texts: list[str], kept: list[int]) -> bool:
    """Whether formulas may stand in the text, for which it matters what is code."""
    return any("\\" in texts[i] for i in kept)


def _joins(breaks: Any, first: Any, last: Any, block: Any, kept: list[int]) -> list[bool]:
    before, found = -1, []
    for i in kept:
        found.append(
            before >= 0
            and breaks[first[i]] - breaks[last[before]] == 1
            and block[i] == block[before]
        )
        before = i
    return found


def _whole(clipping: Clipping, kept: Rows, formulas: bool) -> list[str]:
    """Segments of one row need no folding again, unless a formula may share their line."""
    if formulas:
        return [""] * len(kept)
    segments, text = clipping.segments, clipping.segments.text
    single = (segments.first[kept] == segments.last[kept]).tolist()
    return [text[i] if one else "" for i, one in zip(kept.tolist(), single)]


def _between(clipping: Clipping, rows: Rows) -> Rows:
    """Those of the rows that stand between two kept segments."""
    if not len(rows):
        return rows
    keep = np.concatenate(([False], clipping.verdict.keep, [False]))
    after = np.searchsorted(clipping.segments.first, rows)
    return rows[keep[after] & keep[after + 1]]


def _figures(
    clipping: Clipping, images: Sequence[Image]
) -> tuple[Bools | None, Mapping[int, Figure]]:
    """The figures by row, and the segments that moved into their captions.

    A caption that the verdict kept is part of the text and moves into `Figure.caption`. One that it
    dropped stays with the image alone: the text of an article is what was kept, no more.
    """
    placed = sorted((image for image in images if image.row >= 0), key=lambda image: image.row)
    if not placed:
        return None, {}
    moved = np.zeros(len(clipping.segments), dtype=np.bool_)
    figures: dict[int, Figure] = {}
    before: Figure | None = None
    for image in placed:
        if before is not None and image.caption and image.caption == before.images[0].caption:
            pictures = (*before.images, image)
            before = figures[pictures[0].row] = Figure(pictures, before.caption, before.credit)
        else:
            before = figures[image.row] = _figure(clipping, image, moved)
    return moved, figures


def _figure(clipping: Clipping, image: Image, moved: Bools) -> Figure:
    """The figure of one picture; the kept segments that are its caption are marked as moved."""
    found = _caption_segments(clipping, image)
    moved[found] = True
    text = " ".join(clipping.segments.text[i] for i in found)
    credit = image.credit if image.credit and text.endswith(image.credit) else ""
    text = text.removesuffix(credit).rstrip()
    if image.caption_runs and _letters(text) == _letters(image.caption):
        return Figure((image,), image.caption_runs, credit)
    return Figure((image,), (Run(text),) if text else (), credit)


def _caption_segments(clipping: Clipping, image: Image) -> list[int]:
    """The kept segments around a picture that say its caption and credit.

    Letters and figures are compared: white space and signs may have been folded differently.
    """
    caption = _letters(image.caption)
    whole = caption + _letters(image.credit)
    if not whole:
        return []
    texts, keep = clipping.segments.text, clipping.verdict.keep
    at = int(np.searchsorted(clipping.segments.first, image.row))
    near = range(max(0, at - _CAPTION_REACH[0]), min(len(texts), at + _CAPTION_REACH[1]))
    keys = {i: _letters(texts[i]) for i in near if keep[i]}
    return [
        i for i, key in keys.items()
        if (len(key) > 2 and key in whole)
        or (caption and caption in key and len(key) < 2 * len(whole) + 40)
    ]  # fmt: skip


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
