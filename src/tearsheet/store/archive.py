"""Articles with the pages they were made from, as bytes for the store.

    mark and version │ Zstandard: length of the JSON, the JSON, the columns

Reading makes only values of our own (`records`), and checks the table of a page (`page_checks`), so
a store that somebody else wrote to cannot run anything here. Earlier versions stored pickles; these
are read by `tearsheet store migrate` alone (`former`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from tearsheet import gc_pause, limits
from tearsheet.article import Article
from tearsheet.errors import TearsheetError
from tearsheet.page.columns import parents
from tearsheet.store import records
from tearsheet.store.page_checks import check_clipping, check_table
from tearsheet.types import Block, Clipping, Image, Ints, Metadata, Page, Resource

MARK: Final = b"TEARSHEET\0"
VERSION: Final = 1
_BEGIN: Final = MARK + bytes([VERSION])
FORMER: Final = b"\x28\xb5\x2f\xfd"
"""The first bytes of entries of earlier versions: the magic number of Zstandard."""
_LEVEL: Final = 1  # of Zstandard: a quarter of the size in a third of zlib's time
_LENGTH: Final = 8  # bytes of the length of the JSON
_NONE: Final = np.empty(0, dtype=np.int32)


class NotAnArticle(TearsheetError):
    """The store has an entry that no version of ours wrote."""

    code = "not-an-article"


class FormerEntry(TearsheetError):
    """The store has an article as an earlier version wrote it."""

    code = "former-store"


class _ArticleState(NamedTuple):
    """The stored values of an article. New fields go to the end and have a default."""

    metadata: Metadata
    blocks: tuple[Block, ...]
    images: tuple[Image, ...]
    text: str | None
    url: str | None
    page_urls: tuple[str, ...]
    confidence: float | None
    reasons: tuple[str, ...]
    page_type: Mapping[str, float]
    method: str
    clippings: tuple[Clipping, ...]
    pictures: Mapping[str, Resource]
    pages: Literal["auto", "one", "all"]
    text_is_of_blocks: bool


_read_state: Final = records.record_reader(_ArticleState)


def pack(article: Article) -> bytes:
    """The article and its pages, without the evidence that only the method itself can give.

    Text that was not needed yet is not computed; the unpacked article can do so.
    """
    import zstandard

    plain = article.replace(clippings=tuple(_strip(clipping) for clipping in article.clippings))
    header, columns = records.write(_write_state(plain))
    text = header.encode(*records.UTF8)
    body = b"".join([len(text).to_bytes(_LENGTH, "little"), text, *columns])
    return _BEGIN + zstandard.ZstdCompressor(level=_LEVEL).compress(body)


def unpack(packed: bytes) -> Article:
    """The article that was packed; raises if the bytes are anything else."""
    if packed.startswith(FORMER):
        raise FormerEntry(
            "the store was written by an earlier version: run `tearsheet store migrate STORE` once"
        )
    if not packed.startswith(_BEGIN):
        raise NotAnArticle("the store contains something that is not an article of this version")
    body = decompress(packed[len(_BEGIN) :])
    try:
        with gc_pause.pause_gc():
            return _read_article(body)
    except (ValueError, RecursionError, records.BadRecord) as error:
        reason = str(error) if isinstance(error, records.BadRecord) else "its JSON is broken"
        raise NotAnArticle(
            f"the store contains something that is not an article: {reason}"
        ) from None


def decompress(packed: bytes) -> bytes:
    """Unpacks what Zstandard packed; raises if it is larger than an article may be."""
    import zstandard

    try:
        body = zstandard.ZstdDecompressor().stream_reader(packed).read(limits.ARTICLE_BYTES + 1)
    except zstandard.ZstdError:
        raise NotAnArticle(
            "the store contains something that is not an article: it is broken"
        ) from None
    if len(body) > limits.ARTICLE_BYTES:
        raise NotAnArticle("the store contains something that is too large for an article")
    return body


def _write_state(article: Article) -> _ArticleState:
    state = article.__getstate__()
    return _ArticleState(**{"text": None} | {name.lstrip("_"): state[name] for name in state})


def _read_article(body: bytes) -> Article:
    begin = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    columns, text = records.StoredColumns(body, begin), body[_LENGTH:begin]
    if limits.has_more_values(text, limits.ARTICLE_VALUES):
        raise records.BadRecord("it has too many values")
    values = json.loads(text.decode(*records.UTF8))
    stored = _read_state(values, columns)
    columns.end()
    state: dict[str, Any] = stored._asdict()
    state["_pages"], state["_text_is_of_blocks"] = (
        state.pop("pages"),
        state.pop("text_is_of_blocks"),
    )
    if state["text"] is None:
        del state["text"]
    state["clippings"] = tuple(map(restore, stored.clippings))
    article = object.__new__(Article)
    article.__setstate__(state)
    return article


def _strip(clipping: Clipping) -> Clipping:
    """The clipping without its evidence and without the columns that `restore` can compute."""
    page = replace(clipping.page, attrs=[], parent=_NONE, depth=_NONE)
    return replace(clipping, page=page, verdict=replace(clipping.verdict, why=None))


def restore(clipping: Clipping) -> Clipping:
    """A stored clipping with the columns that were left out; raises if it is not valid."""
    page = clipping.page
    check_table(page)
    attrs = [page.all_attrs[at] for at in page.attrs_at.tolist()]
    depth = _depths(page)
    whole = replace(page, attrs=attrs, depth=depth, parent=parents(depth))
    restored = replace(clipping, page=whole)
    check_clipping(restored)
    return restored


def _depths(page: Page) -> Ints:
    """The depth of each node: the number of nodes that began before it and have not ended."""
    rows = len(page)
    ended = np.cumsum(np.bincount(page.end, minlength=rows)[:rows])
    return (np.arange(rows) - ended).astype(np.int32)
