"""Pauses Python's garbage collection while a page is built: everything new is kept, so each search
would walk through all of it and find nothing."""

from __future__ import annotations

import gc


class pause_gc:  # noqa: N801  a context manager reads as a verb
    """No garbage collection within the block, unless someone asks for it.

    >>> with pause_gc():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            gc.enable()
