from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.types import Floats, Ints

Doubles = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

class ContextRows: ...

def fill_context(
    rows: ContextRows,
    out: Floats,
    score: Floats,
    words: Doubles,
    order: Ints,
    tag: npt.NDArray[Any],
    block: Ints,
    around: object,
) -> None: ...
def group_by_make(group: Ints, kind: Ints, bottom: Ints, levels: int) -> None: ...
def even_out(out: Floats, score: Floats, words: Ints, group: Ints) -> None: ...
def mark_doubles(
    keep: Bytes,
    score: Floats,
    words: Ints,
    copy: Ints,
    label: int,
    certain: float,
    doubled: Bytes,
) -> None: ...
def best_count(
    order: Ints, content: npt.NDArray[Any], words: Doubles, beta: float
) -> tuple[int, float]: ...
def best_count_for_readings(
    order: Ints,
    score: Doubles,
    words: Doubles,
    borders: Doubles,
    chances: Doubles,
    sharper: float,
    beta: float,
) -> int: ...
def best_run(numbers: Doubles) -> tuple[int, int]: ...
