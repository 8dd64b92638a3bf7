from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.types import Ints

Bytes = npt.NDArray[np.uint8]

FLAGS: dict[str, int]

def nest(first: Ints, parent: Ints, end: Ints, begun: Ints, high: Ints, top: Ints) -> None: ...
def climb(
    block: Ints,
    parent: Ints,
    top: Ints,
    tag: npt.NDArray[Any],
    attrs_at: Ints,
    tops: Ints,
    bottoms: Ints,
    number: Ints,
    each: Ints,
    numbers: Ints,
) -> int: ...
def number_attributes(
    all_attrs: list[str],
    attrs_at: Ints,
    begun: Ints,
    high: Ints,
    rows: Ints,
    called: Ints,
    classes: Ints,
    attrs_number: Ints,
    class_of: Ints,
) -> tuple[list[str], int]: ...
def class_number(raw: str) -> int: ...
def number_kinds(rows: Ints, classes: Ints, kind: Ints) -> int: ...
def number_families(end: Ints, kind: Ints, seen: Ints, given: Ints, family: Ints) -> int: ...
def number_copies(texts: list[str], copy: Ints, copies_before: Ints) -> None: ...
def mark_chrome(
    tag: npt.NDArray[Any],
    end: Ints,
    called: Bytes,
    first: Ints,
    words: Ints,
    flags: Bytes,
    enough: int,
    words_before: Ints,
    headings_before: Ints,
    stays: Bytes,
) -> int: ...
def take_rows(
    stays: Bytes,
    tag: npt.NDArray[Any],
    parent: Ints,
    end: Ints,
    depth: Ints,
    attrs_at: Ints,
    breaks: Ints,
    number: Ints,
    tags: Bytes,
    parents: Ints,
    ends: Ints,
    depths: Ints,
    attrs: Ints,
    all_breaks: Ints,
) -> None: ...
