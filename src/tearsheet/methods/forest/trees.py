"""Sums of decision trees, scored without the training library.

The trees are symmetric ("oblivious"): all nodes of a level ask the same question, so the answers of
a tree are the bits of the number of its leaf. That also tells what a question is worth: the leaf
that was reached against the one that the other answer leads to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet._core import trees as core
from tearsheet.parameters import Arrays
from tearsheet.types import Floats


def score_rows(trees: Arrays, name: str, columns: Floats) -> npt.NDArray[np.float64]:
    """The raw score of each row. `columns` has one row per column: shape (columns, rows).

    A single output gives shape (rows,), several give (rows, outputs).
    """
    feature, border = trees[f"{name}_feature"], trees[f"{name}_border"]
    leaves, bias = trees[f"{name}_leaves"], trees[f"{name}_bias"]
    if leaves.shape[:2] != (len(feature), 1 << feature.shape[1]):
        raise ValueError(f"{len(feature)} trees cannot have leaves of shape {leaves.shape}")
    total = np.zeros((leaves.shape[2], columns.shape[1]))
    core.add_leaves(feature, border, leaves, np.ascontiguousarray(columns), total)
    total += bias.reshape(-1, 1)
    return total[0] if len(total) == 1 else total.T


def column_effects(trees: Arrays, name: str, row: Floats) -> npt.NDArray[np.float64]:
    """The effect of each column on the score of one row: for each question half of the difference
    to the leaf that the other answer leads to.

    >>> trees = {"t_feature": np.array([[1]]), "t_border": np.array([[0.5]]),
    ...          "t_leaves": np.array([[[-1.0], [3.0]]])}
    >>> column_effects(trees, "t", np.array([0.0, 1.0], dtype=np.float32)).tolist()
    [0.0, 2.0]
    """
    feature, leaves = trees[f"{name}_feature"], trees[f"{name}_leaves"][:, :, 0]
    bit = 1 << np.arange(feature.shape[1])
    answers = row[feature] > trees[f"{name}_border"]
    leaf = (answers * bit).sum(axis=1, keepdims=True)
    reached = np.take_along_axis(leaves, leaf, axis=1)
    gains = (reached - np.take_along_axis(leaves, leaf ^ bit, axis=1)) / 2
    return _sum_by_column(feature, gains, len(row))


def column_importance(trees: Arrays, name: str, count: int) -> npt.NDArray[np.float64]:
    """The share that each of `count` columns has in the decisions of the trees: for each question
    the mean squared difference between leaves that only its answer tells apart."""
    feature, leaves = trees[f"{name}_feature"], trees[f"{name}_leaves"]
    numbers = np.arange(leaves.shape[1])
    spread = [
        ((leaves - leaves[:, numbers ^ (1 << level)]) ** 2).mean(axis=(1, 2))
        for level in range(feature.shape[1])
    ]
    total = _sum_by_column(feature, np.stack(spread, axis=1), count)
    shares: npt.NDArray[np.float64] = total / max(float(total.sum()), 1e-9)
    return shares


def _sum_by_column(
    feature: npt.NDArray[Any], values: npt.NDArray[Any], count: int
) -> npt.NDArray[np.float64]:
    total = np.zeros(count)
    np.add.at(total, feature.ravel(), values.ravel())
    return total
