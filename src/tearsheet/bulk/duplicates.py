"""Near-duplicate texts, by MinHash with bands (Broder 1997; Leskovec, Rajaraman, Ullman,
*Mining of Massive Datasets*, chapter 3).

14 bands of 8 hashes over 5-word shingles: two texts that share three quarters of their shingles
match with probability 0.77, with nine tenths 0.999, with a half 0.05. The first of the texts that
share a number is kept, in the order of the shards; which texts those are does not depend on what
works on them, so any number of machines gives the same.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.bulk.keys import Keys
from tearsheet.writing import HAN, HANGUL, KANA

BANDS: Final = 14
HASHES: Final = 8
SHINGLE: Final = 5  # words
_WORD: Final = re.compile(rf"[{KANA}{HAN}{HANGUL}]|[^\W_]+")
"""A word, or a character in scripts that have no spaces."""
_IDENTIFYING: Final = (
    "source", "offset", "url", "captured", "record_id", "digest", "content_type", "status",
    "method", "timings",
)  # fmt: skip
_Hashes = npt.NDArray[np.uint64]


def minhash(text: str) -> list[int]:
    """One number per band; nearly equal texts share at least one of them.

    >>> words = [f"word{i}" for i in range(300)]
    >>> one, other = minhash(" ".join(words)), minhash(" ".join([*words[:290], "another", "end"]))
    >>> bool(set(one) & set(other)), bool(set(one) & set(minhash("Something quite different.")))
    (True, False)
    """
    words = [zlib.crc32(word.encode("utf-8", "replace")) for word in _WORD.findall(text.lower())]
    shingles = _shingles(np.array(words or [0], dtype=np.uint64))
    least = np.array([(shingles * a + b).min() for a, b in zip(*_FUNCTIONS)], dtype=np.uint64)
    bands = np.arange(BANDS, dtype=np.uint64)  # a number of one band never equals one of another
    for column in least.reshape(BANDS, HASHES).T:
        bands = _mix(bands ^ column)
    numbers: list[int] = bands.tolist()
    return numbers


def _shingles(words: _Hashes) -> _Hashes:
    """A hash of each run of words; of all words if there are fewer than a run has."""
    found = words
    for step in range(1, min(SHINGLE, len(words))):
        found = _mix(found[:-1]) + words[step:]
    return np.unique(_mix(found))


def _mix(numbers: _Hashes) -> _Hashes:
    """SplitMix64's finaliser (Steele, Lea, Flood 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))


_FUNCTIONS: Final = (
    _mix(np.arange(1, 1 + BANDS * HASHES, dtype=np.uint64)) | np.uint64(1),
    _mix(np.arange(1_000, 1_000 + BANDS * HASHES, dtype=np.uint64)),
)
"""Factor and addend of each hash function."""


def find_duplicates(keys: Iterable[tuple[int, Keys]]) -> Keys:
    """The rows that nearly repeat an earlier one: the shard and the row, then the shard and the
    place of the earliest row that shares a number. `keys` has, by shard, rows of number, row and
    place.

    >>> one = np.array([[7, 0, 100], [8, 1, 200]], dtype=np.uint64)
    >>> find_duplicates([(0, one), (1, np.array([[9, 0, 50], [8, 1, 60]], dtype=np.uint64))])
    array([[  1,   1,   0, 200]], dtype=uint64)
    """
    tables = [
        np.column_stack([table, np.full(len(table), shard, dtype=np.uint64)])
        for shard, table in keys
    ]
    number, row, place, shard = np.concatenate([np.empty((0, 4), np.uint64), *tables]).T
    order = np.lexsort((row, shard, number))
    number, row, place, shard = number[order], row[order], place[order], shard[order]
    begins = np.flatnonzero(np.r_[True, number[1:] != number[:-1]]) if len(number) else order
    first = np.repeat(begins, np.diff(np.r_[begins, len(number)]))
    later = (shard != shard[first]) | (row != row[first])
    found = np.column_stack([shard, row, shard[first], place[first]])[later]
    return earliest_repeats(found)


def earliest_repeats(found: Keys) -> Keys:
    """For each shard and row the earliest of the rows that it repeats."""
    found = found[np.lexsort(found.T[::-1])]
    same = (found[1:, :2] == found[:-1, :2]).all(axis=1)
    kept: Keys = found[np.r_[True, ~same][: len(found)]]
    return kept


def mark_duplicate(row: dict[str, Any], first: str) -> dict[str, Any]:
    """The row of a page that repeats the text of an earlier row."""
    kept = {name: row.get(name) for name in _IDENTIFYING}
    return kept | {"error": f"duplicate: nearly the same as {first}"}
