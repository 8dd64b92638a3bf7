"""The last pass on a drawn page: corrects the selection by the looks of the segments.

Few drawn pages with labels exist, so looks do not judge anew. Trees over `layout_columns` and the
columns of the second pass take back what they find very unlikely, and add what they find very
likely; where they are not sure, the engine's choice stands. They pick their columns by name, so
they survive a new training of the engine, though they should be trained again after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.errors import ModelMismatch
from tearsheet.methods.forest.columns import SECOND, Column, names
from tearsheet.methods.forest.layout_columns import LAYOUT, fill_layout
from tearsheet.methods.forest.model import decode_words
from tearsheet.methods.forest.page_chrome import RestOfPage
from tearsheet.methods.forest.passes import Judgement, to_share
from tearsheet.methods.forest.trees import score_rows
from tearsheet.parameters import Arrays
from tearsheet.types import PAGE_TYPES, Bools, Floats, Page, Segments

PARAMETERS: Final = "forest_looks"
TREES_NAME: Final = "looks"
UNLIKELY: Final = 0.2
"""Chance of being content below which a kept segment is left out."""
LIKELY: Final = 0.8
"""Chance from which a segment is kept that was left out."""
COLUMNS: Final = (
    *LAYOUT, *SECOND, Column("judged", "engine", "0 if it was set aside as page chrome, else 1"),
)  # fmt: skip
"""The columns that the trees may ask for."""
_NAMES: Final = {name: at for at, name in enumerate(names(COLUMNS))}
_ARTICLE: Final = PAGE_TYPES.index("article")


def correct_by_looks(
    page: Page, segments: Segments, keep: Bools, rest: RestOfPage, judged: Judgement, favor: str
) -> Bools:
    """The selection of a drawn page, corrected by looks; never empty. `favor="precision"` adds
    nothing, `favor="recall"` removes nothing.
    """
    chance = content_chances(looks_table(page, segments, rest, judged))
    corrected: Bools = keep.copy()
    if favor != "recall":
        corrected &= chance >= UNLIKELY
    if favor != "precision":
        corrected |= chance >= LIKELY
    corrected[segments.hidden] = keep[segments.hidden]  # hidden segments have no looks
    return corrected if corrected.any() else keep


def looks_table(page: Page, segments: Segments, rest: RestOfPage, judged: Judgement) -> Floats:
    """The table of `COLUMNS`: a row for each column, a column for each segment."""
    share = rest.spread(judged.share)
    whole = np.zeros((len(COLUMNS), len(segments)), dtype=np.float32)
    whole[: len(LAYOUT)] = fill_layout(page, segments, share, float(judged.types[_ARTICLE]))
    whole[len(LAYOUT) : -1, rest.stays] = judged.table
    whole[-1] = rest.stays
    return whole


def content_chances(table: Floats) -> Floats:
    """The chance of each segment to be content."""
    trees = parameters.load(PARAMETERS)
    return to_share(score_rows(trees, TREES_NAME, table[_trained_rows(trees)]))


def _trained_rows(trees: Arrays) -> npt.NDArray[np.intp]:
    """The rows of the columns that the trees were trained with; raises if one is gone."""
    trained: Sequence[str] = decode_words(trees[f"{TREES_NAME}_columns"])
    gone = [name for name in trained if name not in _NAMES]
    if gone:
        raise ModelMismatch(PARAMETERS, f"its column '{gone[0]}' no longer exists")
    return np.array([_NAMES[name] for name in trained], dtype=np.intp)
