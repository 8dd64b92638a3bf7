"""Kept segments and components → Article: typed blocks in order, each with its provenance.

material   which rows of the page take part: kept text, pictures, formulas, embeds
builder    one pass over those rows with a stack of open elements
tables, listings, notes, formulas, links   what each of these needs to know of its elements
"""

from __future__ import annotations

from collections.abc import Sequence

from tearsheet.article.builder import build
from tearsheet.article.material import gather
from tearsheet.types import Article, Block, Clipping, Image, Metadata, Paragraph, Run

__all__ = ["assemble"]


def assemble(clipping: Clipping, metadata: Metadata, images: Sequence[Image] = ()) -> Article:
    """The article that the verdict's kept segments make, with its pictures in their places."""
    page, verdict = clipping.page, clipping.verdict
    extra: list[Block] = [Paragraph((Run(text),)) for text in verdict.extra_text]
    return Article(
        metadata=metadata,
        blocks=(*build(gather(clipping, images)), *extra),
        url=page.url,
        page_urls=(page.url,) if page.url else (),
        images=tuple(images),
        confidence=verdict.confidence,
        reasons=verdict.reasons,
        page_type=verdict.page_type,
        method=verdict.method,
        clippings=(clipping,),
    )
