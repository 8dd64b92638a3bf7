"""Values through pipes between our own processes."""

from __future__ import annotations

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


def send(stream: Any, value: Any) -> None:
    """Writes a value to a pipe: how many parts, their sizes, the parts. Large buffers are parts of
    their own and are not copied."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(body), *(buffer.raw() for buffer in buffers)]
    sizes = struct.pack(f"<{len(parts)}Q", *(part.nbytes for part in parts))
    for part in (memoryview(_SIZE.pack(len(parts)) + sizes), *parts):
        while part.nbytes:
            part = part[stream.write(part) :]


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
    if stream.closed:
        return False
    poll = select.poll()
    poll.register(stream, select.POLLIN | select.POLLHUP)
    return bool(poll.poll(1000 * seconds))
