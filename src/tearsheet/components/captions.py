"""Which lines of a page are captions by what the page calls them; `images` finds the others, too,
with the picture that each belongs to."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.components._words import lower_bytes
from tearsheet.remember import remembered
from tearsheet.segments import rows_within
from tearsheet.tags import CODES
from tearsheet.types import Bools, Ints, Page, Segments

_NAMES: Final = re.compile(r'(?:class|itemprop|id)="([^"]*)"')
_CAPTION: Final = (
    "caption", "legend", "bildunterschrift", "bildtext", "imagetext", "image-text", "imgtext",
    "img-text", "mediatext", "media-text", "imagedesc", "image-desc", "picdesc", "pic-desc",
    "photodesc", "photo-desc", "mediadesc", "media-desc", "subline-image",
)  # fmt: skip
_CAPTION_BYTES: Final = tuple(word.encode() for word in _CAPTION)
_FIGCAPTION: Final = CODES["figcaption"]


def of(page: Page, segments: Segments, among: Bools) -> Bools:
    """True for those of the segments `among` which stand in a `<figcaption>`, or whose block, or
    the element around their text, is called a caption."""
    found = np.zeros(len(segments), dtype=np.bool_)
    chosen = np.flatnonzero(among)
    first, block = segments.first[chosen], segments.block[chosen]
    places = np.stack((block, np.maximum(page.parent[first], 0)))
    found[chosen] = _called(page, places).any(axis=0)
    if (page.tag == _FIGCAPTION).any():
        found |= among & rows_within(page, page.tag == _FIGCAPTION)[segments.first]
    return found


def _called(page: Page, places: Ints) -> Bools:
    """For each of these rows whether it is called a caption; like elements are asked once."""
    called = np.zeros(len(page), dtype=np.bool_)
    called[places] = True
    asked = np.flatnonzero(called)
    attrs = [page.attrs[row] for row in asked.tolist()]
    kinds = set(attrs)
    names = lower_bytes(kinds)
    words = any(word in names for word in _CAPTION_BYTES)  # of the whole page: few have any
    known = {raw for raw in kinds if called_caption(raw)} if words else set()
    called[asked] = [raw in known for raw in attrs] if known else False
    found: Bools = called[places]
    return found


@remembered(4096)  # of all pages of a site
def called_caption(raw: str) -> bool:
    """Whether these attributes call an element a caption. Most have not even a hint of it."""
    low = raw.casefold()
    hinted = "text" in low or "desc" in low or "caption" in low or "legend" in low
    if not hinted and "bildunter" not in low and "subline" not in low:
        return False
    names = " ".join(_NAMES.findall(low))
    return any(word in names for word in _CAPTION)
