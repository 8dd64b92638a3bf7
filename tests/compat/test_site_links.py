"""trafilatura's feeds, sitemaps and spider, asked of a real server on loopback."""

from __future__ import annotations

import gzip
import inspect
from configparser import ConfigParser
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest
import trafilatura.feeds
import trafilatura.sitemaps
import trafilatura.spider
from tests.acquire.site import Site, answer

from tearsheet.compat import trafilatura as ours
from tearsheet.compat.trafilatura import feeds, sitemaps, spider

XML = "application/xml"


@pytest.fixture
def config() -> ConfigParser:
    found = ours.use_config()
    found["DEFAULT"].update({"SSRF_PROTECTION": "off", "SLEEP_TIME": "0"})
    return found


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        (trafilatura.feeds.find_feed_urls, feeds.find_feed_urls),
        (trafilatura.sitemaps.sitemap_search, sitemaps.sitemap_search),
        (trafilatura.spider.focused_crawler, spider.focused_crawler),
    ],
)
def test_arguments_have_the_names_and_order_of_the_original(theirs: Any, mine: Any) -> None:
    assert list(inspect.signature(mine).parameters) == list(inspect.signature(theirs).parameters)


def test_the_addresses_of_a_feed_and_of_the_feeds_of_a_page(
    site: Site, config: ConfigParser
) -> None:
    items = "".join(f"<item><link>{site.url}/post/{i}</link></item>" for i in (2, 1))
    other = "<item><link>https://elsewhere.example/post</link></item>"
    feed = site.page("/feed.xml", f"<rss><channel>{items}{other}</channel></rss>", XML)
    link = '<link rel="alternate" type="application/rss+xml; charset=UTF-8" href="/feed.xml">'
    site.page("/", f"<html><head>{link}</head><body>Home</body></html>")
    site.page("/post", "<p>A page without a feed</p>")
    found = [f"{site.url}/post/1", f"{site.url}/post/2"]
    for url in (feed, site.url, f"{site.url}/post"):
        assert feeds.find_feed_urls(url, sleep_time=0, config=config) == found
    both = feeds.find_feed_urls(feed, external=True, sleep_time=0, config=config)
    assert both == [*found, "https://elsewhere.example/post"]


def test_what_is_no_site_or_not_public_has_no_addresses(site: Site) -> None:
    site.page("/feed.xml", f"<rss><item><link>{site.url}/a</link></item></rss>", XML)
    for url in ("12345", "mailto:a@b.example", f"{site.url}/feed.xml"):
        assert feeds.find_feed_urls(url, sleep_time=0) == []
        assert sitemaps.sitemap_search(url, sleep_time=0) == []
        assert not site.hits


def test_sitemaps_are_found_by_robots_and_read_with_those_they_list(
    site: Site, config: ConfigParser
) -> None:
    site.page("/robots.txt", f"Sitemap: {site.url}/all.xml", "text/plain")
    parts = "".join(f"<sitemap><loc>/part{i}.xml.gz</loc></sitemap>" for i in (1, 2))
    site.page("/all.xml", f"<sitemapindex>{parts}</sitemapindex>", XML)
    for i in (1, 2):
        part = (
            f"<urlset><url><loc>{site.url}/a/{i}</loc></url><url><loc>/b/{i}</loc></url></urlset>"
        )
        site.page(f"/part{i}.xml.gz", gzip.compress(part.encode()), "application/gzip")

    def search(path: str = "", **chosen: Any) -> list[str]:
        found = sitemaps.sitemap_search(site.url + path, sleep_time=0, config=config, **chosen)
        return [url.removeprefix(site.url) for url in found]

    assert search() == ["/a/1", "/a/2", "/b/1", "/b/2"]
    assert search("/a/") == ["/a/1", "/a/2"]
    assert search(max_sitemaps=2) == ["/a/1", "/b/1"]
    assert search("/part2.xml.gz") == ["/a/2", "/b/2"]


def test_a_sitemap_gives_the_pages_of_a_language(site: Site, config: ConfigParser) -> None:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{code}" href="{site.url}/{code}/a"/>'
        for code in ("de", "fr")
    )
    name = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    body = f"<urlset {name}><url><loc>{site.url}/en/a</loc>{links}</url></urlset>"
    url = site.page("/sitemap.xml", body, XML)
    found = sitemaps.sitemap_search(url, target_lang="de", sleep_time=0, config=config)
    assert found == [f"{site.url}/de/a"]


def test_the_spider_visits_lists_first_and_obeys_the_rules(
    site: Site, config: ConfigParser
) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private", "text/plain")
    hrefs = ("/story", "/tag/sea", "/private", "/picture.jpg", "https://other.example/", "#top")
    site.page("/", "".join(f"<a href='{href}'>x</a>" for href in hrefs))
    site.page("/tag/sea", "<a href='/whale'>w</a><div><a href='/advert'>a</a></div>")
    todo, known = spider.focused_crawler(
        site.url + "/", max_seen_urls=2, config=config, prune_xpath="//div"
    )
    assert [url.removeprefix(site.url) for url in known] == ["/", "/story", "/tag/sea", "/whale"]
    assert [url.removeprefix(site.url) for url in todo] == ["/story", "/whale"]
    assert site.hits["/tag/sea"] == 1
    assert not site.hits["/story"]
    rules = RobotFileParser()
    rules.parse(["User-agent: *", "Disallow: /"])
    spider.focused_crawler(site.url + "/tag/sea", config=config, rules=rules)
    assert site.hits["/tag/sea"] == 1


def test_a_cookie_of_the_settings_goes_to_the_host_that_is_asked(
    site: Site, config: ConfigParser
) -> None:
    seen: list[str] = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        seen.append(handler.headers.get("Cookie", ""))
        answer("<p>The ferry leaves at dawn.</p>")(handler)

    site.routes["/"] = reply
    config["DEFAULT"]["COOKIE"] = "crew=ada; berth=7"
    assert ours.fetch_url(site.url + "/", config=config)
    assert seen == ["crew=ada; berth=7"]
