"""Kept segments and components → Article: typed blocks in order, each with its origin on the page.

article    the class, which computes its parts when they are asked for
parts      one function for each part: metadata, images, blocks, text
material   which rows of the page take part: kept text, pictures, formulas, embeds
builder    what each element means for the blocks; the pass over the rows is in `_core.blocks`
blocks     a walk over blocks inside blocks
tables, listings, notes, formulas, mathml, embeds   how each of these is read
"""

from __future__ import annotations

from collections.abc import Sequence

from tearsheet.article.article import MISSING, Article
from tearsheet.deadline import Deadline
from tearsheet.types import Clipping, Image, Metadata, Options

__all__ = ["MISSING", "Article", "assemble"]


def assemble(
    clipping: Clipping,
    metadata: Metadata | None = None,
    images: Sequence[Image] | None = None,
    *,
    options: Options | None = None,
    deadline: Deadline | None = None,
) -> Article:
    """The article of a clipping. It computes each part that is not given here when first asked for
    it, within the deadline.
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
