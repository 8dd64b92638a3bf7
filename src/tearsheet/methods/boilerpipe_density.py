"""Boilerpipe by text density and link density: the published densitometric rules.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010, algorithm 1. The deviations are in `_boilerpipe.py`.
"""

from __future__ import annotations

import numpy as np

from tearsheet.methods._boilerpipe import Column, after, before, link_density, text_density
from tearsheet.types import Bools, Options, Page, Segments, Verdict


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps what the rules call content; the score is its text density, else 0."""
    density = text_density(segments)
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
