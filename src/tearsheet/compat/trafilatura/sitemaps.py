"""trafilatura's `sitemaps`: the addresses that the sitemaps of a site list."""

from __future__ import annotations

import re
from configparser import ConfigParser
from typing import Final

from tearsheet.addresses import address_path, web_address
from tearsheet.bulk.expansion import list_addresses
from tearsheet.compat.trafilatura.settings import DEFAULT_CONFIG
from tearsheet.compat.trafilatura.site_links import Site, read_site, walk
from tearsheet.components.text_language import is_same_language

MAX_SITEMAPS_SEEN: Final = 10_000
_SITEMAP: Final = re.compile(r"sitemap[^/]*$|\.xml(?:\.gz)?$", re.I)
_GUESSES: Final = ("sitemap.xml", "sitemap.xml.gz", "sitemap_index.xml", "sitemap_news.xml")
_ALTERNATE: Final = re.compile(rb"<(?:\w+:)?link\b[^>]*\bhreflang=[^>]*>", re.I)
_LANGUAGE: Final = re.compile(rb"""\bhreflang=["']([a-z-]+)["']""", re.I)
_HREF: Final = re.compile(rb"""\bhref=["']([^"']+)["']""", re.I)


def sitemap_search(
    url: str,
    target_lang: str | None = None,
    external: bool = False,
    sleep_time: float = 2.0,
    max_sitemaps: int = MAX_SITEMAPS_SEEN,
    config: ConfigParser = DEFAULT_CONFIG,
) -> list[str]:
    """The addresses in a sitemap and those that it lists, or in the sitemaps of the site of a page,
    as far as they lie below the page."""
    site = read_site(url, config, sleep_time, external, target_lang)
    if site is None:
        return []
    path = address_path(site.url)
    if _SITEMAP.search(path):
        start = [site.url]
    else:
        site.prefix = "" if path in ("", "/") else site.url
        start = _find_sitemaps(site)

    def read(sitemap: str) -> tuple[list[str], list[str]]:
        return _read_sitemap(site, sitemap)

    return walk(start, read, max_sitemaps)


def _find_sitemaps(site: Site) -> list[str]:
    """The sitemaps that robots.txt names; else those at the usual places."""
    robots = site.fetch(f"{site.origin}/robots.txt") or b""
    named = list_addresses(robots) if b"<" not in robots[:1] else None
    found = [web_address(site.origin, address) for address in named or ()]
    return [address for address in found if address] or [f"{site.origin}/{n}" for n in _GUESSES]


def _read_sitemap(site: Site, url: str) -> tuple[list[str], list[str]]:
    """The pages and the sitemaps that a sitemap lists."""
    body = site.fetch(url) or b""
    listed = _list_alternates(body, site.language) or list_addresses(body) or []
    full = [found for address in listed if (found := web_address(url, address.strip()))]
    further = [found for found in full if _SITEMAP.search(address_path(found))]
    return site.choose((found for found in full if found not in further), url), further


def _list_alternates(body: bytes, language: str | None) -> list[str]:
    """The pages that a sitemap gives for a language."""
    found = []
    for element in _ALTERNATE.findall(body) if language else ():
        name, href = _LANGUAGE.search(element), _HREF.search(element)
        if name and href and is_same_language(name[1].decode(), language or ""):
            found.append(href[1].decode("utf-8", "replace").replace("&amp;", "&"))
    return found
