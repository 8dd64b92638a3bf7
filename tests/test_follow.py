"""The two loops at their limits, against a real server on loopback."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest
from tests.acquire.site import Site, answer, redirect

import tearsheet
from tearsheet.article import Article
from tearsheet.follow import MISSING_PAGES, OutOfTime, follow_article
from tearsheet.types import Options

TITLE = "Boats come home"
WORDS = "harbour quay slates chalk market crabs spring tide nets rope lantern gull anchor".split()


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were asked for; none is made."""
    asked: list[float] = []
    monkeypatch.setattr(importlib.import_module("tearsheet.clip").time, "sleep", asked.append)
    return asked


def clip(address: str, **chosen: object) -> Article:
    options = replace(Options(allow_private=True), **chosen)  # type: ignore[arg-type]
    return tearsheet.clip(address, method="readability", render="never", options=options)


def passage(number: int) -> str:
    """A text of two paragraphs that only this page has."""
    word = f"{WORDS[number % len(WORDS)]} number {number}"
    return "".join(
        f"<p>In the {half} half of the day the {word} was seen by everyone on the pier, and those "
        f"who asked about the {word} were told, at some length, what the {word} had been for.</p>"
        for half in ("first", "second")
    )


def document(body: str, title: str = TITLE, head: str = "") -> str:
    return (
        f"<html><head><title>{title}</title>{head}</head><body><h1>{title}</h1>{body}</body></html>"
    )


def part(number: int, following: str = "", *, beside: str = "") -> str:
    """Page `number` of the article, with a link to the following one."""
    link = f'<p><a href="{following}">Next page</a></p>' if following else ""
    return document(passage(number) + link + beside)


def serve_pages(site: Site, count: int) -> str:
    """An article on so many pages; returns the address of its first one."""
    for number in range(1, count + 1):
        following = f"/boats/{number + 1}" if number < count else ""
        site.page("/boats" if number == 1 else f"/boats/{number}", part(number, following))
    return f"{site.url}/boats"


def said_passages(article: Article) -> list[int]:
    return [n for n in range(1, 60) if f"number {n} had been for" in article.text]


def test_an_article_of_thirty_pages_is_whole(site: Site, pauses: list[float]) -> None:
    article = clip(serve_pages(site, 30))
    assert len(article.page_urls) == 30
    assert said_passages(article) == list(range(1, 31))
    assert article.reasons == ()
    assert pauses == [0.5] * 29
    assert max(site.hits.values()) == 1


def test_an_article_longer_than_the_limit_says_where_it_goes_on(site: Site) -> None:
    article = clip(serve_pages(site, 5), max_pages=3)
    assert said_passages(article) == [1, 2, 3]
    (reason,) = article.reasons
    assert "only 3 pages" in reason
    assert f"{site.url}/boats/4" in reason


def test_a_page_that_fails_in_the_middle_is_said_and_the_rest_is_kept(site: Site) -> None:
    address = serve_pages(site, 5)
    site.routes["/boats/3"] = answer("broken", status=500)
    article = clip(address)
    assert said_passages(article) == [1, 2]
    (reason,) = article.reasons
    assert reason.startswith("the article is incomplete, it ends after page 2: page 3 (")
    assert "status 500" in reason
    for form in ("md", "html", "txt", "json"):
        assert b"number 2 had been for" in article.to(form)


def test_a_second_page_that_is_gone_may_not_have_been_one(site: Site) -> None:
    article = clip(site.page("/boats", part(1, "/boats/2")))
    (reason,) = article.reasons
    assert reason.startswith("the article may be incomplete: page 2 (")
    assert "status 404" in reason


@pytest.mark.parametrize("status", [401, 403])
def test_a_next_page_that_is_forbidden(site: Site, status: int) -> None:
    address = serve_pages(site, 3)
    site.routes["/boats/2"] = answer("members only", status=status)
    (reason,) = clip(address).reasons
    assert f"asks to log in (status {status})" in reason


