"""Python's search for garbage, put off while there is none: a page is built up and kept, and on a
long one every search walks through all that is there so far."""

from __future__ import annotations

import gc


class left_alone:  # noqa: N801  it reads as what it does
    """Within the block no garbage is looked for, if nobody else in the process asks for it.

    >>> with left_alone():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """

    __slots__ = ("_was_collecting",)

    def __enter__(self) -> None:
        self._was_collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_collecting:
            gc.enable()
