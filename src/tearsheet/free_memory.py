"""Memory that Python has freed, but that the C library keeps for later."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress


def give_back_memory() -> None:
    """Gives what is not in use back to the system, where the C library can (glibc).

    One large request would otherwise be held for as long as the process lives.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
