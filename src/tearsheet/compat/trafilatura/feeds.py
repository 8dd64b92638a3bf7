"""trafilatura's `feeds`: the addresses that the feeds of a site list."""

from __future__ import annotations

import json
import re
from configparser import ConfigParser
from typing import Final

from tearsheet.addresses import address_path, web_address
from tearsheet.bulk.expansion import list_addresses
from tearsheet.compat.page_text import page_text
from tearsheet.compat.trafilatura.settings import DEFAULT_CONFIG
from tearsheet.compat.trafilatura.site_links import Site, read_site, walk
from tearsheet.components._head import read_head
from tearsheet.errors import TearsheetError
from tearsheet.page.parsed import parse
from tearsheet.tags import CODES

_TYPES: Final = re.compile(r"application/(?:atom|rss|rdf)\+xml|application/feed\+json", re.I)
_FEED: Final = re.compile(
    r"/(?:feed|rss|atom)s?/?$|\.(?:rss|atom|rdf)$|feeds?\.(?:xml|json)$", re.I
)
_OTHER: Final = re.compile(r"/comments?/|comments-rss|\?.*comment", re.I)
"""Feeds of comments."""
_MOST: Final = 10
"""Feeds of one page that are read."""


def find_feed_urls(
    url: str,
    target_lang: str | None = None,
    external: bool = False,
    sleep_time: float = 2.0,
    config: ConfigParser = DEFAULT_CONFIG,
) -> list[str]:
    """The addresses in a feed, or in the feeds of a page; if it has none, in those of its homepage,
    as far as they lie below the page.

    Google News is not asked, as trafilatura does for a `target_lang`: it is another company's site.
    """
    site = read_site(url, config, sleep_time, external, target_lang)
    if site is None:
        return []
    found = _search(site, site.url)
    if found or address_path(site.url) in ("", "/"):
        return found
    site.prefix = site.url
    return _search(site, site.origin + "/")


def _search(site: Site, url: str) -> list[str]:
    body = site.fetch(url)
    if body is None:
        return []
    listed = list_links(body)
    if listed is not None:
        return site.choose(listed, url)

    def read(feed: str) -> tuple[list[str], list[str]]:
        links = list_links(site.fetch(feed) or b"")
        return site.choose(links or (), feed), []

    return walk(find_feeds(body, url), read, _MOST)


def list_links(body: bytes) -> list[str] | None:
    """The addresses in a feed of XML or JSON; None for other content.

    >>> list_links(b'{"version": "1.1", "items": [{"url": "https://a.invalid/1"}, {"id": 2}]}')
    ['https://a.invalid/1']
    """
    if not body.lstrip().startswith(b"{"):
        return list_addresses(body)
    try:
        items = json.loads(body).get("items")
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list):
        return []
    found = (item.get("url") or item.get("id") for item in items if isinstance(item, dict))
    return [link for link in found if isinstance(link, str)]


def find_feeds(body: bytes | str, url: str) -> list[str]:
    """The feeds that a page links to, those that it declares first; none of comments.

    >>> find_feeds('<link rel="alternate" type="application/rss+xml" href="/news.xml">',
    ...            "https://a.invalid/")
    ['https://a.invalid/news.xml']
    """
    try:
        page = parse(page_text(body), url)
    except TearsheetError:
        return []
    declared = [
        link.href
        for link in read_head(page).links
        if "alternate" in link.rel.split()
        and _TYPES.match((page.attribute(link.row, "type") or "").strip())
    ]
    links = (page.attribute(row, "href") or "" for row in page.rows(CODES["a"]))
    named = declared or [href for href in links if _FEED.search(href)]
    found = (web_address(url, href) for href in named if not _OTHER.search(href))
    return list(dict.fromkeys(feed for feed in found if feed))
