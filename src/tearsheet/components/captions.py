"""Which lines of a page are captions by what the page calls them; `images` finds the others, too,
with the picture that each belongs to."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.remember import remembered
from tearsheet.segments import rows_within
from tearsheet.tags import CODES
from tearsheet.types import Bools, Ints, Page, Segments

_CAPTION_CLASS: Final = re.compile(
    r'(?:class|itemprop|id)="[^"]*(?:caption|legend|bildunterschrift|image-?text|img-?text|'
    r"image-?desc|pic-?desc|photo-?desc|imagedesc|bildtext|media-?text|media-?desc|subline-image)",
    re.I,
)
_FIGCAPTION: Final = CODES["figcaption"]


def of(page: Page, segments: Segments, among: Bools) -> Bools:
    """True for those of the segments `among` which stand in a `<figcaption>`, or whose block, or
    the element around their text, is called a caption."""
    found = np.zeros(len(segments), dtype=np.bool_)
    chosen = np.flatnonzero(among)
    first, block = segments.first[chosen], segments.block[chosen]
    found[chosen] = _called(page, block) | _called(page, np.maximum(page.parent[first], 0))
    if (page.tag == _FIGCAPTION).any():
        found |= among & rows_within(page, page.tag == _FIGCAPTION)[segments.first]
    return found


def _called(page: Page, rows: Ints) -> Bools:
    return np.array([called_caption(page.attrs[row]) for row in rows.tolist()], dtype=np.bool_)


@remembered(4096)  # for every picture the elements around it are asked again
def called_caption(raw: str) -> bool:
    # Most elements have none of these in their attributes: the slow question is not asked.
    hinted = "aption" in raw or "ext" in raw or "esc" in raw or "egend" in raw or "nters" in raw
    return (hinted or "ubline" in raw) and _CAPTION_CLASS.search(raw) is not None
