"""Sums of decision trees, scored without the training library.

The trees are symmetric ("oblivious"): all nodes of a level ask the same question, so the answers of
a tree are the bits of the number of its leaf. Compiled, that is a loop over each level's answers
(`leaves.pyx`); else the same over whole arrays of NumPy. Both add up in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.parameters import Arrays
from tearsheet.types import Floats

try:
    from tearsheet.features import leaves as _leaves
except ImportError:  # it is not compiled
    _leaves = None  # type: ignore[assignment]

COMPILED = _leaves is not None
_AT_ONCE = 2048
"""Rows scored together: their columns stay in the processor's cache."""


def score(trees: Arrays, name: str, columns: Floats) -> npt.NDArray[np.float64]:
    """The raw score of each row. `columns` has one row per feature: shape (features, rows).

    A single output gives shape (rows,), several give (rows, outputs).
    """
    feature, border = trees[f"{name}_feature"], trees[f"{name}_border"]
    leaves, bias = trees[f"{name}_leaves"], trees[f"{name}_bias"]
    if leaves.shape[:2] != (len(feature), 1 << feature.shape[1]):
        raise ValueError(f"{len(feature)} trees cannot have leaves of shape {leaves.shape}")
    total = np.zeros((leaves.shape[2], columns.shape[1]))
    if COMPILED:
        _leaves.add(feature, border, leaves, np.ascontiguousarray(columns), total)
    else:
        if len(feature) and int(feature.max()) >= len(columns):
            raise ValueError(f"the trees ask for more columns than the {len(columns)} there are")
        for i in range(0, columns.shape[1], _AT_ONCE):
            part = np.ascontiguousarray(columns[:, i : i + _AT_ONCE])
            _add_arrays(feature.T, border.T, leaves, part, total[:, i : i + _AT_ONCE].T)
    total += bias.reshape(-1, 1)
    return total[0] if len(total) == 1 else total.T


def _add_arrays(
    feature: npt.NDArray[Any],
    border: npt.NDArray[Any],
    leaves: npt.NDArray[Any],
    columns: Floats,
    total: npt.NDArray[np.float64],
) -> None:
    """Adds the leaf of each tree to each row's total, a level of all trees at a time."""
    number = np.zeros((feature.shape[1], columns.shape[1]), dtype=np.uint8)
    for level, (asked, limit) in enumerate(zip(feature, border)):
        number |= (columns[asked] > limit[:, None]).view(np.uint8) << level
    for tree, leaf in enumerate(number):
        total += leaves[tree, leaf]
