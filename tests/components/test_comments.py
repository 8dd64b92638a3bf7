"""Comments are separated: who wrote when what, in answer to whom."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.article import assemble
from tearsheet.components.comments import find_comments
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import ROLES, Clipping, Comment, Verdict

STORY = "<article><h1>Tides</h1><p>They rise and fall twice a day.</article>"


def clip_with_comments(html: str, after: str = "They rise") -> Clipping:
    """The page with all lines after the one that begins so as comments, and the rest as text."""
    page = parse(STORY + html, "https://example.org/tides")
    parts = segments(page)
    start = next(i for i, text in enumerate(parts.text) if text.startswith(after)) + 1
    is_comment = np.arange(len(parts)) >= start
    roles = {name: np.zeros(len(parts), dtype=np.float32) for name in ROLES}
    roles["comment"][is_comment] = roles["body"][~is_comment] = 0.9
    verdict = Verdict("forest", (~is_comment).astype(np.float32), ~is_comment, roles=roles)
    return Clipping(page, parts, verdict)


def facts(comment: Comment) -> tuple[str, str, str, int]:
    return comment.author, comment.published, comment.text, comment.depth


BLOG = """<div id="comments"><h3>3 comments</h3><ol>
<li class="comment even depth-1" id="c1"><div><cite>Ann Lee</cite> says:</div>
<a href="#c1">May 3, 2012 at 4:05 pm</a><p>I saw it.<p>Twice even.<div><a href="#r">Reply</a></div>
<ul><li class="comment odd depth-2" id="c2"><div><cite>Bo</cite> says:</div>
<a href="#c2">May 4, 2012 at 1:00 am</a><p>So did I.<div><a href="#r">Reply</a></div></li></ul></li>
<li class="comment even depth-1" id="c3"><div><cite>Cy</cite> says:</div>
<a href="#c3">May 5, 2012 at 9:30 am</a><p>When?<div><a href="#r">Reply</a></div></li></ol>
<form><label>Your name</label></form></div>"""
NEWS = """<section><div class="reply"><span class="user-name">ann</span><br>
<time datetime="2020-01-02T03:04:05Z">yesterday</time><p>A fine text, thank you.</div>
<div class="reply"><span class="user-name">bo</span><br><time datetime="2020-01-03">today</time>
<p>I do not agree with it at all.</div></section>"""
OLD = """<table><tr><td>Ann Lee</td></tr><tr><td>3 May 2001</td></tr>
<tr><td>The moon does it, says my uncle.</td></tr></table>
<table><tr><td>Bo Chan</td></tr><tr><td>4 May 2001</td></tr>
<tr><td>The sun has a share in it, too.</td></tr></table>"""


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            BLOG,
            [
                ("Ann Lee", "2012-05-03T16:05", "I saw it.\n\nTwice even.", 0),
                ("Bo", "2012-05-04T01:00", "So did I.", 1),
                ("Cy", "2012-05-05T09:30", "When?", 0),
            ],
        ),
        (
            NEWS,
            [
                ("ann", "2020-01-02T03:04:05+00:00", "A fine text, thank you.", 0),
                ("bo", "2020-01-03", "I do not agree with it at all.", 0),
            ],
        ),
        (
            OLD,
            [
                ("Ann Lee", "2001-05-03", "The moon does it, says my uncle.", 0),
                ("Bo Chan", "2001-05-04", "The sun has a share in it, too.", 0),
            ],
        ),
    ],
)
def test_each_comment_has_its_author_date_text_and_depth(
    html: str, wanted: list[tuple[str, str, str, int]]
) -> None:
    assert [facts(comment) for comment in find_comments(clip_with_comments(html))] == wanted


def test_replies_inside_comments_are_deeper_without_any_class_that_says_so() -> None:
    html = BLOG.replace("depth-1", "").replace("depth-2", "")
    assert [comment.depth for comment in find_comments(clip_with_comments(html))] == [0, 1, 0]


def test_a_single_comment_without_any_structure_is_one_comment() -> None:
    (comment,) = find_comments(clip_with_comments("<div>Well said, and I shall tell others.</div>"))
    assert facts(comment) == ("", "", "Well said, and I shall tell others.", 0)


def test_a_lone_comment_has_its_own_author_and_not_that_of_the_page() -> None:
    byline = '<div class="author">Mia Weld</div><time datetime="2020-05-01">May</time>'
    note = '<div class="reply"><span class="user-name">ann</span><br>3 May 2021<p>So it is.</div>'
    (comment,) = find_comments(clip_with_comments(byline + note, after="May"))
    assert facts(comment) == ("ann", "2021-05-03", "So it is.", 0)
    bare = clip_with_comments(byline + "<p>So it is.<p>Is it?", after="May")
    assert facts(find_comments(bare)[0]) == ("", "", "So it is.\n\nIs it?", 0)


def test_without_roles_there_are_none() -> None:
    clipping = clip_with_comments(BLOG)
    bare = Verdict("density", clipping.verdict.score, clipping.verdict.keep)
    assert find_comments(Clipping(clipping.page, clipping.segments, bare)) == ()


def test_deep_nesting_costs_no_more_than_it_must() -> None:
    clipping = clip_with_comments("<div>" * 20_000 + "<p>One.<p>Two.")
    assert len(find_comments(clipping)) == 1


def test_an_article_has_the_comments_with_their_place_on_the_page() -> None:
    clipping = clip_with_comments(BLOG)
    article = assemble(clipping)
    first = article.comments[0].origin
    assert clipping.page.inner_text(first.first).startswith("Ann Lee")
    assert "I saw it" not in article.text
