"""Python's search for garbage, put off while there is none: a page is built up and kept, and on a
long one every search walks through all that is there so far."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_alone() -> Iterator[None]:
    """Within the block no garbage is looked for, if nobody else in the process asks for it.

    >>> with left_alone():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()
