"""The linear support vector machine of `svm` and `svm_a`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tearsheet.learn.examples import LabelledPage
from tearsheet.learn.nodes import perfect_values, standardise, unscale

NEEDS_LAYOUT = True
SEED: Final = 0


def fit(examples: Iterable[LabelledPage]) -> dict[str, np.ndarray[Any, Any]]:
    """The perfect values and the weights of the 17 features; positive nodes against the rest."""
    from sklearn.svm import LinearSVC

    values, rows, positive = perfect_values(examples)
    scaled, mean, scale = standardise(rows)
    model = LinearSVC(dual=False, random_state=SEED).fit(scaled, positive)
    return values | unscale(model.coef_[0], float(model.intercept_[0]), mean, scale)
