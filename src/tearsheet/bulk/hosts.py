"""Polite fetching: robots.txt is obeyed, a host gets one request at a time with a pause after it,
and a host that says it is busy gets longer and longer pauses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from tearsheet.acquire.fetch import BUSY_STATUSES, fetch, fetch_file
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.robots import RobotRules, read_robots
from tearsheet.errors import FetchFailed
from tearsheet.types import Options, Resource, Snapshot

_LONGEST: Final = 60.0
"""Longest pause between two requests to a host, in seconds."""


class Hosts:
    """The hosts of a run, each used by one thread at a time."""

    def __init__(self, options: Options, pause: float) -> None:
        self.options = replace(options, robots=False)  # checked here, once for each host
        self._guard = Guard.from_options(options)
        self._pause = pause
        self._lock = threading.Lock()
        self._known: dict[str, _Host] = {}
        self.closed = threading.Event()

    def page(self, url: str) -> Snapshot:
        """The page at an address, fetched when its host is free."""
        with self.turn(url):
            return fetch(url, self.options, guard=self._guard)

    def file(self, url: str) -> Resource:
        """The file at an address, fetched when its host is free."""
        with self.turn(url):
            return fetch_file(url, self.options, guard=self._guard)

    @contextmanager
    def turn(self, url: str) -> Iterator[None]:
        """Waits until the host of an address is free, and reserves it."""
        self._guard.check_url(url)
        with self._lock:
            host = self._known.setdefault(urlsplit(url).netloc.lower(), _Host())
        with host.lock:
            if host.rules is None:
                host.rules = read_robots(url, self.options, self._guard)
            host.rules.check(url)
            self.closed.wait(max(0.0, host.free - time.monotonic()))
            if self.closed.is_set():
                raise FetchFailed("the run was stopped", code="stopped")
            try:
                yield
                host.refusals = 0
            except FetchFailed as error:
                host.refusals = host.refusals + 1 if error.status in BUSY_STATUSES else 0
                raise
            finally:
                host.free = time.monotonic() + self._pause_after(host)

    def _pause_after(self, host: _Host) -> float:
        asked = host.rules.pause if host.rules else 0.0
        return min(max(self._pause, asked) * 2.0**host.refusals, _LONGEST)


class _Host:
    """When a host may get the next request, and what its robots.txt allows."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rules: RobotRules | None = None
        self.free = 0.0
        self.refusals = 0
        """How many times in a row it was busy."""
