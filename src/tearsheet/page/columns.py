"""What the two ways to read a written tree share: the columns, and the names of tags as numbers."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.tags import NAMES, OTHER
from tearsheet.types import Ints


class Columns(NamedTuple):
    """The columns of a `Page` that its markup alone tells."""

    tag: npt.NDArray[np.uint8]
    parent: Ints
    end: Ints
    depth: Ints
    breaks: Ints
    text: list[str]
    attrs: list[str]
    attrs_at: Ints
    all_attrs: list[str]
    names: dict[int, str]


def each_once(attrs: list[str], rows: list[int]) -> tuple[Ints, list[str]]:
    """Where each text stands among the different ones, and these; the first is empty, as are all
    but those in `rows`.

    >>> each_once(["", "b", "a", "b"], [1, 2, 3])
    (array([0, 1, 2, 1], dtype=int32), ['', 'b', 'a'])
    """
    known, at = {"": 0}, np.zeros(len(attrs), dtype=np.int32)
    at[rows] = [known.setdefault(attrs[row], len(known)) for row in rows]
    return at, list(known)


BEHIND_EIGHT: Final = np.uint64(0x9E3779B97F4A7C15)
"""What the letters behind the eighth are multiplied with."""


def _number(name: str) -> int:
    """The name as a number; those of up to eight letters have one each, longer ones a hash."""
    letters = name.encode().ljust(16, b"\0")
    low, high = (int.from_bytes(part, "little") for part in (letters[:8], letters[8:16]))
    return (low + high * int(BEHIND_EIGHT)) % 2**64


NUMBERS: Final = np.array([_number(name) for name in NAMES], dtype=np.uint64)
"""The names of `tags.NAMES` as numbers."""
SHIFT: Final = np.uint64(48)
FACTOR: Final = next(  # with it, the top 16 bits of the product differ from name to name
    factor
    for factor in np.arange(1, 1000, dtype=np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    if len(np.unique(NUMBERS * factor >> SHIFT)) == len(NAMES)
)
SLOTS: Final = np.full(1 << 16, OTHER, dtype=np.uint8)
"""The code of the name whose number times `FACTOR` has these top bits."""
SLOTS[NUMBERS * FACTOR >> SHIFT] = np.arange(len(NAMES))


def decoded(text: str) -> str:
    """A text without the entities that the serialiser wrote.

    >>> decoded("a &lt; b &amp;amp; c")
    'a < b &amp; c'
    """
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&amp;", "&")
