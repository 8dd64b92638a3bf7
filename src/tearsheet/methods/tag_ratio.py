"""Text-to-tag ratio, clustered by a threshold at the standard deviation.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.
The deviations are in `_tag_ratio.py`.
"""

from __future__ import annotations

from typing import Final

from tearsheet.methods import _tag_ratio
from tearsheet.types import Bools, Options, Page, Segments, Verdict

LAMBDA: Final = 1.0
"""Standard deviations that the ratio of a content line must exceed."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the lines whose smoothed ratio exceeds the standard deviation of all."""
    values = _tag_ratio.ratios(page, segments)
    return _tag_ratio.verdict("tag_ratio", values, above_deviation(values))


def above_deviation(values: _tag_ratio.Ratios) -> Bools:
    """True where a ratio exceeds λ times the standard deviation.

    >>> import numpy as np
    >>> above_deviation(np.array([1.0, 2, 40, 50, 1])).tolist()
    [False, False, True, True, False]
    """
    keep: Bools = values > LAMBDA * values.std()
    return keep
