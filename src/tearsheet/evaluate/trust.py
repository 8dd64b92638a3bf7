"""How well an entrant judges itself: its confidence compared with its F1, and its guess of the page
type compared with the true one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.evaluate.run import Result

_FEWEST: Final = 3
"""With fewer pages a correlation says nothing."""
_GROUPS: Final = 10


def spearman(results: Sequence[Result], measure: str) -> float | None:
    """Rank correlation of confidence with F1; None if there is no confidence.

    It is the correlation of the ranks; ties share their mean rank (Spearman 1904).
    """
    pairs = _pairs(results, measure)
    if len(pairs) < _FEWEST:
        return None
    confidence, f1 = (_ranks(column) for column in zip(*pairs))
    if not confidence.std() or not f1.std():
        return None
    return float(np.corrcoef(confidence, f1)[0, 1])


def type_accuracy(results: Sequence[Result]) -> float | None:
    """The share of pages whose type was guessed right; None if there is no guess."""
    hits = [result.said_type == result.page_type for result in results if result.said_type]
    return fmean(hits) if hits else None


def count_guesses(results: Sequence[Result]) -> dict[str, int]:
    """How often each page type was guessed, the most frequent first."""
    return dict(Counter(r.said_type for r in results if r.said_type).most_common())


def reliability(results: Sequence[Result], measure: str) -> list[tuple[float, float]]:
    """Mean confidence and mean F1 of each tenth of the pages, ordered by confidence."""
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
    """The rank of each value, from 1; equal values share their mean rank.

    >>> _ranks([0.3, 0.1, 0.3]).tolist()
    [2.5, 1.0, 2.5]
    """
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: npt.NDArray[np.float64] = last - (counts - 1) / 2
    return means[where]
