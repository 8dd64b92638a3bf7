"""Next pages: the stages that need no network, and the traps."""

from __future__ import annotations

import pytest
from samples.generate import generate

from tearsheet.components import next_page
from tearsheet.page.parsed import parse

URL = "https://www.daily.example/news/boats.html"


def find(html: str, url: str = URL, *, everything: bool = False) -> str:
    page = parse(f"<h1>Boats come home</h1><p>Text.</p>{html}", url)
    got = next_page.find_next_page(page, everything=everything)[0]
    return got.removeprefix("https://www.daily.example")


@pytest.mark.parametrize(
    ("own", "other", "numbers"),
    [
        ("/x.html", "/x-2.html", (None, 2)),
        ("/x-2.html", "/x-3.html", (2, 3)),
        ("/x/", "/x/2/", (None, 2)),
        ("/x/", "/x/page/2", (None, 2)),
        ("/x", "/x?page=2", (None, 2)),
        ("/x?id=7&page=9", "/x?id=7&page=10", (9, 10)),
        ("/x?page=0,1", "/x?page=0,2", (1, 2)),
        ("/story-7-p10/read.html", "/story-7-p20/read.html", (10, 20)),
        ("/forum/", "/forum/index2.html", (None, 2)),
        ("/x.html", "/y-2.html", None),
        ("/x?id=7", "/x?id=8", None),
        ("/?p=2904", "/?p=2905", None),
        ("/x/", "/x/comment-page-2/", None),
        ("/x", "/x?reviews=2", None),
        ("/x", "/x?rate=2", None),
        ("/", "/page2/", None),
    ],
)
def test_two_addresses_that_differ_in_the_page_number_only(
    own: str, other: str, numbers: tuple[int | None, int] | None
) -> None:
    base = "https://www.daily.example"
    assert next_page.find_step(base + own, base + other) == numbers


def test_the_number_on_the_link_is_k_plus_one() -> None:
    pager = '<p>1 <a href="boats-2.html">2</a> <a href="boats-3.html">3</a></p>'
    assert find(pager) == "/news/boats-2.html"
    pager = '<p><a href="boats.html">1</a> 2 <a href="boats-3.html">3</a></p>'
    assert find(pager, URL.replace(".html", "-2.html")) == "/news/boats-3.html"


def test_on_the_last_page_there_is_no_next_one() -> None:
    pager = '<p><a href="boats.html">1</a> <a href="boats-2.html">2</a> <b>3</b></p>'
    assert find(pager, URL.replace(".html", "-3.html")) == ""


def test_labels_one_less_than_the_number_in_the_address() -> None:
    own = "https://www.daily.example/long-2.html"
    pager = '<p><b>1</b> <a href="/long-3.html">2</a> <a href="/long-4.html">3</a></p>'
    assert find(pager, own) == "/long-3.html"


@pytest.mark.parametrize(
    "label",
    ["Next", "Next page »", "›", "»", "→", "&gt;", "Weiter", "Page suivante", "Далее", "次へ",
     "下一页", "التالي", "Continue reading on page 2", '<img src="r.gif" alt="Next">'],
)  # fmt: skip
def test_words_and_arrows_on_a_similar_address(label: str) -> None:
    assert find(f'<a href="?page=2">{label}</a>') == "/news/boats.html?page=2"


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/news/crabs.html" rel="next">Next</a>',
        '<a href="/news/crabs.html">Crabs are sold out →</a>',
        '<link rel="next" href="/news/crabs.html">',
        '<a href="?page=9">&gt;&gt;</a>',
        '<a href="?page=9">Last</a>',
        '<a href="?page=all" class="next">View all</a>',
        '<a href="#page-2">2</a>',
        '<div class="comments">1 <a href="?page=2">2</a></div>',
        '<div class="gallery">1 / 9 <a href="?start=2">›</a></div>',
        '<div class="rating"><a href="?rate=2">2</a></div>',
        '<a href="?size=10">10</a> <a href="?size=25">25</a>',
        '<a href="?page=3">3</a>',
        '<a href="/page2/">Page 2</a>',
        '<a href="« Previous?page=2" rel="next">« Previous</a>',
    ],
)
def test_links_that_lead_to_no_next_page(html: str) -> None:
    assert find(html) == ""


def test_the_pager_wins_over_the_next_story_beside_it() -> None:
    html = '<a href="/crabs.html" rel="next">Next »</a><p>Pages: 1 <a href="boats-2.html">2</a></p>'
    assert find(html) == "/news/boats-2.html"


def test_continued_into_another_directory() -> None:
    own = "https://www.daily.example/a/48213.html"
    assert find('<a href="/b/48213-cont.html">Continued</a>', own) == "/b/48213-cont.html"


def test_older_posts_are_the_next_page() -> None:
    own = "https://www.daily.example/blog/"
    assert find('<a href="/blog/page/2/">« Older posts</a>', own) == "/blog/page/2/"


def test_older_posts_at_any_address_when_listings_are_asked_for() -> None:
    own = "https://www.daily.example/blog/"
    link = '<a href="/search?updated-max=2016">« Older posts</a>'
    assert find(link, own) == ""
    assert find(link, own, everything=True) == "/search?updated-max=2016"


def test_one_older_post_is_another_article() -> None:
    assert find('<a href="/news/crabs.html">Older post</a>', everything=True) == ""


def test_a_listings_pager_may_lead_to_any_addresses() -> None:
    pager = '<p>1 <a href="/search?max=2015">2</a> <a href="/search?max=2014">3</a></p>'
    own = "https://www.daily.example/"
    assert find(pager, own) == ""
    assert find(pager, own, everything=True) == "/search?max=2015"


def test_a_link_to_page_k_plus_one_may_have_any_text() -> None:
    own = "https://www.daily.example/blog/page/3"
    links = '<a href="/blog/page/4">« Load more</a> <a href="/blog/page/2">Go back »</a>'
    assert find(links, own, everything=True) == "/blog/page/4"


def test_next_at_any_address_is_the_next_page_of_a_listing_but_not_of_an_article() -> None:
    page = parse('<p>Text.</p><a href="/b?cursor=9">Next</a>', URL)
    assert (
        next_page.find_next_page(page, everything=True)[0] == "https://www.daily.example/b?cursor=9"
    )
    assert next_page.find_next_page(page, everything=True, article=True)[0] == ""


def test_arrows_to_several_places_are_no_pager() -> None:
    weeks = '<td><a href="/week?of=1">»</a></td><td><a href="/week?of=2">»</a></td>'
    assert find(f"<table><tr>{weeks}</table>", everything=True) == ""


def test_no_trap_on_generated_pages_works() -> None:
    wrong, right, true = [], 0, 0
    for made in generate(seed=12, count=120):
        listing = made.truth["page_type"] != "article"
        got = next_page.find_next_page(parse(made.html, made.url), everything=listing)[0]
        wanted = (made.truth["next_url"] or "").split("#")[0]
        true += bool(wanted)
        right += bool(wanted) and got == wanted
        wrong += [(made.truth["traps"], got)] if got and got != wanted else []
    assert wrong == []
    assert right >= 0.97 * true


def test_white_space_in_a_link_does_not_hide_its_attributes() -> None:
    assert find(f'<a class="next" href="boats-2.html">{" " * 300}</a>') == "/news/boats-2.html"