def test_a_next_page_that_leads_to_a_log_in(site: Site) -> None:
    address = serve_pages(site, 3)
    form = '<form><input name="user"><input type="password" name="word"></form>'
    site.page(
        "/login", document(f"<p>Log in to read on. It is free for a month.</p>{form}", "Log in")
    )
    site.routes["/boats/3"] = redirect("/login")
    article = clip(address)
    assert said_passages(article) == [1, 2]
    (reason,) = article.reasons
    assert reason.endswith("asks to log in")
    assert "after page 2" in reason


def test_a_pager_in_a_circle_ends(site: Site) -> None:
    address = serve_pages(site, 3)
    site.page("/boats/3", part(3, "/boats"))
    article = clip(address)
    assert said_passages(article) == [1, 2, 3]
    assert article.reasons == ()
    assert site.hits["/boats"] == 1


def test_a_circle_through_another_address_of_the_first_page_ends(site: Site) -> None:
    address = serve_pages(site, 3)
    site.page("/boats/3", part(3, "/boats/4"))
    site.page("/boats/4", part(1, "/boats/2"))
    article = clip(address)
    assert said_passages(article) == [1, 2, 3]
    assert len(article.page_urls) == 3
    assert article.reasons == ()


def test_a_second_page_that_repeats_the_first_is_left_out_and_said(site: Site) -> None:
    site.page("/boats/2", part(1, "/boats/3"))
    article = clip(site.page("/boats", part(1, "/boats/2")))
    assert len(article.page_urls) == 1
    assert article.text.count("first half of the day") == 1
    (reason,) = article.reasons
    assert reason.endswith("repeats the first page")


def test_the_next_article_is_not_joined(site: Site) -> None:
    site.page("/boats/2", document(passage(2), "Crabs are sold out"))
    article = clip(site.page("/boats", part(1, "/boats/2")))
    assert said_passages(article) == [1]
    assert article.reasons == ()


def test_robots_are_asked_for_every_page(site: Site) -> None:
    address = serve_pages(site, 3)
    site.page("/robots.txt", "User-agent: *\nDisallow: /boats/3\n", "text/plain")
    article = clip(address, robots=True)
    assert said_passages(article) == [1, 2]
    assert site.hits["/boats/3"] == 0
    (reason,) = article.reasons
    assert "robots.txt" in reason


VIEW_ALL = '<a href="/boats/all">View all</a>'


def test_all_pages_in_one_are_taken_when_they_say_the_same_and_more(site: Site) -> None:
    serve_pages(site, 3)
    site.page("/boats/all", document(passage(1) + passage(2) + passage(3)))
    article = clip(site.page("/boats", part(1, "/boats/2", beside=VIEW_ALL)))
    assert said_passages(article) == [1, 2, 3]
    assert article.page_urls == (f"{site.url}/boats/all",)
    assert article.url == f"{site.url}/boats"
    assert article.metadata.next_url is None
    assert site.hits["/boats/2"] == 0


@pytest.mark.parametrize("body", [passage(9) + passage(8), passage(1)])
def test_all_pages_in_one_are_left_when_they_say_something_else_or_no_more(
    site: Site, body: str
) -> None:
    serve_pages(site, 3)
    site.page("/boats/all", document(body))
    article = clip(site.page("/boats", part(1, "/boats/2", beside=VIEW_ALL)))
    assert said_passages(article) == [1, 2, 3]
    assert len(article.page_urls) == 3


def test_without_a_pager_nobody_looks_for_all_pages(site: Site) -> None:
    site.page("/boats/all", document(passage(1) + passage(2)))
    article = clip(site.page("/boats", part(1, beside=VIEW_ALL)))
    assert said_passages(article) == [1]
    assert site.hits["/boats/all"] == 0


PRINT = '<a href="/boats/print">Print this article</a>'


def test_the_print_page_is_used_when_it_says_the_same(site: Site) -> None:
    site.page("/boats/print", document(passage(1) + passage(2)))
    article = clip(site.page("/boats", part(1, "/boats/2", beside=PRINT)))
    assert article.page_urls == (f"{site.url}/boats/print",)
    assert said_passages(article) == [1, 2]


