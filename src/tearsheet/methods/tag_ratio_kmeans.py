"""Text-to-tag ratio, clustered by k-means.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.
The deviations are in `_tag_ratio.py`; one more: the means start at equal distances between the
lowest and the highest ratio, so that a page always gives the same result.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods import _tag_ratio
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _tag_ratio.FAITHFUL
ROUNDS: Final = 100


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps all lines but those of the cluster with the lowest mean."""
    return _tag_ratio.judge(
        "tag_ratio_kmeans", page, segments, options,
        lambda values: _tag_ratio.above_lowest(values, clusters(values)),
    )  # fmt: skip


def clusters(values: _tag_ratio.Ratios) -> npt.NDArray[np.intp]:
    """The cluster of each value.

    >>> clusters(np.array([0.0, 1, 50, 52, 99, 100])).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    means = np.linspace(values.min(), values.max(), _tag_ratio.CLUSTERS)
    for _ in range(ROUNDS):
        cluster = np.argmin(np.abs(values[:, None] - means), axis=1)
        sizes = np.bincount(cluster, minlength=len(means))
        sums = np.bincount(cluster, weights=values, minlength=len(means))
        moved = np.where(sizes > 0, sums / np.maximum(sizes, 1), means)
        if np.array_equal(moved, means):
            break
        means = moved
    return np.asarray(cluster)
