"""Sitemaps and feeds → lists of the addresses in them.

Before a run, an input that is an address, and a list that contains addresses of sitemaps or feeds,
is replaced by a list of pages. That list is stored beside the output, so that a second run has the
same pages even if the site has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from xml.etree import ElementTree

from tearsheet.acquire.fetch import decompress
from tearsheet.acquire.sources import is_address
from tearsheet.addresses import web_address
from tearsheet.bulk.addresses import addresses
from tearsheet.bulk.hosts import Hosts
from tearsheet.bulk.sources import LISTS, Reading
from tearsheet.bulk.writers import OtherRun, beside
from tearsheet.errors import TearsheetError

MOST: Final = 1_000_000
"""Most addresses of one input."""
_DEEPEST: Final = 3
"""Levels of sitemaps that list sitemaps."""
_LISTS_PAGES: Final = re.compile(
    r"sitemap[^/]*$|\.(?:xml|rss|atom)(?:\.gz)?$|/(?:feed|rss|atom)/?$|/robots\.txt$", re.IGNORECASE
)


def expand_inputs(inputs: Sequence[str], out: str, reading: Reading) -> list[str]:
    """The inputs, each sitemap or feed replaced by a list of the addresses in it."""
    found = []
    for number, name in enumerate(inputs):
        if is_address(name):
            given = [name]
        elif name.endswith(LISTS) and Path(name).is_file():
            given = [url for _, url in addresses(name)]
        else:
            given = []
        if is_address(name) or any(map(_may_list_pages, given)):
            path = beside(out, f"addresses-{number}.txt")
            _write(path, name, given, reading)
            name = str(path)
        found.append(name)
    return found


def _may_list_pages(url: str) -> bool:
    try:
        return _LISTS_PAGES.search(urlsplit(url).path) is not None
    except ValueError:
        return False


def _write(path: Path, name: str, given: Sequence[str], reading: Reading) -> None:
    """Writes the list of pages, completely or not at all, unless an earlier run did."""
    head = f"# the pages of {name}"
    if path.exists():
        with path.open(encoding="utf-8") as file:
            if file.readline().rstrip("\n") != head:
                raise OtherRun(f"{path} was made from other inputs: choose another output")
        return
    hosts, seen = Hosts(reading.options, reading.pause), set[str]()
    pages = (page for url in given for page in find_pages(url, hosts, seen, _DEEPEST))
    half = path.with_suffix(".unfinished")
    with half.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in (head, *islice(pages, MOST)))
    half.rename(path)


def find_pages(url: str, hosts: Hosts, seen: set[str], depth: int) -> Iterator[str]:
    """The pages that a sitemap or a feed lists; any other address is a page itself."""
    if url in seen:
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
    """The addresses that a sitemap, feed or robots.txt lists; None if it is none of these.

    >>> list_addresses(b"<urlset><url><loc>https://a.invalid/1</loc></url></urlset>")
    ['https://a.invalid/1']
    >>> list_addresses(b"<feed><entry><link href='https://a.invalid/2'/></entry></feed>")
    ['https://a.invalid/2']
    >>> list_addresses(b"User-agent: *\\nSitemap: https://a.invalid/sitemap.xml")
    ['https://a.invalid/sitemap.xml']
    >>> list_addresses(b"<p>A page")
    """
    try:
        root = ElementTree.fromstring(body)  # noqa: S314  # expat limits what entities expand to
    except (ElementTree.ParseError, ValueError, LookupError):
        found = re.findall(rb"^sitemap:[ \t]*(\S+)", body, re.IGNORECASE | re.MULTILINE)
        return [address.decode("utf-8", "replace") for address in found] or None
    kind = _name(root)
    if kind in ("urlset", "sitemapindex"):
        return [part.text or "" for entry in root for part in entry if _name(part) == "loc"]
    if kind in ("rss", "RDF", "feed"):
        entries = (entry for entry in root.iter() if _name(entry) in ("item", "entry"))
        return [address for entry in entries if (address := _link(entry))]
    return None


def _link(entry: ElementTree.Element) -> str | None:
    """The address of a feed entry: RSS has it as text, Atom as an attribute."""
    for part in entry:
        if _name(part) == "link" and part.get("rel", "alternate") == "alternate":
            return part.get("href") or part.text
    return None


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
