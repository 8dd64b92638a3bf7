"""Adapted content code blurring: where text is hardly interrupted by tags.

T. Gottron: Content Code Blurring: A New Approach to Content Extraction. TIR at DEXA 2008. The
density paper compares itself with it (table 3): Arias Moreno et al., DIR 2009, §2.

The page is a vector with 1 for each character of text and 0 for each tag character; tags of links
are left out (the adaption). Each value is replaced, again and again until hardly any changes, by a
Gaussian mean of its neighbours; what then exceeds a threshold is content.

Deviations: 1. A tag is one element of the vector for each letter of its name and its brackets: the
page's table has no source, so attributes have no length. 2. The repeated blurring of a window by a
Gaussian is computed at once, as one Gaussian of the deviation that so many rounds have. 3. The
deviation and the threshold are ours, set before any page was looked at: the papers at hand do not
print theirs. 4. A segment is kept
if the mean of its characters exceeds the threshold.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.segments import rows_within, visible_rows
from tearsheet.tags import CODES, IS_VOID, NAMES, TEXT, UNSEEN
from tearsheet.types import Options, Page, Segments, Verdict

DEVIATION: Final = 60
"""Standard deviation of the blur, in characters."""
THRESHOLD: Final = 0.75
"""Share of text around a character from which it is content."""
BOXES: Final = 3
"""Means of a window one after another that make a Gaussian, to within three per cent."""
_BRACKETS: Final = 2
_LENGTHS: Final = np.array([len(name) + _BRACKETS for name in NAMES])

Signal = npt.NDArray[np.float64]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the segments whose surroundings are mostly text; the score is that share."""
    sizes, is_text, row = code_vector(page)
    ends = np.cumsum(sizes)
    blurred = blur(np.repeat(is_text.astype(np.float64), sizes), DEVIATION)
    total = np.concatenate(([0.0], np.cumsum(blurred)))
    own = total[ends] - total[ends - sizes]
    texts = np.flatnonzero(is_text)
    owner = np.searchsorted(segments.first, row[texts], side="right") - 1
    inside = (owner >= 0) & (row[texts] <= segments.last[np.maximum(owner, 0)])
    owner, texts = owner[inside], texts[inside]
    chars = np.bincount(owner, sizes[texts], len(segments))
    share: Signal = np.bincount(owner, own[texts], len(segments)) / np.maximum(chars, 1)
    keep = share > THRESHOLD
    if not keep.any() and len(segments):
        keep = share >= share.max()
    return Verdict(method="accb", score=share.astype(np.float32), keep=keep)


def code_vector(
    page: Page,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """The page as pieces of text or code in order: the length of each, which are text, and the row
    that each comes from."""
    rows = np.arange(len(page))
    text = visible_rows(page)
    lengths = np.array([len(" ".join(page.text[at].split())) for at in np.flatnonzero(text)])
    tags = (page.tag != TEXT) & (page.tag != CODES["a"])
    tags &= ~rows_within(page, UNSEEN[page.tag])
    closing = rows[tags & ~IS_VOID[page.tag]]
    closing = closing[np.lexsort((-closing, page.end[closing]))]
    place = np.concatenate((page.end[closing], rows[tags], rows[text]))
    sizes = np.concatenate(
        (_LENGTHS[page.tag[closing]] + 1, _LENGTHS[page.tag[tags]], lengths.astype(np.int64))
    )
    is_text = np.zeros(len(place), dtype=np.bool_)
    is_text[len(place) - len(lengths) :] = True
    order = np.argsort(place, kind="stable")
    return sizes[order].astype(np.int64), is_text[order], place[order]


def blur(signal: Signal, deviation: float) -> Signal:
    """The Gaussian mean of each value and its neighbours; beyond the ends is code.

    >>> blur(np.array([0.0, 0, 0, 1, 0, 0, 0]), 1.0).round(2).tolist()
    [0.04, 0.11, 0.22, 0.26, 0.22, 0.11, 0.04]
    """
    width = round(float(np.sqrt(12 * deviation**2 / BOXES + 1))) | 1  # odd
    half = width // 2
    for _ in range(BOXES):
        padded = np.concatenate((np.zeros(half + 1), signal, np.zeros(half)))
        total = np.cumsum(padded)
        signal = (total[width:] - total[:-width]) / width
    return signal
