"""The columns that the markup of a page gives, however it was read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.types import Ints


class Columns(NamedTuple):
    """The columns of a `Page` that its markup alone gives."""

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


def number_texts(texts: list[str], rows: list[int]) -> tuple[Ints, list[str]]:
    """The number of each text among the different ones, and these. Number 0 is the empty text, as
    are all texts outside `rows`.

    >>> number_texts(["", "b", "a", "b"], [1, 2, 3])
    (array([0, 1, 2, 1], dtype=int32), ['', 'b', 'a'])
    """
    known, numbers = {"": 0}, np.zeros(len(texts), dtype=np.int32)
    numbers[rows] = [known.setdefault(texts[row], len(known)) for row in rows]
    return numbers, list(known)


def parents(depth: Ints) -> Ints:
    """The parent of each row, from the depths alone; -1 for the root.

    A row that is deeper than the one before is its first child. Any other row has the parent of the
    last row that was as deep.

    >>> parents(np.array([0, 1, 2, 2, 1], dtype=np.int32))
    array([-1,  0,  1,  1,  0], dtype=int32)
    """
    fits = not len(depth) or depth.max() < 2**15  # small numbers are sorted faster
    order = np.argsort(depth.astype(np.int16) if fits else depth, kind="stable")
    is_first = np.diff(depth, prepend=np.int32(-1))[order] > 0
    begins = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
    parent = np.empty(len(depth), dtype=np.int32)
    parent[order] = order[begins] - 1
    return parent
