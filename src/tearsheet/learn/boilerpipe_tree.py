"""The decision tree of `boilerpipe_tree`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tearsheet.learn.blocks import read_blocks
from tearsheet.learn.examples import LabelledPage

SEED: Final = 0
MOST_LEAVES: Final = 250
FEWEST_BLOCKS: Final = 100
"""In a leaf."""


def fit(examples: Iterable[LabelledPage]) -> dict[str, np.ndarray[Any, Any]]:
    """The tree as arrays: feature (-1: a leaf), threshold, left, right, and the leaf's value."""
    from sklearn.tree import DecisionTreeClassifier

    blocks = read_blocks(examples)
    learner = DecisionTreeClassifier(
        max_leaf_nodes=MOST_LEAVES, min_samples_leaf=FEWEST_BLOCKS, random_state=SEED
    )
    tree = learner.fit(blocks.rows, blocks.content, sample_weight=blocks.weight).tree_
    return blocks.corpus | {
        "feature": np.where(tree.children_left < 0, -1, tree.feature).astype(np.int16),
        "threshold": tree.threshold.astype(np.float32),
        "left": tree.children_left.astype(np.int16),
        "right": tree.children_right.astype(np.int16),
        "value": (tree.value[:, 0, 1] / tree.value[:, 0].sum(axis=1)).astype(np.float32),
    }
