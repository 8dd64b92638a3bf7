"""A line on the terminal: how much is done, how fast, how many errors, how much time is left."""

from __future__ import annotations

import sys
import time
from typing import Final, TextIO

import pyarrow as pa

from tearsheet.terminal import show_line

_STEP: Final = 0.5  # seconds between two updates


class ProgressLine:
    """Counts rows, and shows the count on a terminal."""

    def __init__(self, extents: list[int], stream: TextIO | None = None) -> None:
        self._extents = extents
        self._stream = stream or sys.stderr
        self._watched = self._stream.isatty()
        self._began = self._shown = time.monotonic()
        self._start: float | None = None
        self._share = 0.0
        self.rows = self.errors = 0

    def note_reading(self, number: int, offset: int) -> None:
        """Reading has come to this offset of this source."""
        extent = self._extents[number]
        within = min(offset / extent, 1.0) if extent else 0.0
        self._share = (number + within) / len(self._extents)
        if self._start is None:
            self._start = self._share

    def count(self, batch: pa.RecordBatch) -> None:
        """Adds rows that have been written."""
        self.rows += batch.num_rows
        self.errors += batch.num_rows - batch.column("error").null_count
        if self._watched and time.monotonic() - self._shown > _STEP:
            self._shown = time.monotonic()
            show_line(self.line(), self._stream)

    def line(self) -> str:
        """For example `12 % · 3,400 pages · 210 pages/s · 3 errors · 4 min left`."""
        spent = time.monotonic() - self._began
        share = self._share - (self._start or 0.0)
        left = f" · {_span(spent * (1 - self._share) / share)} left" if share > 0 else ""
        return f"{self._share:.0%} · {self.summary()}{left}"

    def summary(self) -> str:
        rate = self.rows / max(time.monotonic() - self._began, 1e-9)
        errors = f"{self.errors:,} error{'' if self.errors == 1 else 's'}"
        return f"{self.rows:,} pages · {rate:,.0f} pages/s · {errors}"

    def end(self) -> None:
        """Removes the line."""
        show_line("", self._stream)


def _span(seconds: float) -> str:
    """A length of time, rounded for reading.

    >>> _span(42), _span(600), _span(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
