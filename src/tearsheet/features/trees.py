# cython: boundscheck=False, wraparound=False
"""Sums of decision trees, scored without the training library.

The trees are symmetric ("oblivious"): all nodes of a level ask the same question, so the answers of
a tree are the bits of the number of its leaf. Compiled, that is a loop over each level's answers;
interpreted, the same over whole arrays of NumPy. Both add up in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.parameters import Arrays
from tearsheet.types import Floats

COMPILED = not __file__.endswith(".py")
_AT_ONCE = 2048
"""Rows scored together: their columns stay in the processor's cache."""


def score(trees: Arrays, name: str, columns: Floats) -> npt.NDArray[np.float64]:
    """The raw score of each row. `columns` has one row per feature: shape (features, rows).

    A single output gives shape (rows,), several give (rows, outputs).
    """
    feature, border = trees[f"{name}_feature"], trees[f"{name}_border"]
    leaves, bias = trees[f"{name}_leaves"], trees[f"{name}_bias"]
    if len(feature) and int(feature.max()) >= len(columns):
        raise ValueError(f"the trees ask for more columns than the {len(columns)} there are")
    if leaves.shape[:2] != (len(feature), 1 << feature.shape[1]):
        raise ValueError(f"{len(feature)} trees cannot have leaves of shape {leaves.shape}")
    total = np.empty((leaves.shape[2], columns.shape[1]))
    for i in range(0, columns.shape[1], _AT_ONCE):
        part = np.ascontiguousarray(columns[:, i : i + _AT_ONCE])
        some = np.zeros((len(total), part.shape[1]))
        if COMPILED:
            number = np.empty(part.shape[1], dtype=np.int32)
            _add(feature, border, leaves.reshape(-1), part, number, some)
        else:
            _add_arrays(feature.T, border.T, leaves, part, some.T)
        total[:, i : i + _AT_ONCE] = some
    total += bias.reshape(-1, 1)
    return total[0] if len(total) == 1 else total.T


def _add(feature: Any, border: Any, leaves: Any, columns: Any, number: Any, total: Any) -> None:
    """Adds the leaf of each tree to each row's total; `leaves` are those of all trees in a line."""
    outputs, rows = total.shape[0], total.shape[1]
    size = outputs << feature.shape[1]
    for tree in range(feature.shape[0]):
        for row in range(rows):
            number[row] = 0
        for level in range(feature.shape[1]):
            asked, limit = feature[tree, level], border[tree, level]
            for row in range(rows):
                number[row] |= (columns[asked, row] > limit) << level
        for output in range(outputs):
            start = tree * size + output
            for row in range(rows):
                total[output, row] += leaves[start + number[row] * outputs]


def _add_arrays(
    feature: npt.NDArray[Any],
    border: npt.NDArray[Any],
    leaves: npt.NDArray[Any],
    columns: Floats,
    total: npt.NDArray[np.float64],
) -> None:
    """The same, a level of all trees at a time."""
    number = np.zeros((feature.shape[1], columns.shape[1]), dtype=np.uint8)
    for level, (asked, limit) in enumerate(zip(feature, border)):
        number |= (columns[asked] > limit[:, None]).view(np.uint8) << level
    for tree, leaf in enumerate(number):
        total += leaves[tree, leaf]
