"""Connecting to the first address of a host that answers (RFC 8305, "Happy Eyeballs").

A name often has several addresses, and the first may lead nowhere. The next one is tried as soon as
one fails, or after a short delay, while the earlier attempts go on; the first connection wins and
the others are closed. The addresses come from the guard and are not resolved again.
"""

from __future__ import annotations

import asyncio
import errno
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, Self, TypeAlias

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]

ATTEMPT_DELAY: Final = 0.25
"""Seconds before the next address is tried as well (RFC 8305, section 5)."""
MOST_ADDRESSES: Final = 8
"""Most addresses of a name that are tried, so that a page cannot make us probe very many."""


def order_addresses(addresses: Iterable[str]) -> list[str]:
    """The addresses to try, in the resolver's order, with the two families taking turns.

    >>> order_addresses(["2606:4700::1", "2606:4700::2", "1.1.1.1"])
    ['2606:4700::1', '1.1.1.1', '2606:4700::2']
    """
    waiting = deque(addresses)
    ordered: list[str] = []
    while waiting and len(ordered) < MOST_ADDRESSES:
        last = ":" in ordered[-1] if ordered else None
        other = next((found for found in waiting if (":" in found) != last), waiting[0])
        waiting.remove(other)
        ordered.append(other)
    return ordered


def connect_first(addresses: Sequence[str], port: int, deadline: float) -> socket.socket:
    """A connection to the first address that answers before the deadline (`time.monotonic`)."""
    if len(addresses) == 1:
        return socket.create_connection((addresses[0], port), seconds_left(deadline))
    waiting = deque(order_addresses(addresses))
    delay = _attempt_delay(len(waiting), seconds_left(deadline))
    failure = OSError("no address")
    with _Attempts() as attempts:
        while waiting or attempts.pending:
            try:
                if waiting:
                    attempts.begin(waiting.popleft(), port)
                seconds = seconds_left(deadline)
                if (line := attempts.wait(min(delay, seconds) if waiting else seconds)) is not None:
                    line.settimeout(seconds_left(deadline))
                    return line
            except OSError as error:
                seconds_left(deadline)
                failure = error
    raise failure


class _Attempts:
    """Connections in progress; those that are not used are closed in the end."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self.pending: set[socket.socket] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for line in self.pending:
            line.close()

    def begin(self, address: str, port: int) -> None:
        """Begins to connect; raises if that fails at once."""
        family, kind, protocol, _, target = socket.getaddrinfo(
            address, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST
        )[0]
        line = socket.socket(family, kind, protocol)
        line.setblocking(False)
        problem = line.connect_ex(target)
        if problem not in (0, errno.EINPROGRESS):
            line.close()
            raise OSError(problem, os.strerror(problem))
        self.pending.add(line)
        self._selector.register(line, selectors.EVENT_WRITE)

    def wait(self, seconds: float) -> socket.socket | None:
        """The next finished connection, if one finishes within so many seconds; raises if it
        failed."""
        for key, _ in self._selector.select(seconds):
            line = key.fileobj
            assert isinstance(line, socket.socket)
            self._selector.unregister(line)
            self.pending.discard(line)
            problem = line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if not problem:
                return line
            line.close()
            raise OSError(problem, os.strerror(problem))
        return None


async def open_first(
    addresses: Sequence[str], dial: Callable[[str], Coroutine[Any, Any, Streams]], seconds: float
) -> Streams:
    """Streams to the first address that can be dialled within so many seconds."""
    waiting = deque(order_addresses(addresses))
    delay = _attempt_delay(len(waiting), seconds)
    failure: BaseException = OSError("no address")
    attempts: set[asyncio.Task[Streams]] = set()
    try:
        async with asyncio.timeout(seconds):
            while waiting or attempts:
                if waiting:
                    attempts.add(asyncio.ensure_future(dial(waiting.popleft())))
                done, _ = await asyncio.wait(
                    attempts,
                    timeout=delay if waiting else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                for attempt in done:
                    attempts.discard(attempt)
                    problem = attempt.exception()
                    if problem is None:
                        return attempt.result()
                    failure = problem
    finally:
        await _give_up(attempts)
    raise failure


async def _give_up(attempts: set[asyncio.Task[Streams]]) -> None:
    """Ends the attempts that lost, and closes what one of them may have opened at the same time."""
    for attempt in attempts:
        attempt.cancel()
    for ended in await asyncio.gather(*attempts, return_exceptions=True):
        if not isinstance(ended, BaseException):
            ended[1].close()


def _attempt_delay(count: int, seconds: float) -> float:
    """A delay at which every address gets its turn in the first half of the time."""
    return min(ATTEMPT_DELAY, seconds / 2 / max(count, 1))


def seconds_left(deadline: float) -> float:
    """Seconds until a deadline (`time.monotonic`); raises TimeoutError if there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("deadline")
    return seconds
