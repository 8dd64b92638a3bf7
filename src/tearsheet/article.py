"""Kept segments and components → Article: typed blocks in order, each with its provenance."""

from __future__ import annotations

import numpy as np

from tearsheet.tags import CODES, HEADINGS
from tearsheet.types import (
    Article,
    Block,
    Clipping,
    Heading,
    Metadata,
    Origin,
    Paragraph,
    Run,
)


def assemble(clipping: Clipping, metadata: Metadata) -> Article:
    """The article that the verdict's kept segments make."""
    page, verdict = clipping.page, clipping.verdict
    return Article(
        metadata=metadata,
        blocks=tuple(_block(clipping, int(i)) for i in np.flatnonzero(verdict.keep)),
        url=page.url,
        page_urls=(page.url,) if page.url else (),
        confidence=verdict.confidence,
        reasons=verdict.reasons,
        page_type=verdict.page_type,
        method=verdict.method,
        clippings=(clipping,),
    )


def _block(clipping: Clipping, i: int) -> Block:
    segments, page = clipping.segments, clipping.page
    score = float(clipping.verdict.score[i])
    origin = Origin(0, int(segments.first[i]), int(segments.last[i]) + 1, score)
    runs = (Run(segments.text[i]),)
    tag = int(page.tag[segments.block[i]])
    if HEADINGS[tag]:
        return Heading(runs, tag - CODES["h1"] + 1, origin)
    return Paragraph(runs, origin)
