"""Boilerpipe's learned form: a decision tree over shallow text features, trained on our data.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010, §3 (features) and §4 (classification). The deviations of the blocks are in
`_boilerpipe.py`.

Deviations: 1. CART with a limited number of leaves instead of C4.8. 2. The block frequencies over a
whole corpus are left out: a page must be judged by itself. 3. Trained on pages of every kind.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.methods._boilerpipe import after, before, link_density, text_density
from tearsheet.parameters import Arrays
from tearsheet.tags import HEADINGS, mask
from tearsheet.types import Options, Page, Segments, Verdict

PARAMETERS: Final = "boilerpipe_tree"
THRESHOLD: Final = 0.5
"""Probability from which a block is content."""

_TAGS: Final = (HEADINGS, mask("p"), mask("div"), mask("li"))
_STOPS: Final = ".!?。！？"


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the blocks that are more likely content than not; the score is that probability."""
    chance = leaf_values(parameters.load(PARAMETERS), features(page, segments))
    return Verdict(
        method="boilerpipe_tree", score=chance.astype(np.float32), keep=chance >= THRESHOLD
    )


def features(page: Page, segments: Segments) -> npt.NDArray[np.float32]:
    """One row per block: its own shallow features, its neighbours', its place and its tag."""
    words = segments.words.astype(np.float64)
    stops = np.array([_stop_share(text) for text in segments.text], dtype=np.float64)
    capital = np.array([_capital_share(text) for text in segments.text], dtype=np.float64)
    local = [link_density(segments), text_density(segments), words, stops, capital]
    around = [column for own in local for column in (before(own), own, after(own))]
    place = np.arange(len(segments), dtype=np.float64)
    block = page.tag[segments.block]
    return np.column_stack(
        [
            *around,
            segments.chars / np.maximum(words, 1),
            place,
            place / len(segments),
            *(tag[block] for tag in _TAGS),
        ]
    ).astype(np.float32)


def _stop_share(text: str) -> float:
    """Sentences per word: the inverse of the average sentence length."""
    return sum(map(text.count, _STOPS)) / (text.count(" ") + 1)


def _capital_share(text: str) -> float:
    """The share of words that begin with a capital letter."""
    words = text.split(" ")
    return sum(word[:1].isupper() for word in words) / len(words)


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
