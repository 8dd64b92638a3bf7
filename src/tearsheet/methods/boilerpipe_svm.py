"""Boilerpipe's other learned form: a linear support vector machine over the same features.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010, §3 (features) and §4 (classification). The deviations of the blocks are in
`_boilerpipe.py`.

Deviations: 1. A linear machine fitted by coordinate descent instead of by sequential minimal
optimisation. 2. Trained on pages of every kind. 3. The corpus of the block frequencies is the
training set.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet import parameters
from tearsheet.methods._boilerpipe import features
from tearsheet.types import Options, Page, Segments, Verdict

PARAMETERS: Final = "boilerpipe_svm"


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the blocks on the right side of the plane; the score is the distance from it."""
    known = parameters.load(PARAMETERS)
    margin = features(page, segments, known) @ known["weights"] + float(known["intercept"])
    return Verdict(method="boilerpipe_svm", score=margin.astype(np.float32), keep=margin > 0)
