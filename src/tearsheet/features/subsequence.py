"""The maximum scoring subsequence, in one pass over prefix sums."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def maximum(values: npt.ArrayLike) -> tuple[int, int]:
    """First and one past the last position of the run with the largest sum; the shortest such.

    Where no value is positive, the run is the largest value alone.

    >>> maximum([1, -3, 4, -1, 2, -5, 3])
    (2, 5)
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not len(numbers):
        return 0, 0
    if numbers.max() <= 0:
        best = int(np.argmax(numbers))
        return best, best + 1
    total = np.concatenate(([0.0], np.cumsum(numbers)))
    lowest = np.minimum.accumulate(total)
    end = int(np.argmax(total - lowest))
    start = end - 1 - int(np.argmin(total[:end][::-1]))
    return start, end
