"""Boilerpipe's learned form: a decision tree over shallow text features, trained on our data.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010, §3 (features) and §4 (classification). The deviations of the blocks are in
`_boilerpipe.py`.

Deviations: 1. CART with a limited number of leaves instead of C4.8. 2. Trained on pages of every
kind. 3. The corpus of the block frequencies is the training set.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.methods._boilerpipe import features
from tearsheet.parameters import Arrays
from tearsheet.types import Options, Page, Segments, Verdict

PARAMETERS: Final = "boilerpipe_tree"
THRESHOLD: Final = 0.5
"""Probability from which a block is content."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the blocks that are more likely content than not; the score is that probability."""
    known = parameters.load(PARAMETERS)
    chance = leaf_values(known, features(page, segments, known))
    return Verdict(
        method="boilerpipe_tree", score=chance.astype(np.float32), keep=chance >= THRESHOLD
    )


def leaf_values(tree: Arrays, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The value of the leaf that each row falls into."""
    at = np.zeros(len(rows), dtype=np.intp)
    here = np.arange(len(rows))
    while True:
        feature = tree["feature"][at]
        inner = feature >= 0
        if not inner.any():
            return tree["value"][at].astype(np.float64)
        left = rows[here, np.maximum(feature, 0)] <= tree["threshold"][at]
        at = np.where(inner, np.where(left, tree["left"][at], tree["right"][at]), at)
