"""Kept segments and components → Article: typed blocks in order, each with its provenance.

material   which rows of the page take part: kept text, pictures, formulas, embeds
builder    one pass over those rows with a stack of open elements
tables, listings, notes, formulas, links   what each of these needs to know of its elements

Most people ask for the text alone: pictures, metadata and blocks are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal

from tearsheet import gc_pause
from tearsheet.article.builder import build
from tearsheet.article.material import gather, gather_prose
from tearsheet.prose import text_of
from tearsheet.types import Article, Block, Clipping, Image, Metadata, Paragraph, Run

__all__ = ["assemble", "retold"]


def assemble(
    clipping: Clipping,
    metadata: Metadata | None = None,
    images: Sequence[Image] | None = None,
    *,
    pages: Literal["auto", "one", "all"] = "auto",
) -> Article:
    """The article that the verdict's kept segments make, with its pictures in their places.

    Metadata and images that are given need not be found out.
    """
    page, verdict = clipping.page, clipping.verdict
    known: dict[str, Any] = {} if metadata is None else {"metadata": metadata}
    if images is not None:
        known["images"] = tuple(images)
    return Article.pending(
        _makers(clipping, pages),
        url=page.url,
        page_urls=(page.url,) if page.url else (),
        confidence=verdict.confidence,
        reasons=verdict.reasons,
        page_type=verdict.page_type,
        method=verdict.method,
        clippings=(clipping,),
        **known,
    )


def retold(article: Article) -> Article:
    """The article of one page with its text to be made from that page, as `assemble` leaves it."""
    known = {field.name: getattr(article, field.name) for field in fields(article) if field.init}
    return Article.pending(_makers(article.clippings[0], "auto"), **known)


def _makers(
    clipping: Clipping, pages: Literal["auto", "one", "all"]
) -> Mapping[str, Callable[[Article], Any]]:
    return {
        "metadata": lambda article: _metadata(clipping, pages),
        "images": lambda article: _images(clipping, article.metadata),
        "blocks": lambda article: (*build(gather(clipping, article.images)), *_extra(clipping)),
        "plain": lambda article: _plain(clipping),
    }


def _plain(clipping: Clipping) -> str:
    with gc_pause.pause_gc():
        return text_of((*build(gather_prose(clipping)), *_extra(clipping)))


def _metadata(clipping: Clipping, pages: Literal["auto", "one", "all"]) -> Metadata:
    from tearsheet.components import metadata

    return metadata.of(clipping.page, clipping.segments, clipping.verdict, pages)


def _images(clipping: Clipping, known: Metadata) -> tuple[Image, ...]:
    from tearsheet.components import images

    made = clipping.page, clipping.segments, clipping.verdict
    return images.of(*made, known.title, known.authors)


def _extra(clipping: Clipping) -> Iterator[Block]:
    """What the page carries only as data."""
    return (Paragraph((Run(text),)) for text in clipping.verdict.extra_text)
