"""Tables of numbers that are joined by a key. With them, near-duplicates and templates of sites are
found across machines.

A task writes the keys of its shard as one file, sorted by bucket. Another task reads one bucket of
all files, where all rows with the same key are together. Any engine can run both, and the files
outlive a crash.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.bulk.locations import read_part, write_bytes
from tearsheet.types import Options

Keys = npt.NDArray[np.uint64]
_NUMBER: Final = np.dtype("<u8")
_DEFAULTS: Final = Options()


def write_keys(location: str, keys: Keys, buckets: int) -> None:
    """Writes rows of numbers; the first number of each is its key, and decides its bucket."""
    bucket = keys[:, 0] % np.uint64(buckets)
    order = np.argsort(bucket, kind="stable")
    starts = np.searchsorted(bucket[order], np.arange(buckets + 1, dtype=np.uint64))
    head = np.array([keys.shape[1], *starts], dtype=_NUMBER)
    write_bytes(location, head.tobytes() + keys[order].astype(_NUMBER).tobytes())


def read_keys(location: str, bucket: int, buckets: int) -> Keys:
    """The rows of one bucket of a file."""
    width = int(_read(location, 0, 1)[0])
    begin, end = (int(number) for number in _read(location, 1 + bucket, 2))
    base = 2 + buckets
    found = _read(location, base + begin * width, (end - begin) * width)
    return found.reshape(end - begin, width)


def _read(location: str, place: int, count: int) -> Keys:
    size = _NUMBER.itemsize
    if not count:
        return np.empty(0, dtype=np.uint64)
    raw = read_part(location, place * size, (place + count) * size, _DEFAULTS)
    return np.frombuffer(raw, dtype=_NUMBER)
