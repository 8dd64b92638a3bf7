"""Boilerpipe by number of words and link density: the published decision rules.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010, algorithm 2. The deviations are in `_boilerpipe.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.methods import _boilerpipe
from tearsheet.methods._boilerpipe import (
    Column,
    after,
    before,
    find_blocks,
    keep_segments,
    link_density,
)
from tearsheet.types import Bools, Options, Page, Segments, Verdict

FAITHFUL: Final = _boilerpipe.FAITHFUL


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps what the rules call content; the score says yes or no."""
    if options.faithful:
        blocks = find_blocks(page, segments)
        keep = keep_segments(blocks, find_content(blocks.links, blocks.words), len(segments))
    else:
        keep = find_content(link_density(segments), segments.words.astype(np.float64))
    return Verdict(method="boilerpipe", score=keep.astype(np.float32), keep=keep)


def find_content(links: Column, words: Column) -> Bools:
    """True for the blocks that the tree of algorithm 2 sends to a leaf "content"."""
    near_text = before(links) <= 5 / 9
    beside_text = (words > 16) | (after(words) > 15) | (before(words) > 4)
    behind_links = (words > 40) | (after(words) > 17)
    return (links <= 1 / 3) & np.where(near_text, beside_text, behind_links)
