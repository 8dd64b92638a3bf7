"""Pages from a list of addresses, fetched politely (module `hosts`)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from tearsheet.bulk.extract import describe_error
from tearsheet.bulk.hosts import Hosts
from tearsheet.bulk.locations import open_file
from tearsheet.bulk.schema import RawPage
from tearsheet.types import Options

if TYPE_CHECKING:
    from tearsheet.bulk.shards import Shard
    from tearsheet.bulk.sources import Reading

_AT_ONCE: Final = 16
_AHEAD: Final = 64


def read_addresses(shard: Shard, reading: Reading) -> Iterator[RawPage]:
    """The pages of the addresses of a shard, in their order."""
    hosts = Hosts(reading.options, reading.pause)
    pool = ThreadPoolExecutor(_AT_ONCE, "tearsheet-fetch")
    waiting: deque[Future[RawPage]] = deque()
    try:
        for offset, url in listed_addresses(shard.source, reading.options):
            if group_of(url, shard.end) != shard.begin:
                continue
            page = RawPage(shard.source, offset, url)
            waiting.append(pool.submit(_fetch, hosts, page, reading.render))
            while len(waiting) > _AHEAD or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        hosts.closed.set()
        pool.shutdown(cancel_futures=True)


def listed_addresses(location: str, options: Options) -> Iterator[tuple[int, str]]:
    """The addresses in a file, each with the byte at which its line begins."""
    offset = 0
    with open_file(location, options) as file:
        for line in file:
            url = line.decode("utf-8", "replace").strip()
            if url and not url.startswith("#"):
                yield offset, url
            offset += len(line)


def group_of(url: str, count: int) -> int:
    """The group of an address, among `count`, by its host."""
    found = re.match(r"\w+://(?:[^/@]*@)?([^/:?#]*)", url)
    host = (found[1] if found else url).lower()
    digest = blake2b(host.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % count


def _fetch(hosts: Hosts, page: RawPage, render: bool) -> RawPage:
    url = page.url or ""
    try:
        if render:  # the browser will fetch it
            with hosts.turn(url):
                return page
        found = hosts.page(url)
        return page._replace(
            url=found.final_url or url, body=found.body, encoding=found.encoding,
            status=found.status, content_type=found.media_type,
            captured=datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
    except Exception as error:
        return page._replace(error=describe_error(error))
