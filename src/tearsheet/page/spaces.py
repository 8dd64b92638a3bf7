"""Columns → the space that a style sheet draws between two elements, where the markup has none.

`<span>La Sportiva</span><span>Aragon Shoes</span>` is drawn as two boxes, and a reader sees two
words where they meet. The markup alone does not tell that from `<b>bold</b><i>er</i>`, but letters
do: on the pages with truth, a capital or a digit that begins the second element stands apart at
1,860 such edges and together at 7.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet import tags
from tearsheet._core import segments as core
from tearsheet.page.columns import Columns

_VERBATIM: Final = tags.mask(*"pre code kbd samp sub sup math svg".split()).astype(np.uint8)
"""Elements in which every character counts as it is written."""


def add_spaces(columns: Columns) -> None:
    """Adds a space to each text that ends where the next element's text begins a new word."""
    core.add_spaces(
        columns.tag, columns.parent, columns.end, columns.breaks, columns.text, _VERBATIM
    )
