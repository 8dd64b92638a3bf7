"""Pages of a list of addresses, fetched politely: robots.txt is asked, one request at a time goes
to a host, with a pause after it, and a busy server is waited for."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from tearsheet.acquire.fetch import fetch, product, robots_of
from tearsheet.acquire.guard import Guard
from tearsheet.bulk.extract import said
from tearsheet.bulk.schema import RawPage
from tearsheet.errors import FetchFailed
from tearsheet.types import Options

PAUSE: Final = 1.0
"""Seconds between two requests to a host, unless its robots.txt asks for more."""
_LONGEST: Final = 60.0
_AT_ONCE: Final = 16
_AHEAD: Final = 64


def read_addresses(path: str, after: int, options: Options, pause: float) -> Iterator[RawPage]:
    """The pages of the addresses in a file, one per line, in their order."""
    hosts = _Hosts(options, pause)
    pool = ThreadPoolExecutor(_AT_ONCE, "tearsheet-fetch")
    waiting: deque[Future[RawPage]] = deque()
    try:
        for offset, url in _lines(path, after):
            waiting.append(pool.submit(_fetched, hosts, path, offset, url))
            while len(waiting) > _AHEAD or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        hosts.closed.set()
        pool.shutdown(cancel_futures=True)


def _lines(path: str, after: int) -> Iterator[tuple[int, str]]:
    with Path(path).open("rb") as file:
        file.seek(max(after, 0))
        if after >= 0:
            file.readline()
        offset = file.tell()
        while line := file.readline():
            url = line.decode("utf-8", "replace").strip()
            if url and not url.startswith("#"):
                yield offset, url
            offset = file.tell()


def _fetched(hosts: _Hosts, path: str, offset: int, url: str) -> RawPage:
    try:
        return hosts.get(url)._replace(source=path, offset=offset)
    except Exception as error:
        return RawPage(path, offset, url, error=said(error))


class _Hosts:
    """The hosts of a run, each asked by one thread at a time."""

    def __init__(self, options: Options, pause: float) -> None:
        self._options = replace(options, robots=False)  # asked here, once for each host
        self._guard = Guard(allow_private=options.allow_private)
        self._pause = pause
        self._lock = threading.Lock()
        self._known: dict[str, _Host] = {}
        self.closed = threading.Event()

    def get(self, url: str) -> RawPage:
        """The page at an address, when it is its host's turn."""
        self._guard.check_url(url)
        with self._lock:
            host = self._known.setdefault(urlsplit(url).netloc.lower(), _Host())
        with host.lock:
            if host.rules is None:
                host.rules = robots_of(url, self._options, self._guard)
            if not host.rules.can_fetch(product(), url):
                raise FetchFailed(f"robots.txt of its site forbids {url}", code="robots")
            self.closed.wait(max(0.0, host.free - time.monotonic()))
            if self.closed.is_set():
                raise FetchFailed("the run was stopped", code="stopped")
            try:
                found = fetch(url, self._options, guard=self._guard)
            finally:
                asked = float(host.rules.crawl_delay(product()) or 0)
                host.free = time.monotonic() + min(max(self._pause, asked), _LONGEST)
        return RawPage("", 0, found.final_url or url, found.body, found.encoding)


class _Host:
    """When a host may be asked again, and what it allows."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rules: RobotFileParser | None = None
        self.free = 0.0
