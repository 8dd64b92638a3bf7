"""The segment classifier of `clipper`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tearsheet.features.looks import measure_looks
from tearsheet.learn.examples import CONTENT, LabelledPage
from tearsheet.learn.nodes import standardise, unscale
from tearsheet.methods.clipper import features

NEEDS_LAYOUT = True


def fit(examples: Iterable[LabelledPage]) -> dict[str, np.ndarray[Any, Any]]:
    """The weights of a logistic regression over the looks of segments."""
    from sklearn.linear_model import LogisticRegression

    rows, content, chars = [], [], []
    for example in examples:
        look = measure_looks(example.page, example.segments)
        rows.append(features(example.page, example.segments, look))
        content.append(example.share >= CONTENT)
        chars.append(example.segments.chars)
    scaled, mean, scale = standardise(np.concatenate(rows))
    weight = np.sqrt(np.concatenate(chars))  # long segments decide the sum
    model = LogisticRegression(max_iter=1000)
    model.fit(scaled, np.concatenate(content), sample_weight=weight)
    return unscale(model.coef_[0], float(model.intercept_[0]), mean, scale)
