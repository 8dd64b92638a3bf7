"""Shared by feeds, sitemaps and the spider: fetching a site's files through the guard, and choosing
their addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from configparser import ConfigParser
from dataclasses import dataclass
from time import sleep
from typing import Final
from urllib.parse import urlsplit

from tearsheet.acquire.fetch import decompress, fetch_file
from tearsheet.addresses import address_host, same_owner, web_address, web_origin
from tearsheet.compat.trafilatura.downloads import read_options
from tearsheet.components.text_language import is_same_language
from tearsheet.errors import TearsheetError

_LANGUAGE: Final = re.compile(r"/([a-z]{2})(?:[-_][a-z]{2})?(?:/|$)", re.I)
"""A language as a part of a path."""
_CODES: Final = frozenset(
    "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl no pl pt ro "
    "ru sk sl sr sv th tr uk vi zh".split()
)


@dataclass(slots=True)
class Site:
    """A site whose files are fetched one after the other, with a pause between them."""

    url: str
    config: ConfigParser
    pause: float
    external: bool = False
    """Whether addresses on other sites are wanted, too."""
    language: str | None = None
    prefix: str = ""
    """The beginning of wanted addresses."""
    requests: int = 0

    @property
    def origin(self) -> str:
        return web_origin(self.url)

    def fetch(self, url: str) -> bytes | None:
        """A file, unpacked; None if it cannot be had."""
        if self.requests and self.pause:
            sleep(self.pause)
        self.requests += 1
        options = read_options(self.config, url)
        try:
            body = fetch_file(url, options).body
            return decompress(body, "gzip", options.max_bytes) if body[:2] == b"\x1f\x8b" else body
        except TearsheetError:
            return None

    def choose(self, addresses: Iterable[str], base: str) -> list[str]:
        """The addresses that are wanted, in full, each once and in order."""
        found = (web_address(base, address.strip()) for address in addresses)
        return sorted({url for url in found if url and url != self.url and self.wants(url)})

    def has(self, url: str) -> bool:
        return address_host(self.url) == address_host(url) or same_owner(self.url, url)

    def wants(self, url: str) -> bool:
        if not self.external and not self.has(url):
            return False
        return url.startswith(self.prefix) and is_in_language(url, self.language)


def read_site(
    url: str, config: ConfigParser, pause: float, external: bool, language: str | None
) -> Site | None:
    """The site of an address; None if it is not valid. For a page other than the homepage, only
    addresses below it are wanted."""
    found = web_address(None, url)
    if not found or ("." not in address_host(found) and ":" not in urlsplit(found).netloc):
        return None
    return Site(found, config, pause, external, language)


def is_in_language(url: str, language: str | None) -> bool:
    """Whether an address names no other language than the wanted one.

    >>> is_in_language("https://a.org/fr/b", "de"), is_in_language("https://a.org/b", "de")
    (False, True)
    """
    if not language:
        return True
    parts = urlsplit(url)
    found = [code for code in _LANGUAGE.findall(parts.path + "/") if code.lower() in _CODES]
    first = parts.netloc.partition(".")[0]
    names = [*found, *([first] if first in _CODES else ())]
    return not names or any(is_same_language(name, language) for name in names)


def walk(
    start: Iterable[str], read: Callable[[str], tuple[list[str], list[str]]], most: int
) -> list[str]:
    """The addresses in a chain of files: `read` gives the wanted addresses in one file, and further
    files."""
    waiting, seen, found = list(dict.fromkeys(start)), set[str](), set[str]()
    while waiting and len(seen) < most:
        url = waiting.pop(0)
        if url not in seen:
            seen.add(url)
            pages, further = read(url)
            found.update(pages)
            waiting += further
    return sorted(found)
