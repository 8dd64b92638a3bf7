from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet.types import Floats, Ints

class EvidenceRows: ...

def fill(
    rows: EvidenceRows,
    out: Floats,
    texts: list[str],
    *,
    tag: npt.NDArray[Any],
    parent: Ints,
    end: Ints,
    first: Ints,
    block: Ints,
    chars: Ints,
    words: Ints,
    links: Ints,
    hidden: npt.NDArray[np.uint8],
    around: object,
    long_words: int,
    run_low: int,
    run_high: int,
) -> None: ...
def first_words(texts: list[str], count: int) -> list[str]: ...
