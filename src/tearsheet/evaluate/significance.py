"""Whether a difference between two entrants is more than chance: a paired bootstrap by site.

Pages of one site are alike, so sites are drawn with replacement, not pages (Efron, Tibshirani:
An Introduction to the Bootstrap, 1993, §8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.evaluate.run import Result

RESAMPLES: Final = 2_000
SEED: Final = 1
LEVEL: Final = 95
"""Per cent of the resamples that lie in the interval."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean difference, and where it lies by chance."""

    mean: float
    low: float
    high: float
    pages: int

    @property
    def is_significant(self) -> bool:
        """Whether 0 lies outside of the interval."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        mark = "*" if self.is_significant else ""
        return f"{self.mean:+.3f}{mark} ({self.low:+.3f} to {self.high:+.3f})"


def compare_values(first: npt.ArrayLike, second: npt.ArrayLike, sites: Sequence[str]) -> Difference:
    """How much higher the first values are than the second ones of the same pages."""
    gains = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    known, which = np.unique(np.array(sites), return_inverse=True)
    sums, sizes = np.bincount(which, gains), np.bincount(which)
    drawn = np.random.default_rng(SEED).integers(0, len(known), (RESAMPLES, len(known)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return Difference(float(gains.mean()), float(low), float(high), len(gains))


def compare_results(
    first: Sequence[Result], second: Sequence[Result], measure: str
) -> Difference | None:
    """The difference in F1 on the pages that both have; None if there are none."""
    other = {result.page: score.f1 for result in second if (score := result.score(measure))}
    pairs = [
        (score.f1, other[result.page], result.site)
        for result in first
        if (score := result.score(measure)) and result.page in other
    ]
    if not pairs:
        return None
    mine, theirs, sites = zip(*pairs, strict=True)
    return compare_values(mine, theirs, sites)
