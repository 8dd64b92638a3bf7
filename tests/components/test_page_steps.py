"""Addresses that count pages: what differs, what does not count, and what counts something else."""

from __future__ import annotations

import pytest

from tearsheet.components._page_steps import find_step, is_next, numbered_page

BASE = "https://www.daily.example"


@pytest.mark.parametrize(
    ("own", "other", "numbers"),
    [
        ("/x.html", "/x-2.html", (None, 2)),
        ("/x-2.html", "/x-3.html", (2, 3)),
        ("/x/", "/x/2/", (None, 2)),
        ("/x/", "/x/page/2", (None, 2)),
        ("/", "/page2/", (None, 2)),
        ("/x", "/x?page=2", (None, 2)),
        ("/x?id=7&page=9", "/x?id=7&page=10", (9, 10)),
        ("/x?page=0,1", "/x?page=0,2", (1, 2)),
        ("/story-7-p10/read.html", "/story-7-p20/read.html", (10, 20)),
        ("/forum/", "/forum/index2.html", (None, 2)),
        ("/x", "/x?2", (None, 2)),
        ("/x?2", "/x?3", (2, 3)),
        ("/News/X.html", "/news/x-2.html", (None, 2)),
        ("/a//x/", "/a/x/page/2/", (None, 2)),
        ("/x/8.html?sect=21", "/x/9.html", (8, 9)),
        ("/x?utm_source=mail", "/x?page=2", (None, 2)),
        ("/x?srsltid=Afm", "/x?start=36&sz=36", (None, 36)),
        ("/x;jsessionid=12AB", "/x;jsessionid=34CD?page=2", (None, 2)),
        ("/best-of-2012/", "/best-of-2012/2/", (None, 2)),
        ("/my-story", "/my-story/2", (None, 2)),
        ("/x?tx[page]=1", "/x?tx[page]=2", (1, 2)),
        ("/index.php?/topic/7-x/", "/index.php?/topic/7-x/page/2/", (None, 2)),
        ("/index.php?board=18.0", "/index.php?board=18.20", (0, 20)),
        ("/index.php?topic=18", "/index.php?topic=18.15", (None, 15)),
        ("/list/1-10/all.html", "/list/11-20/all.html", (1, 11)),
        ("/search?s=120", "/search?s=240", (120, 240)),
        ("/x?s=0f3a9c", "/x?s=77aa01&page=2", (None, 2)),
        ("/x?_pgn=1", "/x?_pgn=2", (1, 2)),
        ("/x/", "/x/2_p/", (None, 2)),
        ("/x", "/x/pagenum/2", (None, 2)),
        ("/t20200101_123.htm", "/t20200101_123_1.htm", (None, 1)),
    ],
)
def test_two_addresses_that_differ_in_the_page_number_only(
    own: str, other: str, numbers: tuple[int | None, int]
) -> None:
    step = find_step(BASE + own, BASE + other)
    assert step is not None
    assert step[:2] == numbers


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("/x.html", "/y-2.html"),
        ("/x?id=7", "/x?id=8"),
        ("/?p=2904", "/?p=2905"),
        ("/", "/?p=2905"),
        ("/x?page_id=7", "/x?page_id=8"),
        ("/x/", "/x/comment-page-2/"),
        ("/x", "/x?reviews=2"),
        ("/x", "/x?rate=2"),
        ("/x", "/x?per_page=50"),
        ("/2005/01/20.html", "/2005/01/21.html"),
        ("/2005/01/", "/2005/02/"),
        ("/log-2005-01-20", "/log-2005-01-21"),
        ("/week/12", "/week/13"),
        ("/book/chapter-3.html", "/book/chapter-4.html"),
        ("/issue-7/", "/issue-8/"),
        ("/kapitel3.html", "/kapitel4.html"),
        ("/x?sort=new&page=1", "/x?sort=old&page=2"),
        ("/index.php?view=story&id=918631", "/page2/"),
    ],
)
def test_addresses_that_count_something_else(own: str, other: str) -> None:
    assert find_step(BASE + own, BASE + other) is None


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("/guide/003.html", "/guide/004.html"),
        ("/library/208.cfm", "/library/209.cfm"),
        ("/?p=133", "/?p=150"),
        ("/guide/", "/guide/1"),
    ],
)
def test_numbers_that_may_be_those_of_articles(own: str, other: str) -> None:
    step = find_step(BASE + own, BASE + other)
    assert step is not None
    assert step.may_count_articles


def test_offsets_and_words_for_page_count_no_articles() -> None:
    for own, other in (("/t/120", "/t/135"), ("/x/page/208", "/x/page/209"), ("/x2", "/x3")):
        step = find_step(BASE + own, BASE + other)
        assert step is not None
        assert not step.may_count_articles


def test_the_next_page_is_one_further() -> None:
    assert is_next(find_step(f"{BASE}/x", f"{BASE}/x?page=2"))
    assert not is_next(find_step(f"{BASE}/x", f"{BASE}/x?page=3"))
    assert not is_next(None)


def test_an_address_that_says_page() -> None:
    assert numbered_page("/x?page=12") == 12
    assert numbered_page("/x/12") is None
