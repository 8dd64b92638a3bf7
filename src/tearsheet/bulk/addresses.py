"""Pages from a list of addresses, fetched politely (module `hosts`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from tearsheet.bulk.extract import describe_error
from tearsheet.bulk.hosts import Hosts
from tearsheet.bulk.schema import RawPage
from tearsheet.bulk.tables import lines

if TYPE_CHECKING:
    from tearsheet.bulk.sources import Reading

_AT_ONCE: Final = 16
_AHEAD: Final = 64


def read_addresses(path: str, after: int, reading: Reading) -> Iterator[RawPage]:
    """The pages of the addresses in a file, in the order of its lines."""
    hosts = Hosts(reading.options, reading.pause)
    pool = ThreadPoolExecutor(_AT_ONCE, "tearsheet-fetch")
    waiting: deque[Future[RawPage]] = deque()
    try:
        for offset, url in addresses(path, after):
            page = RawPage(path, offset, url)
            waiting.append(pool.submit(_fetch, hosts, page, reading.render))
            while len(waiting) > _AHEAD or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        hosts.closed.set()
        pool.shutdown(cancel_futures=True)


def addresses(path: str, after: int = -1) -> Iterator[tuple[int, str]]:
    """The addresses in a file, each with the byte at which its line begins."""
    for offset, line in lines(path, after):
        url = line.decode("utf-8", "replace").strip()
        if url and not url.startswith("#"):
            yield offset, url


def _fetch(hosts: Hosts, page: RawPage, render: bool) -> RawPage:
    url = page.url or ""
    try:
        if render:  # the browser will fetch it
            with hosts.turn(url):
                return page
        found = hosts.page(url)
        return page._replace(url=found.final_url or url, body=found.body, encoding=found.encoding)
    except Exception as error:
        return page._replace(error=describe_error(error))
