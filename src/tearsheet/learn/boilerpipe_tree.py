"""The decision tree of `boilerpipe_tree`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tearsheet.learn.examples import CONTENT, LabelledPage
from tearsheet.methods.boilerpipe_tree import features

SEED: Final = 0
MOST_LEAVES: Final = 250
FEWEST_BLOCKS: Final = 100
"""In a leaf."""


def fit(examples: Iterable[LabelledPage]) -> dict[str, np.ndarray[Any, Any]]:
    """The tree as arrays: feature (-1: a leaf), threshold, left, right, and the leaf's value."""
    from sklearn.tree import DecisionTreeClassifier

    found = list(examples)
    rows = np.concatenate([features(example.page, example.segments) for example in found])
    content = np.concatenate([example.share >= CONTENT for example in found])
    words = np.concatenate([example.segments.words for example in found])
    learner = DecisionTreeClassifier(
        max_leaf_nodes=MOST_LEAVES, min_samples_leaf=FEWEST_BLOCKS, random_state=SEED
    )
    tree = learner.fit(rows, content, sample_weight=np.sqrt(words)).tree_
    return {
        "feature": np.where(tree.children_left < 0, -1, tree.feature).astype(np.int16),
        "threshold": tree.threshold.astype(np.float32),
        "left": tree.children_left.astype(np.int16),
        "right": tree.children_right.astype(np.int16),
        "value": (tree.value[:, 0, 1] / tree.value[:, 0].sum(axis=1)).astype(np.float32),
    }
