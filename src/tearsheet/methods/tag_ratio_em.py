"""Text-to-tag ratio, clustered by expectation maximisation.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.
The deviations are in `_tag_ratio.py`; one more: the mixture of normal distributions starts from
means at equal distances, and its deviations have a floor, so that no cluster falls onto one point.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods import _tag_ratio
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _tag_ratio.FAITHFUL
ROUNDS: Final = 100
TOLERANCE: Final = 1e-6
"""Change of the mean log-likelihood at which the search ends."""
FLOOR: Final = 0.01
"""Smallest deviation of a cluster, as a share of that of all values."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps all lines but those of the cluster with the lowest mean."""
    return _tag_ratio.judge(
        "tag_ratio_em", page, segments, options,
        lambda values: _tag_ratio.above_lowest(values, clusters(values)),
    )  # fmt: skip


def clusters(values: _tag_ratio.Ratios) -> npt.NDArray[np.intp]:
    """The most likely cluster of each value in a mixture of normal distributions.

    >>> clusters(np.array([0.0, 1, 1, 50, 51, 52, 99, 100])).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2]
    """
    k, floor = _tag_ratio.CLUSTERS, max(values.std() * FLOOR, 1e-9)
    mean = np.linspace(values.min(), values.max(), k)
    deviation = np.full(k, max(values.std() / k, floor))
    weight = np.full(k, 1 / k)
    before = -np.inf
    for _ in range(ROUNDS):
        density = _log_density(values, mean, deviation, weight)
        total = np.logaddexp.reduce(density, axis=1)
        share = np.exp(density - total[:, None])
        if abs(total.mean() - before) < TOLERANCE:
            break
        before = total.mean()
        size = np.maximum(share.sum(axis=0), 1e-12)
        weight = size / len(values)
        mean = (share * values[:, None]).sum(axis=0) / size
        spread = (share * (values[:, None] - mean) ** 2).sum(axis=0) / size
        deviation = np.maximum(np.sqrt(spread), floor)
    return np.asarray(np.argmax(share, axis=1))


def _log_density(
    values: _tag_ratio.Ratios,
    mean: _tag_ratio.Ratios,
    deviation: _tag_ratio.Ratios,
    weight: _tag_ratio.Ratios,
) -> npt.NDArray[np.float64]:
    distance = (values[:, None] - mean) / deviation
    return np.log(np.maximum(weight, 1e-300)) - np.log(deviation) - distance**2 / 2
