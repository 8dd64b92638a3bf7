"""The last pass on a drawn page: what is kept, corrected by how it looks.

The engine's share of content comes from the page's structure and words and is the same for a parsed
page. Few drawn pages with labels exist, so looks do not judge anew: trees over `layout_columns`
(the engine's share is one of them) take back what they find very unlikely, and add what they find
very likely. Where they are not sure the engine's choice stands.
"""

from __future__ import annotations

from typing import Final

from tearsheet import parameters
from tearsheet.methods.forest.layout_columns import LAYOUT, fill_layout
from tearsheet.methods.forest.model import check_columns
from tearsheet.methods.forest.passes import to_share
from tearsheet.methods.forest.trees import score_rows
from tearsheet.types import Bools, Floats, Page, Segments

PARAMETERS: Final = "forest_looks"
TREES_NAME: Final = "looks"
UNLIKELY: Final = 0.2
"""Chance of being content below which a kept segment is left out."""
LIKELY: Final = 0.8
"""Chance from which a segment is kept that was left out."""


def correct_by_looks(
    page: Page, segments: Segments, share: Floats, keep: Bools, is_article: float, favor: str
) -> Bools:
    """What is kept of a drawn page, with what its looks rule out or in; never nothing.

    Who favors precision gets nothing added, and who favors recall loses nothing.
    """
    chance = content_chances(page, segments, share, is_article)
    corrected: Bools = keep.copy()
    if favor != "recall":
        corrected &= chance >= UNLIKELY
    if favor != "precision":
        corrected |= chance >= LIKELY
    corrected[segments.hidden] = keep[segments.hidden]  # what is not drawn has no looks
    return corrected if corrected.any() else keep


def content_chances(page: Page, segments: Segments, share: Floats, is_article: float) -> Floats:
    """The chance of each segment to be content, by its looks and the engine's share."""
    trees = parameters.load(PARAMETERS)
    check_columns(trees, {TREES_NAME: LAYOUT})
    return to_share(score_rows(trees, TREES_NAME, fill_layout(page, segments, share, is_article)))
