"""The article as the desk shows it: its blocks as they will be printed, and between them, in their
places, what was left out.

Each block names its nodes on the page (so that a click can take it out or put it back), its role,
and who decided whether it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import numpy as np

from tearsheet import limits
from tearsheet.addresses import is_web_address
from tearsheet.article import Article, assemble
from tearsheet.components.image_sources import find_image_source
from tearsheet.components.role_lines import find_role, likeliest_roles
from tearsheet.layout import _document
from tearsheet.picture_folder import PLACE, replace_images
from tearsheet.serve.selection import apply_corrections
from tearsheet.store.edits import CHOOSES, Edit
from tearsheet.store.nodes import segments_within
from tearsheet.tags import CODES
from tearsheet.types import ROLES, Block, Bools, Clipping, Figure, Heading, Image, Options

_IMG: Final = CODES["img"]
_EXCERPT: Final = 120  # characters of a block's text in its label
_SMALLEST: Final = 48  # pixels of a picture that somebody may want back
_MOST_PICTURES: Final = 60  # that were left out


def describe_article(article: Article, edits: Sequence[Edit]) -> dict[str, Any]:
    """The article with its edits, as the desk shows it."""
    now = apply_corrections(article, edits)
    known = now.metadata
    return {
        "title": known.title,
        "authors": ", ".join(known.authors),
        "published": (known.published or "")[:10],
        "site": known.site,
        "language": known.language,
        "direction": known.direction,
        "roles": list(ROLES),
        "blocks": _describe_blocks(article, now, edits),
        "missing": list(now.missing),
    }


def picture_addresses(article: Article) -> dict[str, str]:
    """The pictures of an article as data addresses, under the addresses that the blocks use."""
    from base64 import b64encode

    from tearsheet.picture_files import PictureRefused, check_picture

    found = {}
    for url, file in article.pictures.items():
        try:
            safe = check_picture(file)
        except PictureRefused:
            continue
        data = f"data:{safe.media_type};base64,{b64encode(safe.body).decode()}"
        found[_shown_address(url)] = data
    return found


def _describe_blocks(before: Article, now: Article, edits: Sequence[Edit]) -> list[dict[str, Any]]:
    writer = _BlockWriter(now)
    shown = writer.describe_all(_document.body(now))
    if not now.clippings:
        return shown
    others = _LeftOut(now)
    left = [*writer.describe_all(others.blocks()), *others.pictures()]
    _name_deciders(now.clippings[0], edits, [*shown, *left])
    shown = [*shown, *(one | {"kept": False} for one in left[: limits.EDITOR_NODES])]
    first_page = [one for one in shown if one["page"] == 0 and one["row"] >= 0]
    elsewhere = [one for one in shown if one["page"] > 0 or one["row"] < 0]
    return [*sorted(first_page, key=lambda one: (one["row"], not one["kept"])), *elsewhere]


class _BlockWriter:
    """Writes the blocks of an article one by one, each as a sanitised fragment."""

    def __init__(self, article: Article) -> None:
        self._plain = article.replace(pictures={}, reasons=())
        used = sorted({block.level for block in article.blocks if isinstance(block, Heading)})
        self._levels = {level: min(rank, 6) for rank, level in enumerate(used, 2)}
        self._options = Options(fragment=True)
        self._likeliest = [likeliest_roles(made.verdict) for made in article.clippings]

    def describe_all(self, blocks: Sequence[Block]) -> list[dict[str, Any]]:
        return [self.describe(block) for block in blocks]

    def describe(self, block: Block) -> dict[str, Any]:
        page, first, end, _ = block.origin
        images = block.images if isinstance(block, Figure) else ()
        return {
            "kind": type(block).__name__.lower(),
            "html": self._write(block),
            "kept": True,
            "role": "caption" if images else self._find_role(page, first, end),
            "page": page,
            "row": first,
            "nodes": self._find_nodes(block),
            "image": images[0].row if images and page == 0 else -1,
            "by": "",
            "rule": 0,
        }

    def _write(self, block: Block) -> str:
        if isinstance(block, Heading):
            block = replace(block, level=self._levels.get(block.level, 2))
        blocks = replace_images((block,), _show_elsewhere)
        return self._plain.replace(blocks=blocks).to("html", self._options).decode()

    def _find_role(self, page: int, first: int, end: int) -> str:
        if page >= len(self._plain.clippings) or first < 0:
            return ""
        return find_role(self._plain.clippings[page], self._likeliest[page], first, end)

    def _find_nodes(self, block: Block) -> list[int]:
        """The nodes of the first page that an edit must name to take out a whole block."""
        page, first, end, _ = block.origin
        if page or first < 0 or not self._plain.clippings:
            return []
        clipping = self._plain.clippings[0]
        if isinstance(block, Figure):
            rows = [image.row for image in block.images if image.row >= 0]
            return [*rows, *_caption_rows(clipping, block.images)]
        return name_nodes(clipping, first, end)


def name_nodes(clipping: Clipping, first: int, end: int) -> list[int]:
    """The fewest nodes that hold the segments between two rows, and no others."""
    page, segments = clipping.page, clipping.segments
    low, high = np.searchsorted(segments.first, (first, end)).tolist()
    if low == high:
        return []
    for row in (int(segments.block[low]), first):
        if segments_within(page, segments, row) == (low, high):
            return [row]
    return [int(segments.first[i]) for i in range(low, high)][: limits.EDITS_PER_REQUEST]


def _caption_rows(clipping: Clipping, images: Sequence[Image]) -> list[int]:
    """The kept lines that are part of a caption: without its picture, they would be text."""
    segments, keep = clipping.segments, clipping.verdict.keep
    captions = " ".join(f"{image.caption} {image.credit}" for image in images)
    return [
        int(segments.first[i])
        for i in np.flatnonzero(keep).tolist()
        if segments.text[i] in captions and any(_is_near(clipping, i, image) for image in images)
    ]


def _is_near(clipping: Clipping, i: int, image: Image) -> bool:
    return image.row >= 0 and abs(int(clipping.segments.first[i]) - image.row) < 60


class _LeftOut:
    """The parts of a page that its article does not contain."""

    def __init__(self, article: Article) -> None:
        self._article, self._clipping = article, article.clippings[0]

    def blocks(self) -> tuple[Block, ...]:
        """The text that was left out, as blocks."""
        clipping = self._clipping
        rest = self._find_rest()
        if not rest.any():
            return ()
        verdict = replace(clipping.verdict, keep=rest, rows=(), extra_text=())
        others = assemble(replace(clipping, verdict=verdict), self._article.metadata, ())
        return others.blocks

    def _find_rest(self) -> Bools:
        """The segments that are neither in the text, nor its title, nor in a caption."""
        segments = self._clipping.segments
        rest: Bools = ~self._clipping.verdict.keep & ~segments.hidden
        title = self._article.title.casefold()
        captions = [f"{i.caption} {i.credit}" for i in self._article.images if i.caption]
        for i in np.flatnonzero(rest).tolist():
            text = segments.text[i]
            if text.casefold() == title or any(text in caption for caption in captions):
                rest[i] = False
        return rest

    def pictures(self) -> Iterator[dict[str, Any]]:
        """The pictures of the page that the article does not show."""
        page = self._clipping.page
        shown = {image.row for image in self._article.images}
        rows = [row for row in np.flatnonzero(page.tag == _IMG).tolist() if row not in shown]
        for row in rows[:_MOST_PICTURES]:
            source = find_image_source(page, row)
            sizes = (source.width, source.height) if source else ()
            if source is None or any(size is not None and size < _SMALLEST for size in sizes):
                continue
            yield {
                "kind": "picture", "html": "", "kept": False, "role": "", "page": 0, "row": row,
                "nodes": [row], "image": row, "by": "", "rule": 0,
                "text": source.alt or source.url.rpartition("/")[2][:_EXCERPT],
            }  # fmt: skip


def _name_deciders(
    clipping: Clipping, edits: Sequence[Edit], blocks: Sequence[dict[str, Any]]
) -> None:
    """Writes into each block which edit decided about it last."""
    page, segments = clipping.page, clipping.segments
    last = np.full(len(segments) + 1, -1, dtype=np.int32)
    for number, edit in enumerate(edits):
        if edit.do in CHOOSES:
            low, high = segments_within(page, segments, edit.row)
            last[low:high] = number
    for block in blocks:
        for row in block["nodes"][:1]:
            edit_at = int(last[segments_within(page, segments, row)[0]])
            if edit_at >= 0:
                block["by"], block["rule"] = edits[edit_at].by, edits[edit_at].rule


def _show_elsewhere(image: Image) -> Image:
    return replace(image, url=_shown_address(image.url))


def _shown_address(url: str) -> str:
    """An address that may stand in a document: for a data address, a digest of it."""
    if is_web_address(url):
        return url
    return f"{PLACE}{sha256(url.encode()).hexdigest()[:24]}"
