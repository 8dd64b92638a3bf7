"""Politeness: robots.txt is asked, one request at a time goes to a host, with a pause after it, and
a host that says it is busy is left alone for longer and longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from tearsheet.acquire.fetch import fetch, fetch_file, product, read_robots
from tearsheet.acquire.guard import Guard
from tearsheet.errors import FetchFailed
from tearsheet.types import Options, Resource, Snapshot

_LONGEST: Final = 60.0
"""Seconds that any host is waited for between two requests."""
_BUSY: Final = (429, 503)


class Hosts:
    """The hosts of a run, each asked by one thread at a time."""

    def __init__(self, options: Options, pause: float) -> None:
        self.options = replace(options, robots=False)  # asked here, once for each host
        self._guard = Guard(allow_private=options.allow_private)
        self._pause = pause
        self._lock = threading.Lock()
        self._known: dict[str, _Host] = {}
        self.closed = threading.Event()

    def page(self, url: str) -> Snapshot:
        """The page at an address, when it is its host's turn."""
        with self.turn(url):
            return fetch(url, self.options, guard=self._guard)

    def file(self, url: str) -> Resource:
        """Whatever is at an address, when it is its host's turn."""
        with self.turn(url):
            return fetch_file(url, self.options, guard=self._guard)

    @contextmanager
    def turn(self, url: str) -> Iterator[None]:
        """The time in which the host of an address may be asked for it, by nobody else."""
        self._guard.check_url(url)
        with self._lock:
            host = self._known.setdefault(urlsplit(url).netloc.lower(), _Host())
        with host.lock:
            if host.rules is None:
                host.rules = read_robots(url, self.options, self._guard)
            if not host.rules.can_fetch(product(), url):
                raise FetchFailed(f"robots.txt of its site forbids {url}", code="robots")
            self.closed.wait(max(0.0, host.free - time.monotonic()))
            if self.closed.is_set():
                raise FetchFailed("the run was stopped", code="stopped")
            try:
                yield
                host.refusals = 0
            except FetchFailed as error:
                host.refusals = host.refusals + 1 if error.status in _BUSY else 0
                raise
            finally:
                host.free = time.monotonic() + self._rest(host)

    def _rest(self, host: _Host) -> float:
        asked = float(host.rules.crawl_delay(product()) or 0) if host.rules else 0.0
        return min(max(self._pause, asked) * 2.0**host.refusals, _LONGEST)


class _Host:
    """When a host may be asked again, and what it allows."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rules: RobotFileParser | None = None
        self.free = 0.0
        self.refusals = 0
        """How often it said that it is busy, since it last did not."""
