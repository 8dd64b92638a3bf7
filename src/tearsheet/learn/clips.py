"""The clip log of the CLG paper (§5, §7.1): what people selected and deselected, as examples.

    store ─ log ─▶ Correction… ─ read ─▶ LabelledPage…, and how many were left out for which reason

A correction starts from what a method kept, so the truth is what is kept after all edits. The nodes
that were selected and deselected by hand are added for the labels a to e (`nodes.label_nodes`).

The store has the page of each correction. If that page was only parsed and a method needs layout,
it is fetched and drawn again; then, as in the paper, a clip is left out if one of its paths no
longer matches anything on the page.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tearsheet import limits
from tearsheet.article import Article
from tearsheet.datasets import registrable_domain
from tearsheet.errors import TearsheetError
from tearsheet.learn.examples import LabelledPage
from tearsheet.learn.labels import labels
from tearsheet.segments import segments
from tearsheet.store import Correction, archive, nodes, records
from tearsheet.store.edits import Edit, Mark, apply_edits
from tearsheet.types import PAGE_TYPES, Bools, Clipping, Floats, Page, Segments

CHANGED: Final = "whose paths no longer match"
PARSED: Final = "only parsed, and not drawn again because of --no-fetch"
AWAY: Final = "that could not be fetched again"
EMPTY: Final = "of which nothing was kept"
UNREADABLE: Final = "that this version cannot read"
COSTLY: Final = "whose paths take too long"
_MOST_NODES: Final = limits.MARKED_NODES + limits.EDITS_PER_CLIP
FORMER: Final = "of an earlier version (`tearsheet store migrate` rewrites them)"


class LeftOut(TearsheetError):
    """A clip that cannot be learnt from; the message is the reason, which is counted."""


@dataclass(slots=True)
class LoggedExamples:
    """The examples of a log, and how many clips were left out for which reason."""

    examples: list[LabelledPage] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def read(
    log: Iterable[Correction],
    *,
    drawn: bool = False,
    hidden: bool = False,
    again: Callable[[str], Page] | None = None,
) -> LoggedExamples:
    """The clips of a log; `again` fetches a page that must be drawn and was not."""
    found = LoggedExamples()
    for correction in log:
        try:
            found.examples.append(_example(correction, drawn, hidden, again))
        except LeftOut as reason:
            found.left_out[str(reason)] += 1
    return found


def draw_again(url: str) -> Page:
    """The page at an address, as a browser draws it now."""
    from tearsheet.acquire.sources import acquire
    from tearsheet.page import read_page
    from tearsheet.types import Options

    return read_page(acquire(url, render=True, options=Options()), Options())


def _example(
    correction: Correction, drawn: bool, hidden: bool, again: Callable[[str], Page] | None
) -> LabelledPage:
    article, marks = _article(correction.article), _marks(correction)
    clipping = article.clippings[0]
    page = clipping.page
    if drawn and page.layout is None:
        page = _fetch_again(correction.url, again)
    edits = _edits(page, marks)
    parts = segments(page, hidden=hidden)
    share = _share(clipping, edits, page, parts, marks)
    if not share.any():
        raise LeftOut(EMPTY)
    selected, deselected = final_marks(page, edits)
    return LabelledPage(
        name=correction.url,
        domain=registrable_domain(correction.url),
        page=page,
        segments=parts,
        share=share,
        page_type=_page_type(article),
        selected=selected,
        deselected=deselected,
    )


def _article(packed: bytes) -> Article:
    try:
        article = archive.unpack(packed)
    except archive.FormerEntry:
        raise LeftOut(FORMER) from None
    except archive.NotAnArticle:
        raise LeftOut(UNREADABLE) from None
    if not article.clippings:
        raise LeftOut(EMPTY)
    return article


def _marks(correction: Correction) -> list[Mark]:
    try:
        return correction.marks
    except records.BadRecord:
        raise LeftOut(UNREADABLE) from None


def _fetch_again(url: str, again: Callable[[str], Page] | None) -> Page:
    if again is None:
        raise LeftOut(PARSED)
    try:
        return again(url)
    except TearsheetError:
        raise LeftOut(AWAY) from None


def _edits(page: Page, marks: Iterable[Mark]) -> list[Edit]:
    """The marked nodes in the order of the marks; all paths must match (§7.1)."""
    found: list[Edit] = []
    paths, until = nodes.PageNodes(page), time.thread_time() + limits.MARKS_SECONDS
    for mark in marks:
        try:
            rows = paths.find(mark.path)
        except nodes.BadPath:
            raise LeftOut(UNREADABLE) from None
        except nodes.CostlyPath:
            raise LeftOut(COSTLY) from None
        if not rows:
            raise LeftOut(CHANGED)
        if len(found) + len(rows) > _MOST_NODES or time.thread_time() > until:
            raise LeftOut(COSTLY)
        found += [Edit(mark.do, row, by=mark.by) for row in rows]
    return found


def _share(
    clipping: Clipping,
    edits: Sequence[Edit],
    page: Page,
    parts: Segments,
    marks: Iterable[Mark],
) -> Floats:
    """How much of each segment was kept in the end; on a page fetched again, by its words."""
    if page is clipping.page:
        return _transfer(page, clipping.segments, apply_edits(clipping, edits), parts)
    then = apply_edits(clipping, _edits(clipping.page, marks))
    text = [line for line, kept in zip(clipping.segments.text, then) if kept]
    return labels(parts, "\n".join(text))


def _transfer(page: Page, before: Segments, keep: Bools, parts: Segments) -> Floats:
    """The same choice for other segments of the page (those with hidden text)."""
    edges = np.zeros(len(page) + 1, dtype=np.int32)
    edges[before.first[keep]] += 1
    edges[before.last[keep] + 1] -= 1
    total = np.concatenate(([0], np.cumsum(np.cumsum(edges))))
    return (total[parts.last + 1] > total[parts.first]).astype(np.float32)


def final_marks(page: Page, edits: Sequence[Edit]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The nodes selected and deselected in the end: a later mark replaces those inside it."""
    replaced = np.zeros(len(page), dtype=np.bool_)
    left: dict[str, list[int]] = {"select": [], "deselect": []}
    for edit in reversed(edits):
        if not replaced[edit.row]:
            left[edit.do].append(edit.row)
        replaced[edit.row : page.end[edit.row]] = True
    return tuple(sorted(left["select"])), tuple(sorted(left["deselect"]))


def _page_type(article: Article) -> str:
    likely = article.likeliest_type
    return likely if likely in PAGE_TYPES else "article"
