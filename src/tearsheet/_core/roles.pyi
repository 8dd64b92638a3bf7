from typing import Any

import numpy.typing as npt

from tearsheet.types import Floats, Ints

def add_names(
    out: Floats,
    around: Floats,
    own: Floats,
    found: Ints,
    ends: Ints,
    parent: Ints,
    named_rows: Ints,
    called: Ints,
    first: Ints,
) -> None: ...
def add_texts(
    out: Floats,
    text: Floats,
    heading: Floats,
    first_line: Floats,
    found: Ints,
    ends: Ints,
    is_heading: npt.NDArray[Any],
    low: Ints,
    top: Ints,
    levels: int,
) -> None: ...
def find_bins(out: Ints, table: Floats, columns: Ints, borders: Floats, ends: Ints) -> None: ...

class PairRows: ...

PAIRS: int
HEADING_FORM: int
TERM_FORM: int

def fill_pairs(rows: PairRows, out: Ints, table: Floats) -> None: ...
def add_values(out: Floats, weights: Floats, values: Ints, starts: Ints) -> None: ...
def fill_means(out: Floats, chance: Floats, group: Ints, groups: int) -> None: ...
