"""Which lines of a page are captions by what the page calls them; `images` finds the others, too,
with the picture that each belongs to."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.caching import cache_short
from tearsheet.components._compare import lower_bytes
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


def find_caption_lines(page: Page, segments: Segments, among: Bools) -> Bools:
    """True for those of the segments `among` which stand in a `<figcaption>`, or whose block, or
    the element around their text, is called a caption."""
    found = np.zeros(len(segments), dtype=np.bool_)
    chosen = np.flatnonzero(among)
    first, block = segments.first.take(chosen), segments.block.take(chosen)
    around, own = page.parent.take(first), page.attrs_at.take(block)
    called = _called(page, np.concatenate((own, page.attrs_at.take(around, mode="clip"))))
    if called is not None:
        found[chosen] = called[: len(chosen)] | called[len(chosen) :]
    if (page.tag == _FIGCAPTION).any():
        found |= among & rows_within(page, page.tag == _FIGCAPTION)[segments.first]
    return found


def _called(page: Page, attrs: Ints) -> Bools | None:
    """For each of these numbers of attributes whether they call an element a caption; None: none.
    Like elements are asked once."""
    known = np.zeros(len(page.all_attrs), dtype=np.bool_)
    known[attrs] = True
    asked = np.flatnonzero(known).tolist()
    names = lower_bytes([page.all_attrs[i] for i in asked])
    if not any(word in names for word in _CAPTION_BYTES):  # of the whole page: few have any
        return None
    known[asked] = [called_caption(page.all_attrs[i]) for i in asked]
    return known.take(attrs)


@cache_short(4096)  # of all pages of a site
def called_caption(raw: str) -> bool:
    """Whether these attributes call an element a caption. Most have not even a hint of it."""
    low = raw.casefold()
    hinted = "text" in low or "desc" in low or "caption" in low or "legend" in low
    if not hinted and "bildunter" not in low and "subline" not in low:
        return False
    names = " ".join(_NAMES.findall(low))
    return any(word in names for word in _CAPTION)