@pytest.mark.parametrize(
    ("body", "title"),
    [(passage(7), TITLE), (passage(7) + passage(8), "Crabs"), ("<p>Log in", TITLE)],
)
def test_the_print_page_is_left_when_it_says_something_else(
    site: Site, body: str, title: str
) -> None:
    address = serve_pages(site, 2)
    site.page("/boats/print", document(body, title))
    site.page("/boats", part(1, "/boats/2", beside=PRINT))
    assert said_passages(clip(address)) == [1, 2]


@pytest.mark.parametrize(
    "control",
    [
        """<a href="#" onclick="window.open('/boats/print')">Print</a>""",
        """<form action="/boats/print"><input type="submit" value="Print"></form>""",
        """<select><option value="/boats/print">Print</option></select>""",
    ],
    ids=["script", "form", "option"],
)
@pytest.mark.parametrize("same", [True, False])
def test_a_print_address_outside_links_is_used_when_it_says_the_same(
    site: Site, control: str, same: bool
) -> None:
    address = serve_pages(site, 2)
    site.page("/boats/print", document(passage(1) + passage(2) if same else passage(7)))
    site.page("/boats", part(1, "/boats/2", beside=control))
    article = clip(address)
    assert (f"{site.url}/boats/print" in article.page_urls) is same
    assert said_passages(article) == [1, 2]


def test_the_second_candidate_is_asked_when_the_first_says_something_else(site: Site) -> None:
    beside = f"""{PRINT}<a href="#" onclick="window.open('/boats/printer')">Print</a>"""
    site.page("/boats/print", document(passage(7)))
    site.page("/boats/printer", document(passage(1) + passage(2)))
    article = clip(site.page("/boats", part(1, "/boats/2", beside=beside)))
    assert article.page_urls == (f"{site.url}/boats/printer",)
    assert article.metadata.print_url == f"{site.url}/boats/printer"


def test_a_print_page_that_is_a_pdf_is_said_and_the_page_itself_is_clipped(site: Site) -> None:
    site.page("/boats/print", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj", "application/pdf")
    article = clip(site.page("/boats", part(1, beside=PRINT)))
    assert said_passages(article) == [1]
    (reason,) = article.reasons
    assert reason == (
        f"the print page is a PDF, so the page itself was clipped: {site.url}/boats/print"
    )


def test_a_print_page_that_fails_costs_nothing(site: Site) -> None:
    site.routes["/boats/print"] = answer("broken", status=500)
    article = clip(site.page("/boats", part(1, beside=PRINT)))
    assert said_passages(article) == [1]
    assert article.reasons == ()


def test_each_further_page_is_reported(site: Site) -> None:
    heard: list[str] = []
    options = Options(allow_private=True)
    tearsheet.clip(
        serve_pages(site, 3), method="readability", render="never", options=options,
        report=heard.append,
    )  # fmt: skip
    assert heard == ["fetching", "reading", "page 2", "page 3"]


def test_without_time_the_pages_so_far_are_kept_and_said(site: Site) -> None:
    first = clip(serve_pages(site, 3), pages="one")
    first = first.replace(metadata=replace(first.metadata, next_url=f"{site.url}/boats/2"))

    def open_page(address: str) -> Article:
        raise OutOfTime

    article = follow_article(first, open_page, Options())
    assert said_passages(article) == [1]
    assert article.reasons == (MISSING_PAGES,)


def test_a_print_page_that_takes_too_long_is_said_and_the_page_itself_is_kept(site: Site) -> None:
    first = clip(site.page("/boats", part(1, beside=PRINT)), print_page="never")

    def open_page(address: str) -> Article:
        raise OutOfTime

    article = follow_article(first, open_page, Options())
    assert said_passages(article) == [1]
    assert article.reasons == (
        f"the print page took too long, so the page itself was clipped: {site.url}/boats/print",
    )
