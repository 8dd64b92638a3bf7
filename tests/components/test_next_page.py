"""Next pages: the stages that need no network, and the traps."""

from __future__ import annotations

import pytest
from samples.generate import generate

from tearsheet.components import next_page
from tearsheet.page.parsed import parse

URL = "https://www.daily.example/news/boats.html"


def find(
    html: str, url: str = URL, *, everything: bool = False, title: str = "Boats come home"
) -> str:
    page = parse(f"<h1>{title}</h1><p>Text.</p>{html}", url)
    got = next_page.find_next_page(page, everything=everything)[0]
    return got.removeprefix("https://www.daily.example")


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
    ["Next", "Next page »", "Next >>", "Weiter >>", "下一页 >>", "Next &gt;|", "›",
     "»", "→", "&gt;", "Weiter", "Page suivante", "Далее", "次へ",
     "下一页", "التالي", "Continue reading on page 2",
     "Продолжение на странице 2", "2ページに続く", '<img src="r.gif" alt="Next">'],
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
    page = parse('<p>Text.</p><a href="?cursor=9">Next</a>', URL)
    assert next_page.find_next_page(page, everything=True)[0] == f"{URL}?cursor=9"
    assert next_page.find_next_page(page, everything=True, article=True)[0] == ""
    assert find('<a href="/news/crabs.html">Next</a>', everything=True) == ""


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


@pytest.mark.parametrize(
    ("own", "href"),
    [
        ("/news/boats.html", "/news/boats.html?page=2"),
        ("/news/boats", "/news/boats?lang=en&page=2"),
        ("/News/Boats.html?utm_source=mail", "/news/boats-2.html"),
        ("/news//boats", "/news/boats/page/2/"),
        ("/news/boats", "/news/boats?2"),
        ("/news/boats", "/news/boats?start=36&sz=36"),
        ("/news/boats?srsltid=Afm", "/news/boats?page=1"),
    ],
)
def test_the_head_may_be_the_only_place_that_tells(own: str, href: str) -> None:
    own = f"https://www.daily.example{own}"
    assert find(f'<link rel="next" href="{href}">', own) == href


@pytest.mark.parametrize(
    ("own", "head"),
    [
        ("/news/boats.html", '<link rel="next" href="/news/crabs.html">'),
        ("/?p=133", '<link rel="next" href="/?p=150">'),
        ("/?p=2904", '<link rel="next" href="/?p=2905">'),
        ("/2012/10/04/", '<link rel="next" href="/2012/10/05/">'),
        ("/boats/", '<link rel="prev" href="/crabs/"><link rel="next" href="/boats-2/">'),
        ("/boats-6/", '<link rel="next" href="/boats-7/">'),
        ("/guide/3.html", '<link rel="up" href="/guide/"><link rel="next" href="/guide/4.html">'),
        ("/news/1204", '<link rel="next" href="/news/1205">'),
        ("/boats/", '<link rel="next" href="/boats/comment-page-2/">'),
        ("/boats?page=3", '<link rel="next" href="/boats?page=2">'),
    ],
)
def test_the_head_may_tell_the_next_post_or_chapter(own: str, head: str) -> None:
    assert find(head, f"https://www.daily.example{own}", title="Boats come home, 6") == ""


@pytest.mark.parametrize("beside", ["Contents", "Table of contents", "Up", "Inhalt", "目录"])
def test_chapters_have_a_table_of_contents_beside_them(beside: str) -> None:
    own = "https://www.daily.example/guide/3.html"
    arrows = '<a href="2.html">Previous</a> {} <a href="4.html">Next</a>'
    assert find(arrows.format(f'<a href="./">{beside}</a>'), own) == ""
    assert find(arrows.format("|"), own) == "/guide/4.html"


def test_a_pager_that_says_page_may_have_a_table_of_contents_beside_it() -> None:
    assert (
        find('<a href="/toc">Contents</a> <a href="?page=2">Next</a>') == "/news/boats.html?page=2"
    )


@pytest.mark.parametrize(
    ("own", "html"),
    [
        ("/2005/01/20.html", '<a href="19.html">19</a> 20 <a href="21.html">21</a>'),
        ("/log/2005/01/20/", '<a href="/log/2005/01/21/">Next »</a>'),
        ("/tv/week/12", '<a href="/tv/week/13">Next</a>'),
        ("/mag/issue-7/", '<a href="/mag/issue-8/">Next</a>'),
        ("/book/ch03.html", '<a href="ch04.html"><img src="n.gif" alt="Next"></a>'),
        ("/guide/003.html", '<a href="004.html">Next</a>'),
        ("/library/208.cfm", '<a href="209.cfm">Next</a>'),
        ("/trip-part-5.html", '<a href="/trip-part-6.html">Next</a>'),
        ("/trip-part-5.html", '<a href="/trip-part-6.html" rel="next">Boats, part 6</a>'),
    ],
)
def test_numbers_of_days_weeks_issues_chapters_and_series(own: str, html: str) -> None:
    assert find(html, f"https://www.daily.example{own}", title="Boats come home, part 5") == ""


