from collections.abc import Iterable
from typing import Any

import numpy.typing as npt

from tearsheet.types import Floats, Ints

LABEL_WORDS: int

class WordRows: ...

class Words:
    """Learned words, each with its values; row 0 has the values of all others, which are zero."""

    values: Any
    def __init__(self, words: Iterable[str], values: npt.ArrayLike) -> None: ...
    def row(self, text: str, start: int, stop: int, marked: bool) -> int: ...

class WordSet:
    """Words that are only to be known again, such as those of a title."""

    def __init__(self, words: list[str]) -> None: ...

def fill_names(
    rows: WordRows,
    out: Floats,
    words: Words,
    attrs: list[str],
    named_rows: Ints,
    called: Ints,
    parent: Ints,
    first: Ints,
    bottom: Ints,
    top: Ints,
    found: Ints,
    ends: Ints,
) -> None: ...
def names_in(raw: str) -> list[str]: ...
def name_words(name: str) -> list[str]: ...
def fill_texts(
    rows: WordRows,
    out: Floats,
    words: Words,
    title: WordSet,
    title_words: float,
    texts: list[str],
    lengths: Ints,
    tag: npt.NDArray[Any],
    block: Ints,
    low: Ints,
    top: Ints,
    found: Ints,
    ends: Ints,
) -> None: ...
def split_line(text: str, length: int) -> tuple[str, list[str]]: ...
