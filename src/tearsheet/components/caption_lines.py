"""Which lines of a page are captions, by tags and names alone, without looking for pictures.

`_caption_search` finds the caption of a given picture, also by its place.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.caching import cache_short
from tearsheet.segments import find_texts, rows_within
from tearsheet.tags import CODES
from tearsheet.types import Bools, Ints, Page, Segments

_NAMES: Final = re.compile(r'(?:class|itemprop|id)="([^"]*)"')
_CAPTION: Final = (
    "caption", "legend", "bildunterschrift", "bildtext", "imagetext", "image-text", "imgtext",
    "img-text", "mediatext", "media-text", "imagedesc", "image-desc", "picdesc", "pic-desc",
    "photodesc", "photo-desc", "mediadesc", "media-desc", "subline-image",
)  # fmt: skip
_FIGCAPTION: Final = CODES["figcaption"]


def find_caption_lines(page: Page, segments: Segments, among: Bools) -> Bools:
    """Marks the segments `among` that are captions: they are in a `<figcaption>`, or their block or
    the element around their text is named a caption."""
    found = np.zeros(len(segments), dtype=np.bool_)
    chosen = among.nonzero()[0]
    first, block = segments.first.take(chosen), segments.block.take(chosen)
    around, own = page.parent.take(first), page.attrs_at.take(block)
    marked = _say_caption(page, np.concatenate((own, page.attrs_at.take(around, mode="clip"))))
    if marked is not None:
        found[chosen] = marked[: len(chosen)] | marked[len(chosen) :]
    if _FIGCAPTION in page.tag.tobytes():
        found |= among & rows_within(page, page.tag == _FIGCAPTION)[segments.first]
    return found


def _say_caption(page: Page, attrs: Ints) -> Bools | None:
    """For each of these attributes, by number: whether it says caption; None if no one does."""
    hinted = find_texts(page.all_attrs, _CAPTION, any_case=True)
    named = [i for i in hinted if says_caption(page.all_attrs[i])]
    if not named:
        return None
    known = np.zeros(len(page.all_attrs), dtype=np.bool_)
    known[named] = True
    return known.take(attrs)


@cache_short(4096)  # the pages of a site share their names
def says_caption(raw: str) -> bool:
    """Whether the names in these attributes say caption."""
    low = raw.casefold()
    hinted = "text" in low or "desc" in low or "caption" in low or "legend" in low
    if not hinted and "bildunter" not in low and "subline" not in low:
        return False
    names = " ".join(_NAMES.findall(low))
    return any(word in names for word in _CAPTION)
