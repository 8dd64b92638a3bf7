from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.types import Ints

Flags = npt.NDArray[np.uint8]

WRITTEN: Final = 1
SHOWN: Final = 2
APART: Final = 4
LINKED: Final = 8
UNSEEN: Final = 1
LINK: Final = 2
BLOCK: Final = 4

def mark_rows(
    tag: Flags,
    parent: Ints,
    end: Ints,
    text: list[str],
    meaning: Flags,
    written: int,
    known: Flags,
    block: Ints,
) -> None: ...
def hide_rows(attrs_at: Ints, end: Ints, hides: Flags, known: Flags) -> None: ...
def gather_lines(
    rows: list[str],
    breaks: Ints,
    known: Flags,
    block: Ints,
    wanted: int,
    text: list[str],
    ints: Ints,
    unseen: Flags,
) -> None: ...
def count_words(text: str) -> int: ...
def add_spaces(
    tag: Flags, parent: Ints, end: Ints, breaks: Ints, text: list[str], verbatim: Flags
) -> None: ...
