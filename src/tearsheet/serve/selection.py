"""People's selections and deselections on a page, and the article that results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet import limits
from tearsheet.article import Article, assemble
from tearsheet.components import images as pictures
from tearsheet.components.image_sources import find_image_source
from tearsheet.components.metadata import read_field
from tearsheet.errors import TearsheetError
from tearsheet.store import nodes
from tearsheet.store.edits import (
    CHOOSES,
    Edit,
    FoundEdits,
    Mark,
    Selects,
    apply_edits,
    count_removed,
    find_edits,
    role_at,
)
from tearsheet.tags import BLOCKS, CODES, TEXT
from tearsheet.types import Bools, Clipping, Floats, Image, Metadata, Page

_IMG: Final = CODES["img"]
_EXCERPT: Final = 120  # characters of a node's text that the editor shows
_FIELD_OF_ROLE: Final = {"title": "title", "byline": "authors", "date": "published"}
"""Text with one of these roles repeats the head of the document."""
_SMALLEST: Final = 8.0  # CSS pixels of a box that can be clicked
_SHORT: Final = 140  # characters of a text that other pages may repeat
_LINE, _LINES = 300, 60  # characters of a line and lines of a clip that a preview shows
_SAME: Final = 1.5  # CSS pixels by which two boxes may differ and still look like one


class DrawnBoxes(NamedTuple):
    """The size of a drawing, and the box of each row of the page in it."""

    width: int
    height: int
    boxes: Floats


class NoSuchNode(TearsheetError):
    code = "no-such-node"


def apply_corrections(article: Article, edits: Sequence[Edit]) -> Article:
    """The article after its edits."""
    if not edits or not article.clippings:
        return article
    before = article.clippings[0]
    verdict = replace(
        before.verdict, keep=apply_edits(before, edits), roles=_set_roles(before, edits), rows=()
    )
    after = replace(before, verdict=verdict)
    known = _set_metadata(article.metadata, before.page, edits)
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
        if edit.row < 0 and (
            edit.do in (*CHOOSES, "image") or (edit.do == "title" and not edit.text.strip())
        ):
            raise NoSuchNode(f"'{edit.do}' needs a node")


def _set_roles(clipping: Clipping, edits: Iterable[Edit]) -> Mapping[str, Floats]:
    """The probabilities of roles; 1 where a person gave the role."""
    roles = clipping.verdict.roles
    given = [edit for edit in edits if edit.do == "role"]
    if not given or not roles:
        return roles
    roles = {name: column.copy() for name, column in roles.items()}
    for edit in given:
        first, last = nodes.segments_within(clipping.page, clipping.segments, edit.row)
        for name, column in roles.items():
            column[first:last] = name == edit.text
    return roles


def _set_metadata(known: Metadata, page: Page, edits: Iterable[Edit]) -> Metadata:
    for edit in edits:
        field = _FIELD_OF_ROLE.get(edit.text, "") if edit.do == "role" else edit.do
        if field not in _FIELD_OF_ROLE.values():
            continue
        text = page.inner_text(edit.row) if edit.row >= 0 else edit.text
        sources = {**known.sources, field: "by hand"}
        known = replace(known, **{field: read_field(field, text)}, sources=sources)
    return known


def _choose_images(clipping: Clipping, known: Metadata, edits: Iterable[Edit]) -> tuple[Image, ...]:
    """The pictures near the kept text, plus selected ones, minus dropped ones."""
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
            caption = edit.text if edit.row < 0 else page.inner_text(edit.row)
            found[edit.image] = _set_caption(found[edit.image], caption)
        elif edit.do == "role" and edit.text == "caption" and found:
            nearest = min(found, key=lambda row: abs(row - edit.row))
            found[nearest] = _set_caption(found[nearest], page.inner_text(edit.row))
    return tuple(found[row] for row in sorted(found))


def _set_caption(image: Image, caption: str) -> Image:
    return replace(image, caption=caption, credit="", caption_runs=(), rule="by hand")


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


def describe_page(
    article: Article, edits: Sequence[Edit], drawing: DrawnBoxes | None
) -> dict[str, Any]:
    """The page beside the article: nodes with their boxes in a drawing, segments, and which of them
    are kept."""
    clipping = article.clippings[0]
    segments, boxes = clipping.segments, drawing.boxes if drawing else None
    if boxes is not None and len(boxes) != len(clipping.page):
        boxes = None
    return {
        "width": drawing.width if drawing else 0,
        "height": drawing.height if drawing else 0,
        "nodes": _describe_nodes(clipping, boxes),
        "segments": [
            {"node": node, "text": text[:_EXCERPT]}
            for node, text in zip(segments.block.tolist(), segments.text, strict=True)
        ],
        **describe_state(article, edits),
    }


def describe_state(article: Article, edits: Sequence[Edit]) -> dict[str, Any]:
    """The state that changes with every edit."""
    now = apply_corrections(article, edits)
    keep = apply_edits(article.clippings[0], edits)
    return {
        "title": now.title,
        "kept": "".join("1" if one else "0" for one in keep.tolist()),
        "images": [{"node": i.row, "caption": i.caption, "alt": i.alt} for i in now.images],
        "edits": [edit.to_json() for edit in edits],
    }


def _describe_nodes(clipping: Clipping, boxes: Floats | None) -> list[dict[str, Any]]:
    """The nodes and lines that can be clicked, in document order."""
    found = [_describe_node(clipping, row, boxes) for row in _clickable_rows(clipping, boxes)]
    if boxes is not None:
        found += _describe_lines(clipping, boxes)
    return sorted(found, key=lambda node: int(node["row"]))[: limits.EDITOR_NODES]


def _describe_lines(clipping: Clipping, boxes: Floats) -> Iterator[dict[str, Any]]:
    """The lines that have no element of their own, such as text between line breaks."""
    page, segments = clipping.page, clipping.segments
    low, high = np.searchsorted(segments.first, (segments.block, page.end[segments.block]))
    for i in np.flatnonzero(high - low > 1).tolist():
        first, last = int(segments.first[i]), int(segments.last[i])
        drawn = boxes[first : last + 1][page.tag[first : last + 1] == TEXT]
        drawn = drawn[(drawn[:, 2:] > drawn[:, :2]).all(axis=1)]
        if len(drawn):
            edges = (*drawn[:, :2].min(axis=0), *drawn[:, 2:].max(axis=0))
            yield {
                "row": first, "end": last + 1, "tag": "", "first": i, "last": i + 1,
                "text": segments.text[i][:_EXCERPT], "box": [round(float(edge)) for edge in edges],
            }  # fmt: skip


def _describe_node(clipping: Clipping, row: int, boxes: Floats | None) -> dict[str, Any]:
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
    if boxes is not None:
        node["box"] = [round(edge) for edge in boxes[row].tolist()]
    return node


def _clickable_rows(clipping: Clipping, boxes: Floats | None) -> list[int]:
    """The nodes that can be clicked: blocks and pictures; if several share a box, the outermost."""
    page, segments = clipping.page, clipping.segments
    chosen = (BLOCKS[page.tag] | (page.tag == _IMG)) & (page.tag != TEXT)
    chosen[: min(len(page), 1)] = False
    begins = np.zeros(len(page) + 1, dtype=np.int32)
    np.add.at(begins, segments.first + 1, 1)
    count = np.cumsum(begins)
    chosen &= (count[page.end] > count[:-1]) | (page.tag == _IMG)
    chosen[[int(row) for row in np.unique(segments.block)]] = True
    if boxes is not None:
        chosen &= ~_same_box(page, boxes)
        chosen &= (boxes[:, 2:] - boxes[:, :2] >= _SMALLEST).all(axis=1)
    rows: list[int] = np.flatnonzero(chosen).tolist()
    return rows[: limits.EDITOR_NODES]


def _same_box(page: Page, boxes: Floats) -> Bools:
    """Whether each node has the same box as its parent."""
    up = np.maximum(page.parent, 0)
    same = (np.abs(boxes - boxes[up]) < _SAME).all(axis=1)
    return np.asarray(same & (page.parent >= 0), dtype=np.bool_)


def suggest_rules(article: Article, edits: Sequence[Edit]) -> list[Mark]:
    """The selections and deselections by hand as rules for the site, each once.

    A rule needs evidence that other pages share: the name of an element, the role of its text, or a
    short text. An edit without such evidence makes no rule.
    """
    clipping = article.clippings[0]
    paths = nodes.PageNodes(clipping.page)
    found: dict[Mark, None] = {}
    for i, edit in enumerate(edits):
        if (edit.do == "select" or edit.do == "deselect") and edit.by == "person":
            keep = apply_edits(clipping, edits[: i + 1])  # nodes dropped later have their own rule
            rule = _find_rule(clipping, paths, edit.row, edit.do, keep)
            if rule is not None:
                found[rule] = None
    return list(found)


def _find_rule(
    clipping: Clipping, paths: nodes.PageNodes, row: int, do: Selects, keep: Bools
) -> Mark | None:
    """The rule with the least evidence that is right on this page."""
    page = clipping.page
    agrees = keep == (do == "select")
    total = np.concatenate(([0], np.cumsum(agrees)))
    role = role_at(clipping, row)
    marks = [
        Mark(do, path, "rule", role=wanted)
        for path in paths.general_paths(row)
        for wanted in dict.fromkeys(("", role))
    ]
    text = page.inner_text(row)
    if 0 < len(text) <= _SHORT:
        tag = nodes.tag_name(page, nodes.find_element(page, row))
        marks.append(Mark(do, f"//{tag}", "rule", text=nodes.text_shape(text)))
    for mark in marks:
        named = [edit.row for edit in find_edits(clipping, [mark._replace(by="before")]).edits]
        if named and all(_is_whole(clipping, one, total) for one in named):
            removed = count_removed(clipping, named) if do == "deselect" else 0
            return mark._replace(words=removed)
    return None


def _is_whole(clipping: Clipping, row: int, total: npt.NDArray[Any]) -> bool:
    first, last = nodes.segments_within(clipping.page, clipping.segments, row)
    return bool(total[last] - total[first] == last - first)


def try_rule(article: Article, edits: Sequence[Edit], rule: Mark) -> dict[str, Any]:
    """The changes that a rule would make in a clip, line by line."""
    clipping = article.clippings[0]
    found = find_edits(clipping, [rule])
    before, after = (
        apply_edits(clipping, edits),
        apply_edits(clipping, add_rule_edits(edits, found)),
    )
    words, text = clipping.segments.words, clipping.segments.text
    changed = np.flatnonzero(before != after).tolist()
    return {
        "matches": bool(found.edits),
        "before": int(words[before].sum()),
        "after": int(words[after].sum()),
        "lines": [{"text": text[i][:_LINE], "kept": bool(after[i])} for i in changed[:_LINES]],
        "more": max(len(changed) - _LINES, 0),
        "danger": next((use.danger for use in found.uses), ""),
    }


def add_rule_edits(edits: Sequence[Edit], found: FoundEdits) -> list[Edit]:
    """Edits with those of one more rule. The edits of people come last, and so decide."""
    rules = [edit for edit in edits if edit.by == "rule"]
    people = [edit for edit in edits if edit.by != "rule"]
    return [*rules, *found.edits, *people]
