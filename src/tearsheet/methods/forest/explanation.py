"""Why a segment was kept or not, in words."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.methods.forest.columns import SECOND, numbers
from tearsheet.methods.forest.model import Model
from tearsheet.methods.forest.page_chrome import RestOfPage
from tearsheet.methods.forest.passes import Judgement
from tearsheet.methods.forest.trees import column_effects

STRONGEST: Final = 3
"""How many columns are named on each side."""
_ROW: Final = numbers(SECOND)


def explain_segment(model: Model, rest: RestOfPage, judged: Judgement, i: int) -> tuple[str, ...]:
    """The evidence for one segment of the page."""
    at = rest.place(i)
    if at < 0:
        return ("the page itself marks it as navigation, footer, dialog or cookie banner",)
    segments, row = rest.segments, judged.table[:, at]
    words = int(segments.words[at])
    linked = segments.link_chars[at] / max(int(segments.chars[at]), 1)
    hidden = ", hidden when the page opens" if segments.hidden[at] else ""
    alike = 2 * judged.share[at] - judged.score[at]
    best, worst = row[_ROW["names_best"]], row[_ROW["names_worst"]]
    return (
        f"{words} word{'s' * (words != 1)}, {linked:.0%} of it links{hidden}",
        f"class names around it: {best:+.1f} for, {worst:+.1f} against",
        f"score on its own: {row[_ROW['score']]:.2f}; of its container: "
        f"{row[_ROW['content_in_1']]:.2f}; of elements like it: {alike:.2f}",
        *_strongest_evidence(model, row),
    )


def _strongest_evidence(
    model: Model, row: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> list[str]:
    """The columns that moved the score of the second pass most, in their declared words."""
    effects = column_effects(model.arrays, "second", row)
    order = np.argsort(effects)
    sides = {
        "strongest evidence for it": [i for i in order[::-1][:STRONGEST] if effects[i] > 0],
        "strongest evidence against it": [i for i in order[:STRONGEST] if effects[i] < 0],
    }
    return [
        f"{side}: " + "; ".join(f"{_column_meaning(i)} ({effects[i]:+.2f})" for i in found)
        for side, found in sides.items()
        if found
    ]


def _column_meaning(row: int) -> str:
    return SECOND[row].meaning.removesuffix(", no logarithm")
