"""All nodes that a linear SVM calls content: a baseline of the CLG paper.

S. Wu, J. Liu, J. Fan: Automatic Web Content Extraction by Combination of Learning and Grouping.
WWW 2015, §7.2. The deviations of the features are in `features/nodes.py`.

Deviations: 1. If no node passes the threshold, the best one is taken.
"""

from __future__ import annotations

from typing import Final

from tearsheet.features.nodes import measures
from tearsheet.methods import _nodes
from tearsheet.types import Options, Page, Segments, Verdict

NEEDS_LAYOUT = True
FAITHFUL: Final = _nodes.FAITHFUL
PARAMETERS: Final = "svm"


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps what is in the nodes of positive margin, those below others removed."""
    found = measures(page)
    margin = _nodes.linear(page, found, PARAMETERS)
    rows = _nodes.keep_topmost(page, margin, 0.0, options)
    return _nodes.verdict("svm", page, segments, found, margin, rows.tolist())
