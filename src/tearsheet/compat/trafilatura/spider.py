"""trafilatura's `spider`: a crawl of one site that looks for its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from configparser import ConfigParser
from typing import Final, Protocol

from lxml import html

from tearsheet.addresses import address_path, web_address
from tearsheet.compat.trafilatura.baseline import load_html
from tearsheet.compat.trafilatura.settings import DEFAULT_CONFIG
from tearsheet.compat.trafilatura.site_links import Site, is_in_language, read_site

MAX_SEEN_URLS: Final = 10
MAX_KNOWN_URLS: Final = 100_000
_NAVIGATION: Final = re.compile(
    r"/(?:archives?|author|blog|categor(?:y|ies)|kategorie|news|page|section|tags?|topics?)(?:/|$)"
    r"|/page[-_]?\d+|[?&](?:page|p|paged|offset)=\d+",
    re.I,
)
_NO_PAGE: Final = re.compile(
    r"\.(?:atom|avi|bmp|css|csv|docx?|epub|exe|gif|gz|ico|jpe?g|js|json|mp[34]|ogg|pdf|png|pptx?|"
    r"rss|svg|tar|wav|web[mp]|xlsx?|xml|zip)$|/(?:feed|wp-json|wp-admin|xmlrpc)(?:/|$)",
    re.I,
)


class Rules(Protocol):
    """The rules of a site's robots.txt: a `urllib.robotparser.RobotFileParser`."""

    def can_fetch(self, useragent: str, url: str) -> bool: ...

    def crawl_delay(self, useragent: str) -> int | str | float | None: ...


def focused_crawler(
    homepage: str,
    max_seen_urls: int = MAX_SEEN_URLS,
    max_known_urls: int = MAX_KNOWN_URLS,
    todo: list[str] | None = None,
    known_links: list[str] | None = None,
    lang: str | None = None,
    config: ConfigParser = DEFAULT_CONFIG,
    rules: Rules | None = None,
    prune_xpath: str | list[str] | None = None,
) -> tuple[list[str], list[str]]:
    """The pages still to be visited and all that are known, after so many visits.

    Pages that lead to others are visited first. Without `rules`, the site's robots.txt holds.
    """
    pause = config["DEFAULT"].getfloat("SLEEP_TIME", 5.0)
    site = read_site(homepage, config, pause, external=False, language=lang)
    if site is None:
        return [], []
    rules = rules or _read_rules(site)
    site.pause = max(site.pause, float(rules.crawl_delay("*") or 0))
    waiting = list(dict.fromkeys(todo or [site.url]))
    known = dict.fromkeys([*(known_links or ()), *waiting])
    visits = 0
    while waiting and visits < max_seen_urls and len(known) < max_known_urls:
        url = _take_next(waiting)
        if not rules.can_fetch("*", url):
            continue
        visits += 1
        for link in _find_links(site, url, prune_xpath):
            if link not in known and rules.can_fetch("*", link):
                known[link] = None
                waiting.append(link)
    return waiting, list(known)


def is_still_navigation(todo: list[str]) -> bool:
    """Whether a page that leads to others is still to be visited.

    >>> is_still_navigation(["https://a.invalid/tag/sea"]), is_still_navigation([])
    (True, False)
    """
    return any(map(_is_navigation, todo))


def _is_navigation(url: str) -> bool:
    return _NAVIGATION.search(url) is not None


def _take_next(waiting: list[str]) -> str:
    """Takes the first page that leads to others; else the first of all."""
    at = next((i for i, url in enumerate(waiting) if _is_navigation(url)), 0)
    return waiting.pop(at)


def _read_rules(site: Site) -> Rules:
    from protego import Protego

    body = site.fetch(f"{site.origin}/robots.txt") or b""
    return _SiteRules(Protego.parse(body.decode("utf-8", "replace")))


class _SiteRules:
    """Protego, whose arguments are the other way round."""

    def __init__(self, rules: object) -> None:
        self._rules = rules

    def can_fetch(self, useragent: str, url: str) -> bool:
        allowed: bool = self._rules.can_fetch(url, useragent)  # type: ignore[attr-defined]
        return allowed

    def crawl_delay(self, useragent: str) -> float | None:
        delay: float | None = self._rules.crawl_delay(useragent)  # type: ignore[attr-defined]
        return delay


def _find_links(site: Site, url: str, prune_xpath: str | list[str] | None) -> Iterator[str]:
    """The pages of the site that a page links to."""
    body = site.fetch(url)
    page = load_html(body) if body else None
    if page is None or not _is_wanted_page(page, site.language):
        return
    for path in [prune_xpath] if isinstance(prune_xpath, str) else prune_xpath or ():
        for node in page.xpath(path):
            node.drop_tree()
    for element in page.iter("a"):
        address = web_address(url, element.get("href") or "")
        if address and "nofollow" not in (element.get("rel") or "").split():
            link = address.partition("#")[0]
            if _is_page(site, link):
                yield link


def _is_page(site: Site, url: str) -> bool:
    is_file = _NO_PAGE.search(address_path(url)) is not None
    return not is_file and site.has(url) and is_in_language(url, site.language)


def _is_wanted_page(page: html.HtmlElement, language: str | None) -> bool:
    declared = page.get("lang") or ""
    return not language or not declared or declared.lower().startswith(language.lower())
