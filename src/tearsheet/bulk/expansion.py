"""Sitemaps and feeds → lists of the addresses in them.

Before a run, an input that is an address, and a list that contains addresses of sitemaps or feeds,
is replaced by a list of pages, and a pipe by a file. They are stored with the run, so that a second
start has the same pages even if the site has changed.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Final
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from tearsheet.acquire.fetch import decompress
from tearsheet.acquire.sources import is_address
from tearsheet.addresses import address_path, web_address
from tearsheet.bulk.addresses import listed_addresses
from tearsheet.bulk.hosts import Hosts
from tearsheet.bulk.locations import (
    exists,
    local_path,
    publish,
    read_bytes,
    scheme_of,
    write_bytes,
)  # fmt: skip
from tearsheet.bulk.runs import BulkRun, OtherRun
from tearsheet.bulk.shards import is_path_list, kind_of
from tearsheet.errors import TearsheetError

MOST: Final = 1_000_000
"""Most addresses of one input."""
_DEEPEST: Final = 3
"""Levels of sitemaps that list sitemaps."""
_LISTS_PAGES: Final = re.compile(
    r"sitemap[^/]*$|\.(?:xml|rss|atom)(?:\.gz)?$|/(?:feed|rss|atom)/?$|/robots\.txt$", re.IGNORECASE
)


def expand_inputs(inputs: Sequence[str], run: BulkRun) -> list[str]:
    """The inputs, each sitemap or feed replaced by a list of the addresses in it."""
    found = []
    for number, name in enumerate(inputs):
        given = [name] if is_site(name) else _read_addresses(name, run)
        if is_site(name) or any(map(_may_list_pages, given)):
            location = run.side_file(f"addresses-{number}.txt")
            _write(location, name, given, run)
            name = location
        found.append(name)
    return found


def is_list_of_pages(name: str) -> bool:
    """Whether an input sends requests to other people's servers."""
    return is_site(name) or kind_of(name) == "addresses"


def is_site(name: str) -> bool:
    """Whether an input is the address of a page, a sitemap or a feed, not of an archive.

    >>> is_site("https://example.org/feed"), is_site("https://example.org/a.warc.gz")
    (True, False)
    """
    kind = kind_of(name)
    return is_address(name) and kind in (None, "pages") and not is_path_list(name)


def keep_pipe(name: str, run: BulkRun) -> str:
    """The input; a pipe is copied to a file, because workers cannot read from it."""
    is_pipe = name != "-" and scheme_of(name) == "file" and Path(local_path(name)).is_fifo()
    if name != "-" and not is_pipe:
        return name
    location = run.side_file("pipe.warc.gz")
    if not exists(location):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pipe"
            with file.open("wb") as copy, _open_pipe(name) as pipe:
                shutil.copyfileobj(pipe, copy, 1 << 20)
            publish(file, location)
    return location


def _open_pipe(name: str) -> IO[bytes]:
    return os.fdopen(os.dup(0), "rb") if name == "-" else Path(local_path(name)).open("rb")


def _read_addresses(name: str, run: BulkRun) -> list[str]:
    if kind_of(name) != "addresses" or not exists(name):
        return []
    return [url for _, url in listed_addresses(name, run.reading.options)]


def _may_list_pages(url: str) -> bool:
    return _LISTS_PAGES.search(address_path(url)) is not None


def _write(location: str, name: str, given: Sequence[str], run: BulkRun) -> None:
    """Writes the list of pages, completely or not at all, unless an earlier start did."""
    head = f"# the pages of {name}"
    if exists(location):
        if read_bytes(location).decode().partition("\n")[0] != head:
            raise OtherRun(f"{location} was made from other inputs: choose another output")
        return
    hosts, seen = Hosts(run.reading.options, run.reading.pause), set[str]()
    pages = (page for url in given for page in find_pages(url, hosts, seen, _DEEPEST))
    lines = (head, *islice(pages, MOST))
    write_bytes(location, "".join(f"{line}\n" for line in lines).encode())


def find_pages(url: str, hosts: Hosts, seen: set[str], depth: int) -> Iterator[str]:
    """The pages that a sitemap or a feed lists; any other address is a page itself."""
    if url in seen or len(seen) >= MOST:  # lists count, too: each is a request to a server
        return
    seen.add(url)
    listed = _listed_addresses(url, hosts) if depth and _may_list_pages(url) else None
    if listed is None:
        yield url
        return
    for address in listed:
        yield from find_pages(address, hosts, seen, depth - 1)


def _listed_addresses(url: str, hosts: Hosts) -> list[str] | None:
    """The addresses in a sitemap or a feed; None if it is neither or cannot be fetched (its row
    will say so)."""
    try:
        body = hosts.file(url).body
        if body.startswith(b"\x1f\x8b"):
            body = decompress(body, "gzip", hosts.options.max_bytes, url)
        found = list_addresses(body)
    except TearsheetError:
        return None
    if found is None:
        return None
    addresses = (web_address(url, address) for address in found)
    return [address for address in addresses if address and not re.search(r"\s", address)]


def list_addresses(body: bytes) -> list[str] | None:
    """The addresses in a sitemap, feed or robots.txt; None for anything else.

    >>> list_addresses(b"<urlset><url><loc>https://a.invalid/1</loc></url></urlset>")
    ['https://a.invalid/1']
    >>> list_addresses(b"<feed><entry><link href='https://a.invalid/2'/></entry></feed>")
    ['https://a.invalid/2']
    >>> list_addresses(b"User-agent: *\\nSitemap: https://a.invalid/sitemap.xml")
    ['https://a.invalid/sitemap.xml']
    >>> list_addresses(b"<p>A page")
    """
    try:
        root = _parse(body)
    except (expat.ExpatError, ValueError, LookupError):
        found = re.findall(rb"^sitemap:[ \t]*(\S+)", body, re.IGNORECASE | re.MULTILINE)
        return [address.decode("utf-8", "replace") for address in found] or None
    kind = _name(root)
    if kind in ("urlset", "sitemapindex"):
        return [part.text or "" for entry in root for part in entry if _name(part) == "loc"]
    if kind in ("rss", "RDF", "feed"):
        entries = (entry for entry in root.iter() if _name(entry) in ("item", "entry"))
        return [address for entry in entries if (address := _link(entry))]
    return None


def _parse(body: bytes) -> Element:
    """The root of XML that declares no entities."""
    builder, parser = TreeBuilder(), expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def refuse(*given: object) -> None:
        raise ValueError("it declares entities")

    parser.EntityDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    parser.Parse(body, True)
    return builder.close()


def _link(entry: Element) -> str | None:
    """The address of a feed entry: RSS has it as text, Atom as an attribute."""
    for part in entry:
        if _name(part) == "link" and part.get("rel", "alternate") == "alternate":
            return part.get("href") or part.text
    return None


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
