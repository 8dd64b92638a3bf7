"""The clip log of the CLG paper (§5, §7.1): what people selected and deselected, as examples.

    store ─ log ─▶ Correction… ─ read ─▶ LabelledPage…, and how many were left out, and why

A correction begins with what a method kept, so its truth is what is kept after all edits; the nodes
that were selected and deselected by hand go with it, for the labels a to e (`nodes.labelled`).

The page is kept with its correction. Where it was only parsed and a method needs to see it, it can
be fetched and drawn again; then, as in the paper, a clip is left out if one of its paths matches
nothing on the page any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tearsheet.article import Article
from tearsheet.datasets import registrable_domain
from tearsheet.errors import TearsheetError
from tearsheet.learn.examples import LabelledPage
from tearsheet.learn.labels import labels
from tearsheet.segments import segments
from tearsheet.store import Correction, archive, nodes
from tearsheet.store.edits import Edit, Mark, apply_edits
from tearsheet.types import PAGE_TYPES, Bools, Clipping, Floats, Page, Segments

CHANGED: Final = "whose paths no longer match"
PARSED: Final = "only parsed, not drawn (--fetch draws them again)"
AWAY: Final = "that could not be fetched again"
EMPTY: Final = "of which nothing was kept"
UNREADABLE: Final = "that this version cannot read"


class LeftOut(TearsheetError):
    """A clip cannot be learnt from; the message says why, to be counted."""


@dataclass(slots=True)
class Clips:
    """The examples of a log, and what was left out of it."""

    examples: list[LabelledPage] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def read(
    log: Iterable[Correction],
    *,
    drawn: bool = False,
    hidden: bool = False,
    again: Callable[[str], Page] | None = None,
) -> Clips:
    """The clips of a log; `again` gets a page that must be drawn and was not."""
    found = Clips()
    for correction in log:
        try:
            found.examples.append(_example(correction, drawn, hidden, again))
        except LeftOut as reason:
            found.left_out[str(reason)] += 1
        except AttributeError:  # the values of another version lack what ours have
            found.left_out[UNREADABLE] += 1
    return found


def drawn_again(url: str) -> Page:
    """The page at an address, as a browser draws it now."""
    from tearsheet.acquire.sources import acquire
    from tearsheet.page import read_page
    from tearsheet.types import Options

    return read_page(acquire(url, render=True, options=Options()), Options())


def _example(
    correction: Correction, drawn: bool, hidden: bool, again: Callable[[str], Page] | None
) -> LabelledPage:
    article = _article(correction.article)
    clipping = article.clippings[0]
    page = clipping.page
    if drawn and page.layout is None:
        page = _fetched(correction.url, again)
    edits = _edits(page, correction.marks)
    parts = segments(page, hidden=hidden)
    share = _share(clipping, edits, page, parts, correction.marks)
    if not share.any():
        raise LeftOut(EMPTY)
    selected, deselected = standing(page, edits)
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
    except Exception:  # whatever an older or newer version's bytes make of our values
        raise LeftOut(UNREADABLE) from None
    if not article.clippings:
        raise LeftOut(EMPTY)
    return article


def _fetched(url: str, again: Callable[[str], Page] | None) -> Page:
    if again is None:
        raise LeftOut(PARSED)
    try:
        return again(url)
    except TearsheetError:
        raise LeftOut(AWAY) from None


def _edits(page: Page, marks: Iterable[Mark]) -> list[Edit]:
    """The nodes that were marked, in the order in which they were; all paths must match (§7.1)."""
    found: list[Edit] = []
    for mark in marks:
        rows = nodes.find_rows(page, mark.path)
        if not rows:
            raise LeftOut(CHANGED)
        found += [Edit(mark.do, row, by=mark.by) for row in rows]
    return found


def _share(
    clipping: Clipping,
    edits: Sequence[Edit],
    page: Page,
    parts: Segments,
    marks: Iterable[Mark],
) -> Floats:
    """How much of each segment was kept in the end; on a page got again, by its words."""
    if page is clipping.page:
        return _carried(page, clipping.segments, apply_edits(clipping, edits), parts)
    then = apply_edits(clipping, _edits(clipping.page, marks))
    text = [line for line, kept in zip(clipping.segments.text, then) if kept]
    return labels(parts, "\n".join(text))


def _carried(page: Page, before: Segments, keep: Bools, parts: Segments) -> Floats:
    """What is kept of some segments, for other segments of the same page (with hidden text)."""
    edges = np.zeros(len(page) + 1, dtype=np.int32)
    edges[before.first[keep]] += 1
    edges[before.last[keep] + 1] -= 1
    total = np.concatenate(([0], np.cumsum(np.cumsum(edges))))
    return (total[parts.last + 1] > total[parts.first]).astype(np.float32)


def standing(page: Page, edits: Sequence[Edit]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What is selected and what is deselected in the end: a later mark covers those within it."""
    left: dict[int, str] = {}
    for edit in edits:
        end = int(page.end[edit.row])
        left = {at: done for at, done in left.items() if not edit.row <= at < end}
        left[edit.row] = edit.do
    selected = tuple(sorted(row for row, do in left.items() if do == "select"))
    return selected, tuple(sorted(left.keys() - set(selected)))


def _page_type(article: Article) -> str:
    likely = max(article.page_type, key=article.page_type.__getitem__, default="article")
    return likely if likely in PAGE_TYPES else "article"
