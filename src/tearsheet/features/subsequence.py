"""The maximum scoring subsequence, in one pass over prefix sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.views import view


def maximum(values: npt.ArrayLike) -> tuple[int, int]:
    """First and one past the last position of the run with the largest sum; the shortest such.

    Where no value is positive, the run is the largest value alone.

    >>> maximum([1, -3, 4, -1, 2, -5, 3])
    (2, 5)
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    return _best_run(view(numbers)) if len(numbers) else (0, 0)


def _best_run(numbers: Any) -> tuple[int, int]:
    start, end, best = 0, 1, numbers[0]
    begin, total, lowest = 0, 0.0, 0.0
    for i in range(numbers.shape[0]):
        if total <= lowest:  # a run may as well begin here
            begin, lowest = i, total
        total += numbers[i]
        gain = total - lowest if total > lowest else numbers[i]
        if gain > best:
            start, end, best = begin, i + 1, gain
    return start, end
