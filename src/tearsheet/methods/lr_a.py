"""The one node with the highest logistic regression score: a baseline of the CLG paper.

S. Wu, J. Liu, J. Fan: Automatic Web Content Extraction by Combination of Learning and Grouping.
WWW 2015, §7.2. The deviations of the features are in `features/nodes.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.features.nodes import measures
from tearsheet.methods import _nodes
from tearsheet.types import Options, Page, Segments, Verdict

NEEDS_LAYOUT = True
PARAMETERS: Final = "clg"


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps what is in the node of the highest probability."""
    found = measures(page)
    chance = _nodes.logistic(_nodes.linear(page, found, PARAMETERS))
    return _nodes.verdict("lr_a", page, segments, found, chance, [int(np.argmax(chance))])
