"""Kept segments and components → Article: typed blocks in order, each with its provenance.

article    the class itself, which computes its parts when they are asked for
parts      one function for each part: metadata, images, blocks, text
material   which rows of the page take part: kept text, pictures, formulas, embeds
builder    one pass over those rows with a stack of open elements
tables, listings, notes, formulas, embeds, links   what the builder needs to know of each of these
"""

from __future__ import annotations

from collections.abc import Sequence

from tearsheet.article.article import Article
from tearsheet.deadline import Deadline
from tearsheet.types import Clipping, Image, Metadata, Options

__all__ = ["Article", "assemble"]


def assemble(
    clipping: Clipping,
    metadata: Metadata | None = None,
    images: Sequence[Image] | None = None,
    *,
    options: Options | None = None,
    deadline: Deadline | None = None,
) -> Article:
    """The article that the verdict's kept segments make.

    It computes what is not given here when it is asked for, within what is left of the deadline.
    """
    page, verdict = clipping.page, clipping.verdict
    return Article(
        metadata,
        images=None if images is None else tuple(images),
        url=page.url,
        page_urls=(page.url,) if page.url else (),
        confidence=verdict.confidence,
        reasons=verdict.reasons,
        page_type=verdict.page_type,
        method=verdict.method,
        clippings=(clipping,),
        options=options,
        deadline=deadline,
    )
