"""How well an entrant knows itself: its confidence beside its true F1, the page type that it takes
a page for beside the true one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.evaluate.run import Result

_FEWEST: Final = 3
"""Pages below which a correlation says nothing."""
_GROUPS: Final = 10


def spearman(results: Sequence[Result], measure: str) -> float | None:
    """Rank correlation of confidence with true F1; None where no confidence was given.

    It is the correlation of the ranks, ties sharing their mean rank (Spearman 1904).
    """
    pairs = _pairs(results, measure)
    if len(pairs) < _FEWEST:
        return None
    said, found = (_ranks(column) for column in zip(*pairs))
    if not said.std() or not found.std():
        return None
    return float(np.corrcoef(said, found)[0, 1])


def type_accuracy(results: Sequence[Result]) -> float | None:
    """The share of pages whose type was told rightly; None where none was told."""
    told = [result.said_type == result.page_type for result in results if result.said_type]
    return fmean(told) if told else None


def taken_for(results: Sequence[Result]) -> dict[str, int]:
    """What the pages were taken for, the most frequent first."""
    return dict(Counter(r.said_type for r in results if r.said_type).most_common())


def reliability(results: Sequence[Result], measure: str) -> list[tuple[float, float]]:
    """Mean confidence and mean F1 of each tenth of the pages, by confidence."""
    pairs = sorted(_pairs(results, measure))
    groups = [
        pairs[len(pairs) * i // _GROUPS : len(pairs) * (i + 1) // _GROUPS] for i in range(_GROUPS)
    ]
    return [(fmean(c for c, _ in own), fmean(f for _, f in own)) for own in groups if own]


def _pairs(results: Sequence[Result], measure: str) -> list[tuple[float, float]]:
    """Confidence and F1 of the pages that have both."""
    return [
        (result.confidence, score.f1)
        for result in results
        if result.confidence is not None and (score := result.score(measure))
    ]


def _ranks(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """The place of each value in their order, from 1; equal values share the mean of theirs.

    >>> _ranks([0.3, 0.1, 0.3]).tolist()
    [2.5, 1.0, 2.5]
    """
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: npt.NDArray[np.float64] = last - (counts - 1) / 2
    return means[where]
