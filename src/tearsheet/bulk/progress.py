"""A line on the terminal: how much is done, how fast, how many errors, how much time is left."""

from __future__ import annotations

import sys
import time
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
        self._shards = self._done = 0
        self.rows = self.errors = self.filtered = 0

    def begin(self, shards: int) -> None:
        """Sets the number of shards."""
        self._shards = shards

    def count(self, manifest: Manifest) -> None:
        """Adds a finished shard."""
        self._done += 1
        self.rows += manifest["rows"]
        self.errors += sum(manifest["errors"].values())
        self.filtered += sum(manifest["filtered"].values())
        if self._watched and time.monotonic() - self._shown > _STEP:
            self._shown = time.monotonic()
            show_line(self.line(), self._stream)

    def line(self) -> str:
        """For example `12 % · 3,400 pages · 210 pages/s · 3 errors · 4 min left`."""
        spent, share = time.monotonic() - self._began, self._done / max(self._shards, 1)
        left = f" · {_describe_seconds(spent * (1 - share) / share)} left" if share > 0 else ""
        return f"{share:.0%} · {self.summary()}{left}"

    def summary(self) -> str:
        rate = self.rows / max(time.monotonic() - self._began, 1e-9)
        errors = f"{self.errors:,} error{'' if self.errors == 1 else 's'}"
        filtered = f" · {self.filtered:,} filtered" if self.filtered else ""
        return f"{self.rows:,} pages · {rate:,.0f} pages/s · {errors}{filtered}"

    def end(self) -> None:
        """Removes the line."""
        show_line("", self._stream)


def _describe_seconds(seconds: float) -> str:
    """A length of time, rounded for reading.

    >>> _describe_seconds(42), _describe_seconds(600), _describe_seconds(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
