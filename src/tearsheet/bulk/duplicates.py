"""Near-duplicate texts, by MinHash with bands (Broder 1997; Leskovec, Rajaraman, Ullman,
*Mining of Massive Datasets*, chapter 3).

14 bands of 8 hashes over 5-word shingles: two texts that share three quarters of their shingles
match with probability 0.77, with nine tenths 0.999, with a half 0.05.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

BANDS: Final = 14
HASHES: Final = 8
SHINGLE: Final = 5  # words
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
"""A word, or a character in scripts that have no spaces."""
_KEPT: Final = ("source", "offset", "url", "method", "timings")
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


class Duplicates:
    """The texts of a run so far, about 2 KB of memory each."""

    def __init__(self, earlier: Iterable[dict[str, Any]] = ()) -> None:
        self._first: dict[int, str] = {}
        for row in earlier:
            self._learn(row)

    def mark(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch, with the error `duplicate` for each text that an earlier row already has."""
        rows = [self._learn(row) for row in batch.to_pylist()]
        return pa.RecordBatch.from_pylist(rows, schema=batch.schema)

    def _learn(self, row: dict[str, Any]) -> dict[str, Any]:
        numbers = row["minhash"]
        if numbers is None:
            return row
        first = next((self._first[number] for number in numbers if number in self._first), None)
        if first is not None:
            kept = {name: row[name] for name in _KEPT}
            return kept | {"error": f"duplicate: nearly the same as {first}"}
        name = row["url"] or f"{row['source']} at {row['offset']}"
        self._first.update(dict.fromkeys(numbers, name))
        return row
