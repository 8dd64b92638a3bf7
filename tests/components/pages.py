"""Small pages, written here, taken through the stages before the components."""

from __future__ import annotations

import numpy as np

from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Clipping, Verdict

TEXT = (
    "<p>The harbour was quiet when the first boats came in, and nobody on the quay could say for "
    "certain how many of them had gone out the night before.</p>"
    "<p>By noon the fish market had sold out of everything but crabs, which is unusual for a "
    "Tuesday in spring, and the prices were written on slates with chalk.</p>"
)


def clipping(html: str, url: str = "https://example.org/story") -> Clipping:
    """The page, its segments and a verdict that keeps the long paragraphs, those of `TEXT`."""
    page = parse(html, url)
    parts = segments(page)
    keep = parts.chars > 100
    return Clipping(page, parts, Verdict("by length", keep.astype(np.float32), keep))
