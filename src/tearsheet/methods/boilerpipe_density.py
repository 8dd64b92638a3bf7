"""Boilerpipe by text density and link density: the published densitometric rules.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010, algorithm 1. The deviations are in `_boilerpipe.py`.
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
    text_density,
)
from tearsheet.types import Bools, Options, Page, Segments, Verdict

FAITHFUL: Final = _boilerpipe.FAITHFUL


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps what the rules call content; the score is its text density, else 0."""
    density = text_density(segments)
    if options.faithful:
        blocks = find_blocks(page, segments)
        keep = keep_segments(blocks, find_content(blocks.links, blocks.density), len(segments))
    else:
        keep = find_content(link_density(segments), density)
    return Verdict(
        method="boilerpipe_density", score=(density * keep).astype(np.float32), keep=keep
    )


def find_content(links: Column, density: Column) -> Bools:
    """True for the blocks that the tree of algorithm 1 sends to a leaf "content"."""
    near_text = before(links) <= 5 / 9
    sparse = (after(density) > 10) | (before(density) > 4)
    beside_text = np.where(density <= 9, sparse, after(density) > 0)
    return (links <= 1 / 3) & np.where(near_text, beside_text, after(density) > 11)
