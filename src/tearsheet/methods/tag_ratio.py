"""Text-to-tag ratio, clustered by a threshold at the standard deviation.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.
The deviations are in `_tag_ratio.py`.
"""

from __future__ import annotations

from typing import Final

from tearsheet.methods import _tag_ratio
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _tag_ratio.FAITHFUL
LAMBDA: Final = 1.0
"""Standard deviations that the ratio of a content line must exceed."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the lines whose smoothed ratio exceeds the standard deviation of all."""
    return _tag_ratio.judge(
        "tag_ratio", page, segments, options, lambda x: _tag_ratio.above_deviation(x, LAMBDA)
    )
