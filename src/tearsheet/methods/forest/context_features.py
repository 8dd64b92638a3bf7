"""Scores of the first pass → the columns of the second: what the first pass found in the
neighbours, the containers, the copies, the segments of the same make and the page."""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet._core import sequence as core
from tearsheet.methods.forest.columns import CONTEXT, context_rows, fill_rows
from tearsheet.methods.forest.containers import Containers, to_ints
from tearsheet.types import Floats, Page, Segments

_ROWS: Final = fill_rows(core.ContextRows(), context_rows(CONTEXT))


def fill_context(
    out: Floats, page: Page, segments: Segments, around: Containers, score: Floats
) -> None:
    """Fills a table with a row for each column of `CONTEXT`."""
    core.fill_context(
        _ROWS, out, score, segments.words.astype(np.float64),
        to_ints((-score).argsort(kind="stable")), np.ascontiguousarray(page.tag),
        to_ints(segments.block), around,
    )  # fmt: skip
