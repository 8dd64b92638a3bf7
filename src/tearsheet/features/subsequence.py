"""The maximum scoring subsequence, in one pass over prefix sums."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tearsheet._core import sequence


def find_best_run(values: npt.ArrayLike) -> tuple[int, int]:
    """First and one past the last position of the run with the largest sum; the shortest such.

    Where no value is positive, the run is the largest value alone.

    >>> find_best_run([1, -3, 4, -1, 2, -5, 3])
    (2, 5)
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    return sequence.best_run(numbers) if len(numbers) else (0, 0)
