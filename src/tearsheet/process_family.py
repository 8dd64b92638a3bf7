"""A process with all processes below it, and the memory that they hold (on Linux)."""

from __future__ import annotations

import contextlib
import os
from typing import Final

_MEMORY_PAGE: Final = 4096


def family(pid: int) -> list[int]:
    """A process and all below it; only itself where the system does not say."""
    found = [pid]
    for one in found:
        found += _children(one)
    return found


def family_memory(pid: int) -> int:
    """Bytes that a process and all below it hold; 0 where the system does not say."""
    return sum(map(_memory, family(pid)))


def _children(pid: int) -> list[int]:
    """The processes that a process has started. (Searching all of /proc takes 5 ms.)"""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _contents(f"/proc/{pid}/task/{thread}/children").split())
    return found


def _memory(pid: int) -> int:
    """Bytes that a process holds for itself; 0 where the system does not say."""
    try:
        resident, shared = _contents(f"/proc/{pid}/statm").split()[1:3]
        return (int(resident) - int(shared)) * _MEMORY_PAGE
    except (OSError, ValueError):
        return 0


def _contents(path: str) -> bytes:
    """A small file of the system. It is read without `open`, which takes three times as long."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)
