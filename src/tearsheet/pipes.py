"""Values through pipes between our own processes."""

from __future__ import annotations

import math
import os
import pickle
import select
import struct
import sys
import time
from typing import Any, Final

import numpy as np

_SIZE: Final = struct.Struct("<I")
_LOOK: Final = 0.01
"""Seconds between two looks at a pipe, on Windows."""


def send(stream: Any, value: Any, until: float = math.inf) -> None:
    """Writes a value to a pipe: how many parts, their sizes, the parts. Large buffers are parts of
    their own and are not copied.

    Raises TimeoutError if nobody has read all of it by the time `until` (of `time.monotonic`); for
    that, the pipe must not block (see `stop_blocking`).
    """
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(body), *(buffer.raw() for buffer in buffers)]
    sizes = struct.pack(f"<{len(parts)}Q", *(part.nbytes for part in parts))
    for part in (memoryview(_SIZE.pack(len(parts)) + sizes), *parts):
        while part.nbytes:
            written = stream.write(part)
            if written is None:  # the pipe is full
                _wait_for_room(stream, until)
            else:
                part = part[written:]


def stop_blocking(stream: Any) -> None:
    """Lets writes to a pipe have a time limit (not on Windows)."""
    if sys.platform != "win32":
        os.set_blocking(stream.fileno(), False)


def _wait_for_room(stream: Any, until: float) -> None:
    poll = select.poll()
    poll.register(stream, select.POLLOUT)
    left = until - time.monotonic()
    if left <= 0 or not poll.poll(None if left == math.inf else 1000 * left):
        raise TimeoutError("nobody reads from a pipe")


def receive(stream: Any) -> Any:
    """The next value from a pipe; EOFError at its end."""
    (count,) = _SIZE.unpack(_read(stream, _SIZE.size))
    sizes = struct.unpack(f"<{count}Q", _read(stream, 8 * count))
    body, *buffers = [_read(stream, size) for size in sizes]
    return pickle.loads(body, buffers=buffers)  # noqa: S301  # from our own process


def _read(stream: Any, size: int) -> memoryview:
    found = np.empty(size, np.uint8).data  # a bytearray would be filled with zeros first
    left = found
    while left.nbytes:
        count = stream.readinto(left)
        if not count:
            raise EOFError
        left = left[count:]
    return found


def can_read(stream: Any, seconds: float) -> bool:
    """Whether there is something to read within so many seconds, or the pipe has ended."""
    if sys.platform == "win32":  # where pipes cannot be selected
        import _winapi
        import msvcrt

        until = time.monotonic() + seconds
        while not _winapi.PeekNamedPipe(msvcrt.get_osfhandle(stream.fileno()), 0)[0]:
            if time.monotonic() >= until:
                return False
            time.sleep(_LOOK)
        return True
    if stream.closed:  # in the middle of a job, by another thread
        return True
    poll = select.poll()
    poll.register(stream, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(1000 * seconds))
