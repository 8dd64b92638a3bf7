from typing import Any

import numpy.typing as npt

from tearsheet.types import Floats, Ints

class WordWeights:
    weights: Floats
    rows: Ints
    def __init__(self, weights: Floats, rows: Ints) -> None: ...

def add_names(
    out: Floats,
    around: WordWeights,
    own: WordWeights,
    found: Ints,
    ends: Ints,
    parent: Ints,
    named_rows: Ints,
    called: Ints,
    first: Ints,
) -> None: ...
def add_texts(
    out: Floats,
    text: WordWeights,
    heading: WordWeights,
    first_line: WordWeights,
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
def to_chances(odds: Floats) -> None: ...
def fill_terms(terms: Floats, chance: Floats, groups: Ints, most: int, least: float) -> None: ...
def add_terms(out: Floats, terms: Floats, weights: Floats) -> None: ...
