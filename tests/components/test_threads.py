"""Threads: each post keeps who wrote it, when, and in answer to whom."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fuzz.target import cpu_limit
from tests.article.pages import article, clipping, shape

from tearsheet.article import Article, assemble
from tearsheet.types import Heading, ListBlock, Metadata, Paragraph, Post

FORUM = {"forum": 0.9}


def thread(html: str, page_type: dict[str, float] | None = None) -> Article:
    """The article of a page with everything kept, taken for a forum unless a test says else."""
    made = clipping(html)
    kind = FORUM if page_type is None else page_type
    made = replace(made, verdict=replace(made.verdict, page_type=kind))
    return assemble(made, Metadata(title="Tides"), ())


def posts(found: Article) -> list[tuple[str, str, str, int]]:
    return [
        (block.author, block.published, block.kind, block.depth)
        for block in found.blocks
        if isinstance(block, Post)
    ]


BOARD = """<h1>Tides</h1>
<div class="post odd" id="p11"><div class="author"><a href="/members/ann">ann</a></div>
<div class="rank">Member since May 2001</div><div class="date">3 May 2012 10:20</div>
<div class="body">Why are there two of them a day? <p>One moon, one tide, I thought.</div></div>
<div class="post even" id="p12"><div class="author"><a href="/members/bo">Bo Chan</a></div>
<div class="rank">Member since May 2002</div><div class="date">4 May 2012 11:30</div>
<div class="body"><div class="quote"><a href="/members/ann">ann</a> wrote: two of them</div>
The water on the far side is left behind.</div></div>"""
OLD_TABLES = """<table><tr><td>
<table class="message"><tr><td><b class="username">ann</b></td>
<td>3 May 2012 10:20<br>Why are there two of them a day?</td></tr></table>
<table class="message"><tr><td><b class="username">bo</b></td>
<td>4 May 2012 11:30<br>The water on the far side is left behind.</td></tr></table>
</td></tr></table>"""
ONE_LINE = """<div class="post"><p class="who">by <a href="/memberlist.php?u=7">ann</a> » Thu May 3,
2012 10:20 am</p><div>Why are there two of them a day?</div></div>
<div class="post"><p class="who">by <a href="/memberlist.php?u=8">bo</a> » Fri May 4,
2012 11:30 am</p><div>The water on the far side is left behind.</div></div>"""
NAMELESS = "".join(
    f'<div class="p1"><div class="p2"><div>{who}</div><div>Deckhand</div></div>'
    f'<div class="p3"><div class="p4">{when}</div><div>{text}</div></div></div>'
    for who, when, text in (
        ("ann", "3 May 2012, 10:20 #1", "Why are there two of them a day?"),
        ("bo", "4 May 2012, 11:30 pm #2", "The water on the far side is left behind."),
        ("ann", "5 May 2012, 12:05 a.m. #3", "Then I have to think again."),
    )
)
"""Nothing is called a name or a post, and figures tell the parts of a post apart."""
QUESTION = """<div itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">Tides</h1>
<div itemprop="text">Why are there two of them a day?</div>
<div itemprop="author" itemscope><a href="/users/1" itemprop="name">ann-1</a></div>
<time itemprop="dateCreated" datetime="2012-05-03T10:20:00">May 3</time>
<ul><li itemscope itemtype="https://schema.org/Answer" class="answer">
<div itemprop="text">The water on the far side is left behind.</div>
<span itemprop="author">bo-2</span> <time datetime="2012-05-04">May 4</time>
<div itemscope itemtype="https://schema.org/Comment"><p>By the moon?</p>
<span itemprop="author">cy-3</span> <time datetime="2012-05-05">May 5</time></div></li></ul>
</div>"""


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            BOARD,
            [("ann", "2012-05-03T10:20", "post", 0), ("Bo Chan", "2012-05-04T11:30", "post", 0)],
        ),
        (
            OLD_TABLES,
            [("ann", "2012-05-03T10:20", "post", 0), ("bo", "2012-05-04T11:30", "post", 0)],
        ),
        (ONE_LINE, [("ann", "2012-05-03T10:20", "post", 0), ("bo", "2012-05-04T11:30", "post", 0)]),
        (
            NAMELESS,
            [
                ("ann", "2012-05-03T10:20", "", 0),
                ("bo", "2012-05-04T23:30", "", 0),
                ("ann", "2012-05-05T00:05", "", 0),
            ],
        ),
        (
            QUESTION,
            [
                ("ann-1", "2012-05-03T10:20:00", "question", 0),
                ("bo-2", "2012-05-04", "answer", 0),
                ("cy-3", "2012-05-05", "comment", 1),
            ],
        ),
    ],
    ids=["board", "tables", "one line", "nameless", "question"],
)
def test_posts_keep_who_when_kind_and_depth(
    html: str, wanted: list[tuple[str, str, str, int]]
) -> None:
    assert posts(thread(html)) == wanted


def test_what_says_who_and_when_is_no_text_of_the_post() -> None:
    found = [block for block in thread(ONE_LINE).blocks if isinstance(block, Post)]
    assert [[type(inner) for inner in post.blocks] for post in found] == [[Paragraph], [Paragraph]]


def test_a_list_of_posts_is_no_list() -> None:
    assert not any(isinstance(block, ListBlock) for block in thread(QUESTION).blocks)


def test_what_is_around_the_posts_stays() -> None:
    assert isinstance(thread(BOARD).blocks[0], Heading)


def test_declared_posts_need_no_forum_and_others_do() -> None:
    assert len(posts(thread(QUESTION, {"article": 1.0}))) == 3
    assert not posts(thread(BOARD, {"article": 1.0}))


STATUS = """<article class="status">{head}<div class="author"><a href="/@ann">{name}</a></div>
<time datetime="2026-01-0{day}T10:00">{day} Jan</time>
<p>The tide turned at {day} again.</p></article>"""


def _statuses(head: str = "", names: str = "ann bo ann") -> str:
    parts = enumerate(names.split(), start=1)
    return "".join(STATUS.format(head=head, name=name, day=day) for day, name in parts)


def test_a_few_short_posts_are_a_thread_if_each_says_whose_it_is_and_when() -> None:
    made = thread(_statuses(), {"forum": 0.2, "article": 0.3})
    assert [author for author, *_ in posts(made)] == ["ann", "bo", "ann"]


@pytest.mark.parametrize(
    ("html", "forum"),
    [(_statuses(), 0.05), (_statuses("<h2>An entry</h2>"), 0.2), (_statuses(names="ann bo"), 0.2)],
)
def test_entries_of_a_list_and_pairs_are_no_short_thread(html: str, forum: float) -> None:
    assert posts(thread(html, {"forum": forum, "article": 0.3})) == []


def test_chapters_of_an_article_are_no_posts() -> None:
    html = "".join(
        f'<div class="part"><h2>Part {i}</h2><p>It goes on for a while here.</div>' for i in "123"
    )
    assert not posts(thread(html))


def test_posts_survive_the_round_trip() -> None:
    first = thread(QUESTION)
    again = article(first.html, title="Tides")
    assert shape(again) == shape(first)


def test_every_format_says_who_and_when() -> None:
    found = thread(QUESTION).replace(page_type=FORUM)
    for form in ("html", "md", "txt", "json", "tei"):
        document = found.to(form).decode()
        assert document.index("ann-1") < document.index("bo-2") < document.index("cy-3")
        assert "2012-05-04" in document


WORDS = "<p>The water on the far side is left behind, twice a day, and nobody minds.</p>"
SIGNED = "<span class=author>Ann Lee</span> <time datetime=2012-05-03>3 May 2012</time>" + WORDS


def _name(number: int) -> str:
    """A name of letters alone: figures in classes do not count."""
    return "c" + "".join("abcdefghij"[int(figure)] for figure in str(number))


FOUR = f"<div class=post>{SIGNED}</div>" * 4
NAMED = f'<div class="{" ".join(map(_name, range(100_000)))}">{SIGNED}</div>'


@pytest.mark.parametrize(
    "html",
    [
        f"{FOUR}<div class=post>{'<i>w</i>,' * 20_000}</div>",
        f"<div class=post>{SIGNED}" * 500 + WORDS * 20_000,
        NAMED + f"<div class=other>{WORDS}</div>" * 4_900 + NAMED,  # all are looked at
    ],
    ids=["names in one line", "posts in posts", "classes"],
)
def test_very_many_of_what_may_be_posts_take_no_square_of_time(html: str) -> None:
    """Half a minute of CPU and more before."""
    with cpu_limit(5):
        assert thread(html).blocks