@pytest.mark.parametrize(
    "html",
    [
        '<div class="commentlist">1 <a href="?page=2">2</a></div>',
        '<div id="commentNav"><a href="?page=2">Next</a></div>',
        '<div class="customerReviews">1 <a href="?page=2">2</a></div>',
        '<p>1 <a href="?page=2#comments">2</a></p>',
        '<p>1 <a href="?page=2#customer_reviews">2</a></p>',
        '<a href="/boats-come-2.html">2 boats lost at sea on Monday</a>',
        '<p>1 <a href="/crabs/?page=2">2</a> <a href="/crabs/?page=3">3</a></p>',
        '<p>Week: <a href="?week=2">Next</a></p>',
    ],
)
def test_pagers_of_comments_reviews_and_other_lists(html: str) -> None:
    assert find(html) == ""


def test_a_page_where_comments_are_open_is_not_a_place_of_comments() -> None:
    html = '<div class="post comments-open">1 <a href="?page=2">2</a></div>'
    assert find(html) == "/news/boats.html?page=2"


def test_the_pager_of_another_list_is_not_that_of_a_listing() -> None:
    own = "https://www.daily.example/tours/show.jsp?id=1010"
    pager = '<p>1 <a href="/london/all?page=1">2</a> <a href="/london/all?page=2">3</a></p>'
    assert find(pager, own, everything=True) == ""


def test_a_pager_in_another_directory_that_refers_to_the_page() -> None:
    own = "https://www.daily.example/posts4492-0.html"
    pager = '<p>1 <a href="/postx4492-0-15.html">2</a> <a href="/postx4492-0-30.html">3</a></p>'
    assert find(pager, own) == "/postx4492-0-15.html"
    own = "https://www.daily.example/buy/Small-Boats/ci/24049"
    pager = (
        '<p><a class="linkActive" href="/search?q=small-boats">1</a> '
        '<a href="/search?q=small-boats&amp;pn=2">2</a> '
        '<a href="/search?q=small-boats&amp;pn=3">3</a>'
    )
    assert find(pager, own, everything=True) == "/search?q=small-boats&pn=2"


def test_the_canonical_address_is_the_pages_own_too() -> None:
    own = "https://www.daily.example/r?to=boats"
    html = '<link rel="canonical" href="/news/boats"><p>1 <a href="/news/boats?page=2">2</a></p>'
    assert find(html, own) == "/news/boats?page=2"


def test_the_current_number_may_be_a_link_to_the_page_itself() -> None:
    own = "https://www.daily.example/boats?sid=1"
    numbers = '<a href="?sid=1">3</a> <a href="/boats?from=40">4</a> <a href="/boats?from=60">5</a>'
    assert find(f"<p>{numbers}</p>", own) == "/boats?from=40"


@pytest.mark.parametrize("label", ["51-100", "51 – 100"])
def test_labels_that_are_ranges(label: str) -> None:
    pager = f'<p>1-50 <a href="?skip=50">{label}</a> <a href="?skip=100">101-150</a></p>'
    assert find(pager) == "/news/boats.html?skip=50"


def test_double_arrows_may_lead_to_the_next_page_only_if_it_is_one_further() -> None:
    assert find('<a href="?page=2">&gt;&gt;</a>') == "/news/boats.html?page=2"
    both = '<a href="?page=2">&gt;</a> <a href="?page=9">&gt;&gt;</a>'
    assert find(both) == "/news/boats.html?page=2"


def test_a_longer_label_with_a_word_for_next_needs_the_right_number() -> None:
    assert find('<a href="?page=2">Go on to the next part</a>') == "/news/boats.html?page=2"
    assert find('<a href="?page=7">Go on to the next part</a>') == ""
    assert find('<a href="boats-2.html">Read the next story</a>') == ""


def test_a_class_may_say_next_on_an_icon() -> None:
    icon = '<a class="{}" href="boats-2.html"><i></i></a>'
    for name in ("next", "pagination-next", "pagerNext", "btn--next"):
        assert find(icon.format(name)) == "/news/boats-2.html"
    assert find(icon.format("nextgen")) == ""


@pytest.mark.parametrize("label", ["Page 2: The crew", "2. The crew", "Seite 2: Die Leute"])
def test_pages_may_have_names(label: str) -> None:
    pages = f'<li>Page 1: Boats</li><li><a href="boats-2.html">{label}</a></li>'
    assert find(f"<ul>{pages}</ul>") == "/news/boats-2.html"


def test_a_thread_may_call_its_posts_comments() -> None:
    own = "https://www.daily.example/index.php?/topic/7-boats/"
    pager = '<p>1 <a href="/index.php?/topic/7-boats/page/2/#comments">2</a></p>'
    assert find(pager, own, everything=True) == "/index.php?/topic/7-boats/page/2/"


@pytest.mark.parametrize("href", ["?next=47049&amp;n=31", "?startAt=25"])
def test_more_of_a_listing_is_at_its_own_address(href: str) -> None:
    link = f'<a href="{href}">More</a>'
    assert find(link, everything=True).startswith("/news/boats.html?")
    assert find('<a href="/crabs">More</a>', everything=True) == ""


def test_one_list_of_several_on_a_page_does_not_page_an_article() -> None:
    link = '<a class="next" href="?90c7c550_page=2">Next</a>'
    assert find(link) == ""
    assert find(link, everything=True) == "/news/boats.html?90c7c550_page=2"


def test_a_page_of_reviews_by_its_address_may_page_them() -> None:
    own = "https://www.daily.example/boat-reviews"
    pager = '<div id="page_boat_reviews">1 <a href="?page=2">2</a></div>'
    assert find(pager, own) == "/boat-reviews?page=2"


def test_page_alone_says_nothing() -> None:
    assert find('<a href="boats-2.html">Page</a>') == ""
