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
    feature, border = trees[f"{name}_feature"], trees[f"{name}_border"]
    leaves, bias = trees[f"{name}_leaves"], trees[f"{name}_bias"]
    depth = feature.shape[1]
    parts = [
        _scored(columns[:, i : i + _AT_ONCE], feature.ravel(), border.ravel(), leaves, depth)
        for i in range(0, columns.shape[1], _AT_ONCE)
    ]
    total: npt.NDArray[np.float64] = np.concatenate(parts) + bias
    return total[:, 0] if total.shape[1] == 1 else total


def _scored(
    columns: Floats,
    feature: npt.NDArray[Any],
    border: npt.NDArray[Any],
    leaves: npt.NDArray[Any],
    depth: int,
) -> npt.NDArray[np.float64]:
    rows = columns.shape[1]
    answers = (columns[feature] > border[:, None]).view(np.uint8).reshape(-1, depth, rows)
    number = answers[:, 0].copy()
    for level in range(1, depth):
        number |= answers[:, level] << level
    leaf = number + (np.arange(len(number))[:, None] << depth)
    outputs = leaves.shape[-1]
    found = leaves.reshape(-1, outputs)
    if outputs == 1:
        single: npt.NDArray[np.float64] = found[:, 0].take(leaf).sum(axis=0, dtype=np.float64)
        return single[:, None]
    total: npt.NDArray[np.float64] = found[leaf].sum(axis=0, dtype=np.float64)
    return total
