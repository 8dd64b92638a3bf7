"""Sitemaps and feeds → lists of the addresses in them.

An input that is an address, and a list with addresses of sitemaps or feeds in it, becomes a list of
pages before the run; it is kept beside the output, so that a second start has the same pages
whatever the site says by then.
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
"""Addresses of one input."""
_DEEPEST: Final = 3
"""Sitemaps that name sitemaps, one within the other."""
_LISTS_PAGES: Final = re.compile(
    r"sitemap[^/]*$|\.(?:xml|rss|atom)(?:\.gz)?$|/(?:feed|rss|atom)/?$|/robots\.txt$", re.IGNORECASE
)


def expanded(inputs: Sequence[str], out: str, reading: Reading) -> list[str]:
    """The inputs, with a list of addresses for each that must be expanded."""
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
    """Writes the addresses of the pages once, whole or not at all."""
    head = f"# the pages of {name}"
    if path.exists():
        with path.open(encoding="utf-8") as file:
            if file.readline().rstrip("\n") != head:
                raise OtherRun(f"{path} was made of other inputs: choose another output")
        return
    hosts, seen = Hosts(reading.options, reading.pause), set[str]()
    pages = (page for url in given for page in pages_of(url, hosts, seen, _DEEPEST))
    half = path.with_suffix(".unfinished")
    with half.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in (head, *islice(pages, MOST)))
    half.rename(path)


def pages_of(url: str, hosts: Hosts, seen: set[str], depth: int) -> Iterator[str]:
    """The pages that a sitemap or a feed names; an address that is neither is a page itself."""
    if url in seen:
        return
    seen.add(url)
    named = _named(url, hosts) if depth and _may_list_pages(url) else None
    if named is None:
        yield url
        return
    for address in named:
        yield from pages_of(address, hosts, seen, depth - 1)


def _named(url: str, hosts: Hosts) -> list[str] | None:
    """The addresses in a sitemap or a feed; None: it is none, or cannot be had, as its row will
    say."""
    try:
        body = hosts.file(url).body
        if body.startswith(b"\x1f\x8b"):
            body = decompress(body, "gzip", hosts.options.max_bytes, url)
        found = addresses_in(body)
    except TearsheetError:
        return None
    if found is None:
        return None
    addresses = (web_address(url, address) for address in found)
    return [address for address in addresses if address and not re.search(r"\s", address)]


def addresses_in(body: bytes) -> list[str] | None:
    """What a sitemap, a feed or a robots.txt names; None when it is none of them.

    >>> addresses_in(b"<urlset><url><loc>https://a.invalid/1</loc></url></urlset>")
    ['https://a.invalid/1']
    >>> addresses_in(b"<feed><entry><link href='https://a.invalid/2'/></entry></feed>")
    ['https://a.invalid/2']
    >>> addresses_in(b"User-agent: *\\nSitemap: https://a.invalid/sitemap.xml")
    ['https://a.invalid/sitemap.xml']
    >>> addresses_in(b"<p>A page")
    """
    try:
        root = ElementTree.fromstring(body)  # noqa: S314  # expat bounds what entities unfold to
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
    """The address of an entry of a feed: RSS has it as text, Atom as an attribute."""
    for part in entry:
        if _name(part) == "link" and part.get("rel", "alternate") == "alternate":
            return part.get("href") or part.text
    return None


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
