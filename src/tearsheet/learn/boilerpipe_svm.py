"""The linear support vector machine of `boilerpipe_svm`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tearsheet.learn.blocks import read_blocks
from tearsheet.learn.examples import LabelledPage
from tearsheet.learn.nodes import standardise, unscale

SEED: Final = 0


def fit(examples: Iterable[LabelledPage]) -> dict[str, np.ndarray[Any, Any]]:
    """The weights of the features of blocks."""
    from sklearn.svm import LinearSVC

    blocks = read_blocks(examples)
    scaled, mean, scale = standardise(blocks.rows.astype(np.float64))
    model = LinearSVC(dual=False, random_state=SEED)
    model.fit(scaled, blocks.content, sample_weight=blocks.weight)
    return blocks.corpus | unscale(model.coef_[0], float(model.intercept_[0]), mean, scale)
