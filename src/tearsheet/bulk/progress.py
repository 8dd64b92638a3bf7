"""A line on the terminal: how much is done, how fast, how many errors, how much time is left."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Final, TextIO

from tearsheet.bulk.runs import Manifest
from tearsheet.terminal import show_line

_STEP: Final = 0.5  # seconds between two updates


class ProgressLine:
    """Counts shards and their rows, and shows the counts on a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._watched = self._stream.isatty()
        self._began = self._shown = time.monotonic()
        self._shards = self._done = self._earlier = 0
        self.rows = self._earlier_rows = 0
        self.errors, self.filtered = Counter[str](), Counter[str]()

    def begin(self, shards: int) -> None:
        """Sets the number of shards."""
        self._shards = shards

    def count(self, manifest: Manifest, is_new: bool = True) -> None:
        """Adds a shard that is done, by this start of the run or by one before; of those that are
        marked only the duplicates count."""
        rows = manifest.get("rows", 0)
        self._done += "rows" in manifest
        self.rows += rows
        if not is_new:
            self._earlier += "rows" in manifest
            self._earlier_rows += rows
        self.errors.update(manifest["errors"])
        self.filtered.update(manifest.get("filtered", {}))
        if self._watched and time.monotonic() - self._shown > _STEP:
            self._shown = time.monotonic()
            show_line(self.line(), self._stream)

    def line(self) -> str:
        """For example `12% · 3,400 pages · 210 pages/s · 1 error (status 1) · 4 min left`."""
        spent, done = time.monotonic() - self._began, self._done - self._earlier
        waiting = self._shards - self._done
        left = f" · {_describe_seconds(spent * waiting / done)} left" if done else ""
        return f"{self._done / max(self._shards, 1):.0%} · {self.summary()}{left}"

    def summary(self) -> str:
        spent = max(time.monotonic() - self._began, 1e-9)
        rate = (self.rows - self._earlier_rows) / spent
        pages = f"{self.rows:,} page{'' if self.rows == 1 else 's'}"
        errors = _list_kinds(self.errors, "error" if self.errors.total() == 1 else "errors")
        filtered = f" · {_list_kinds(self.filtered, 'filtered')}" if self.filtered else ""
        return f"{pages} · {rate:,.0f} pages/s · {errors}{filtered}"

    def end(self) -> None:
        """Removes the line."""
        show_line("", self._stream)


def _list_kinds(counts: Counter[str], name: str) -> str:
    """How many there are, and how many of each kind, the commonest first.

    >>> _list_kinds(Counter({"limit": 1, "status": 1200}), "errors")
    '1,201 errors (status 1,200, limit 1)'
    """
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in counts.most_common())
    return f"{counts.total():,} {name}" + (f" ({kinds})" if kinds else "")


def _describe_seconds(seconds: float) -> str:
    """A length of time, rounded for reading.

    >>> _describe_seconds(42), _describe_seconds(600), _describe_seconds(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
