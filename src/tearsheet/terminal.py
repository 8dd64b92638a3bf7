"""A line on standard error that is written over and over, if that is a terminal."""

from __future__ import annotations

import sys
from typing import Final, TextIO

ERASE: Final = "\r\x1b[K"
_WIDTH: Final = 30


def show_line(text: str, stream: TextIO | None = None) -> None:
    """Replaces the line by this one; an empty one removes it."""
    stream = stream or sys.stderr
    if stream.isatty():
        stream.write(f"{ERASE}{text}")
        stream.flush()


def bar(done: int, total: int) -> str:
    """How far something is, as a bar.

    >>> bar(1, 3)
    '[##########....................]'
    """
    full = _WIDTH * done // max(total, 1)
    return f"[{'#' * full}{'.' * (_WIDTH - full)}]"
