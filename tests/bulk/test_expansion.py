"""Sitemaps and feeds become lists of pages, politely, and the same list on every start."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.acquire.site import answer, serving

from tearsheet.bulk import Settings
from tearsheet.bulk.expansion import expand_inputs, find_pages, list_addresses
from tearsheet.bulk.hosts import Hosts
from tearsheet.bulk.runs import BulkRun, OtherRun
from tearsheet.bulk.shards import plan
from tearsheet.bulk.sources import Reading, Span, read_pages
from tearsheet.errors import FetchFailed
from tearsheet.types import Options

READING = Reading(options=Options(allow_private=True), pause=0)


def sitemap(*addresses: str, kind: str = "urlset") -> str:
    entry = "url" if kind == "urlset" else "sitemap"
    inside = "".join(f"<{entry}><loc>{a}</loc></{entry}>" for a in addresses)
    name = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?><{kind} xmlns="{name}">{inside}</{kind}>'


def test_a_sitemap_of_sitemaps_and_a_feed_are_expanded_once(tmp_path: Path) -> None:
    with serving() as site:
        url = site.url
        inner = gzip.compress(sitemap(f"{url}/a", f"{url}/b?x=1&amp;y=2").encode())
        site.page("/inner.xml.gz", inner, "application/gzip")
        outer = sitemap(f"{url}/inner.xml.gz", f"{url}/lost.xml", kind="sitemapindex")
        site.page("/sitemap.xml", outer, "text/xml")
        feed = f"<rss><channel><link>{url}/</link><item><link>{url}/c</link></item></channel></rss>"
        site.page("/feed", feed, "application/rss+xml")
        given = tmp_path / "list.txt"
        given.write_text(f"{url}/sitemap.xml\n{url}/feed\n{url}/a\n{url}/plain\n")
        out = str(tmp_path / "out.jsonl")
        run = BulkRun(out, "jsonl", Settings(), READING)
        (path,) = expand_inputs([str(given)], run)
        found = [line.removeprefix(url) for line in Path(path).read_text().splitlines()[1:]]
        assert found == ["/a", "/b?x=1&y=2", "/lost.xml", "/c", "/plain"]
        assert site.hits["/sitemap.xml"] == 1
        assert expand_inputs([str(given)], run) == [path]
        assert site.hits["/sitemap.xml"] == 1, "the list that was made is used again"
    with pytest.raises(OtherRun, match="other inputs"):
        expand_inputs([f"{url}/sitemap.xml"], run)


def test_inputs_that_name_no_sitemap_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://sample.invalid/one\n")
    inputs = [str(tmp_path / "list.txt"), "pages.warc.gz", "https://sample.invalid/a.warc.gz"]
    run = BulkRun(str(tmp_path / "out"), "parquet", Settings(), READING)
    assert expand_inputs(inputs, run) == inputs


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>A page</body></html>",
        b"\x00\xff",
        b"",
        b'<!DOCTYPE a [<!ENTITY b "'
        + b"c" * 9
        + b'">'
        + b"".join(f'<!ENTITY b{i} "{f"&b{i - 1 or str()};" * 20}">'.encode() for i in range(1, 12))
        + b"]><urlset><url><loc>&b11;</loc></url></urlset>",
        b'<!DOCTYPE a [<!ENTITY b "https://a.invalid/">]><urlset><url><loc>&b;</loc></url></urlset>',
    ],
    ids=["page", "binary", "empty", "entity bomb", "entity"],
)
def test_what_is_no_list_of_pages_names_none(body: bytes) -> None:
    assert list_addresses(body) is None


def test_a_feed_may_name_its_dtd() -> None:
    head = b'<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://a.invalid/rss-0.91.dtd">'
    feed = b"<rss><channel><item><link>https://a.invalid/1</link></item></channel></rss>"
    assert list_addresses(head + feed) == ["https://a.invalid/1"]


def test_lists_of_lists_count_as_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a request to somebody: without a limit, one file could have us send very many."""
    monkeypatch.setattr("tearsheet.bulk.expansion.MOST", 5)
    with serving() as site:
        names = [f"{site.url}/sitemap{n}.xml" for n in range(20)]
        entries = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
        index = site.page("/sitemap.xml", f"<sitemapindex>{entries}</sitemapindex>", "text/xml")
        for name in names:
            site.page(name.removeprefix(site.url), "<urlset></urlset>", "text/xml")
        hosts = Hosts(READING.options, 0.0)
        assert list(find_pages(index, hosts, set(), 3)) == []
    asked = [path for path in site.hits if path != "/robots.txt"]
    assert len(asked) == 5


def test_a_busy_host_is_left_alone_for_longer_and_robots_are_asked_once() -> None:
    with serving() as site:
        site.page("/robots.txt", "User-agent: *\nDisallow: /private", "text/plain")
        site.page("/fine", "<p>Fine")
        site.routes["/busy"] = answer("", status=503, retry_after="9999")
        hosts = Hosts(Options(allow_private=True), pause=0.01)
        assert b"Fine" in hosts.page(f"{site.url}/fine").body
        with pytest.raises(FetchFailed) as refused:
            hosts.page(f"{site.url}/private/1")
        assert refused.value.code == "robots"
        rests = []
        for _ in range(3):
            with pytest.raises(FetchFailed):
                hosts.page(f"{site.url}/busy")
            rests.append(hosts._pause_after(hosts._known[site.url.removeprefix("http://")]))
        assert rests == [0.02, 0.04, 0.08]
        assert site.hits["/robots.txt"] == 1


def test_addresses_for_a_browser_are_not_fetched(tmp_path: Path) -> None:
    with serving() as site:
        site.page("/a", "<p>A")
        (tmp_path / "list.txt").write_text(f"{site.url}/a\n")
        reading = Reading(options=Options(allow_private=True), pause=0, render=True)
        (shard,) = plan([str(tmp_path / "list.txt")], reading)
        (page,) = read_pages(shard, reading, Span())
        assert page.body is None
        assert page.error is None
        assert site.hits["/a"] == 0
