"""Text-to-tag ratio, clustered by farthest first.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.
The deviations are in `_tag_ratio.py`; one more: the first centre is the lowest ratio instead of
one by chance, so that a page always gives the same result.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods import _tag_ratio
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _tag_ratio.FAITHFUL


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps all lines but those of the cluster with the lowest mean."""
    return _tag_ratio.judge(
        "tag_ratio_farthest", page, segments, options,
        lambda values: _tag_ratio.above_lowest(values, clusters(values)),
    )  # fmt: skip


def clusters(values: _tag_ratio.Ratios) -> npt.NDArray[np.intp]:
    """Each value's nearest centre; a centre is the value farthest from those before it.

    >>> clusters(np.array([0.0, 9, 60, 61, 100])).tolist()
    [0, 0, 2, 2, 1]
    """
    centres = [values.min()]
    for _ in range(_tag_ratio.CLUSTERS - 1):
        distance = np.abs(values[:, None] - np.array(centres)).min(axis=1)
        centres.append(values[np.argmax(distance)])
    return np.asarray(np.argmin(np.abs(values[:, None] - np.array(centres)), axis=1))
