"""Sums of decision trees, scored by NumPy alone.

The trees are symmetric ("oblivious"): all nodes of a level ask the same question, so the answers of
a tree are the bits of the number of its leaf. Scoring is then a comparison, some shifts and a
look-up over whole arrays; no step per row, and no training library at run time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.parameters import Arrays
from tearsheet.types import Floats

_AT_ONCE = 4096
"""Rows scored together: bounds the memory that a huge page needs."""


def score(trees: Arrays, name: str, columns: Floats) -> npt.NDArray[np.float64]:
    """The raw score of each row. `columns` has one row per feature: shape (features, rows).

    A single output gives shape (rows,), several give (rows, outputs).
    """
    feature, border = trees[f"{name}_feature"].T, trees[f"{name}_border"].T
    leaves, bias = trees[f"{name}_leaves"], trees[f"{name}_bias"]
    parts = [
        _scored(columns[:, i : i + _AT_ONCE], feature, border, leaves)
        for i in range(0, columns.shape[1], _AT_ONCE)
    ]
    total: npt.NDArray[np.float64] = np.concatenate(parts) + bias
    return total[:, 0] if total.shape[1] == 1 else total


def _scored(
    columns: Floats,
    feature: npt.NDArray[Any],
    border: npt.NDArray[Any],
    leaves: npt.NDArray[Any],
) -> npt.NDArray[np.float64]:
    number = np.zeros((feature.shape[1], columns.shape[1]), dtype=np.uint8)
    for level, (asked, limit) in enumerate(zip(feature, border)):
        number |= (columns[asked] > limit[:, None]).view(np.uint8) << level
    leaf = number + (np.arange(len(number), dtype=np.int32)[:, None] << len(feature))
    outputs = leaves.shape[-1]
    found = leaves.reshape(-1, outputs)
    if outputs == 1:
        single: npt.NDArray[np.float64] = found[:, 0].take(leaf).sum(axis=0, dtype=np.float64)
        return single[:, None]
    total: npt.NDArray[np.float64] = found[leaf].sum(axis=0, dtype=np.float64)
    return total
