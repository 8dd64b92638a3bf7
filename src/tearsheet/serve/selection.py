"""What people select and deselect on a page, and the article that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet import limits
from tearsheet.article import Article, assemble
from tearsheet.components import images as pictures
from tearsheet.components.image_sources import find_image_source
from tearsheet.errors import TearsheetError
from tearsheet.store import nodes
from tearsheet.store.edits import SELECTS, Edit, Mark, apply_edits
from tearsheet.tags import BLOCKS, CODES, TEXT
from tearsheet.types import Bools, Clipping, Image, Metadata, Page

_IMG: Final = CODES["img"]
_EXCERPT: Final = 120  # characters of a node's text that the editor shows
_SMALLEST: Final = 8.0  # CSS pixels of a box that can be clicked
_SAME: Final = 1.5  # CSS pixels by which two boxes may differ and still look like one


class NoSuchNode(TearsheetError):
    code = "no-such-node"


def apply_corrections(article: Article, edits: Sequence[Edit]) -> Article:
    """The article after its edits."""
    if not edits or not article.clippings:
        return article
    before = article.clippings[0]
    after = replace(
        before, verdict=replace(before.verdict, keep=apply_edits(before, edits), rows=())
    )
    known = _set_title(article.metadata, before.page, edits)
    found = _choose_images(after, known, edits)
    known = _set_lead_image(known, found, edits)
    made = assemble(after, known, found)
    other_pages = [block for block in article.blocks if block.origin.page > 0]
    return article.replace(
        metadata=known,
        blocks=(*made.blocks, *other_pages),
        images=(*found, *(image for image in article.images if image not in found and other_pages)),
        clippings=(after, *article.clippings[1:]),
    )


def check_edits(article: Article, edits: Iterable[Edit]) -> None:
    """Raises when an edit names a row that the page does not have."""
    rows = len(article.clippings[0].page) if article.clippings else 0
    for edit in edits:
        for row in (edit.row, edit.image):
            if not -1 <= row < rows:
                raise NoSuchNode(f"the page has no node {row}; its nodes are 0 to {rows - 1}")
        if edit.row < 0 and (edit.do in (*SELECTS, "image") or not edit.text.strip()):
            raise NoSuchNode(f"'{edit.do}' needs a node")


def _set_title(known: Metadata, page: Page, edits: Iterable[Edit]) -> Metadata:
    for edit in edits:
        if edit.do == "title":
            title = edit.text or page.inner_text(edit.row)
            known = replace(known, title=title, sources={**known.sources, "title": "by hand"})
    return known


def _choose_images(clipping: Clipping, known: Metadata, edits: Iterable[Edit]) -> tuple[Image, ...]:
    """The pictures near the kept text, with those that were selected, without those dropped."""
    page = clipping.page
    found = {
        image.row: image
        for image in pictures.find_images(
            page, clipping.segments, clipping.verdict, known.title, known.authors
        )
    }
    images = np.flatnonzero(page.tag == _IMG)
    for edit in edits:
        rows = range(edit.row, int(page.end[edit.row])) if edit.row >= 0 else range(0)
        if edit.do == "deselect":
            fewer, others = (rows, found) if len(rows) < len(found) else (found, rows)
            for row in [row for row in fewer if row in others]:
                del found[row]
        elif edit.do in ("select", "image"):
            drawn = [row for row in _images_within(images, rows) if row not in found]
            found |= {row: image for row in drawn if (image := _read_image(page, row)) is not None}
        elif edit.do == "caption" and edit.image in found:
            caption = edit.text or page.inner_text(edit.row)
            by_hand = replace(found[edit.image], caption=caption, caption_runs=(), rule="by hand")
            found[edit.image] = by_hand
    return tuple(found[row] for row in sorted(found))


def _images_within(images: npt.NDArray[np.intp], rows: range) -> list[int]:
    first, last = np.searchsorted(images, (rows.start, rows.stop))
    found: list[int] = images[first:last].tolist()
    return found


def _read_image(page: Page, row: int) -> Image | None:
    source = find_image_source(page, row)
    if source is None:
        return None
    return Image(
        source.url, alt=source.alt, width=source.width, height=source.height, row=row,
        box=page.box(row), rule="by hand",
    )  # fmt: skip


def _set_lead_image(known: Metadata, found: Sequence[Image], edits: Iterable[Edit]) -> Metadata:
    at = {image.row: image.url for image in found}
    for edit in edits:
        if edit.do == "image" and edit.row in at:
            known = replace(known, lead_image=at[edit.row])
    return known


def describe_page(article: Article, edits: Sequence[Edit]) -> dict[str, Any]:
    """What the editor shows: nodes with their boxes, segments, and which of them are kept."""
    clipping = article.clippings[0]
    page, segments = clipping.page, clipping.segments
    layout = page.layout
    return {
        "rendered": layout is not None,
        "width": round(layout.width) if layout else 0,
        "height": round(layout.height) if layout else 0,
        "nodes": [_describe_node(clipping, row) for row in _clickable_rows(clipping)],
        "segments": [
            {"node": node, "text": text[:_EXCERPT]}
            for node, text in zip(segments.block.tolist(), segments.text, strict=True)
        ],
        **describe_state(article, edits),
    }


def describe_state(article: Article, edits: Sequence[Edit]) -> dict[str, Any]:
    """What changes with every edit."""
    now = apply_corrections(article, edits)
    keep = apply_edits(article.clippings[0], edits)
    return {
        "title": now.title,
        "kept": "".join("1" if one else "0" for one in keep.tolist()),
        "images": [{"node": i.row, "caption": i.caption, "alt": i.alt} for i in now.images],
        "edits": [edit.to_json() for edit in edits],
    }


def _describe_node(clipping: Clipping, row: int) -> dict[str, Any]:
    page = clipping.page
    first, last = nodes.segments_within(page, clipping.segments, row)
    node: dict[str, Any] = {
        "row": row,
        "end": int(page.end[row]),
        "tag": nodes.tag_name(page, row),
        "first": first,
        "last": last,
        "text": page.inner_text(row)[:_EXCERPT] or (page.attribute(row, "alt") or "")[:_EXCERPT],
    }
    box = page.box(row)
    if box is not None:
        node["box"] = [round(edge) for edge in box]
    return node


def _clickable_rows(clipping: Clipping) -> list[int]:
    """The nodes that can be clicked: blocks and pictures; if several share a box, the outermost."""
    page, segments = clipping.page, clipping.segments
    chosen = (BLOCKS[page.tag] | (page.tag == _IMG)) & (page.tag != TEXT)
    chosen[: min(len(page), 1)] = False
    begins = np.zeros(len(page) + 1, dtype=np.int32)
    np.add.at(begins, segments.first + 1, 1)
    count = np.cumsum(begins)
    chosen &= (count[page.end] > count[:-1]) | (page.tag == _IMG)
    chosen[[int(row) for row in np.unique(segments.block)]] = True
    if page.layout is not None:
        chosen &= page.layout.visible & ~_same_box(page)
        wide = page.layout.x1 - page.layout.x0 >= _SMALLEST
        chosen &= wide & (page.layout.y1 - page.layout.y0 >= _SMALLEST)
    rows: list[int] = np.flatnonzero(chosen).tolist()
    return rows[: limits.EDITOR_NODES]


def _same_box(page: Page) -> Bools:
    """Whether each node has the same box as its parent."""
    at, up = page.layout, np.maximum(page.parent, 0)
    if at is None:
        return np.zeros(len(page), dtype=np.bool_)
    edges = (at.x0, at.y0, at.x1, at.y1)
    same = np.all([np.abs(edge - edge[up]) < _SAME for edge in edges], axis=0)
    return np.asarray(same & (page.parent >= 0), dtype=np.bool_)


def suggest_rules(article: Article, edits: Sequence[Edit]) -> list[Mark]:
    """The selections and deselections by hand as rules for the site, each once."""
    clipping = article.clippings[0]
    found: dict[Mark, None] = {}
    paths = nodes.PageNodes(clipping.page)
    for i, edit in enumerate(edits):
        if (edit.do == "select" or edit.do == "deselect") and edit.by == "person":
            keep = apply_edits(
                clipping, edits[: i + 1]
            )  # what is dropped from it later has its own rule
            wanted = edit.do == "select"
            path = paths.general_path(edit.row, clipping.segments, keep, wanted=wanted)
            found[Mark(edit.do, path, "rule")] = None
    return list(found)
