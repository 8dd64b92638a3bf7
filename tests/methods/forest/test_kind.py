"""The type that a page is taken for, and what that changes: comments of an article, posts of a
forum."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet import extract
from tearsheet.methods.forest.choice import lean_to_root, leave_out_threads
from tearsheet.methods.forest.containers import find_containers
from tearsheet.methods.forest.page_type import lean_to_article
from tearsheet.methods.forest.vocabulary import page_tokens
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import PAGE_TYPES, Options

SENTENCE = "The ferry to the island leaves at noon, and it comes back before the evening falls."
OPINION = "I took that boat last year with my family, and we all liked it very much indeed!"
PAGE = f"""<html><head><title>The ferry to the island</title></head><body>
<h1>The ferry to the island</h1>{"".join(f"<p>{SENTENCE} {i}</p>" for i in range(9))}
<div id="comments"><h3>2 comments</h3><ol class="commentlist">
<li class="comment"><p>{OPINION}</p></li><li class="comment"><p>{OPINION} Twice.</p></li></ol></div>
</body></html>"""


def chances(**given: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array([given.get(kind, 0.0) for kind in PAGE_TYPES], dtype=np.float32)


def test_comments_of_an_article_are_left_out_unless_asked_for() -> None:
    text = extract(PAGE, "https://example.org/2012/05/ferry").text
    assert SENTENCE in text
    assert "my family" not in text


@pytest.mark.parametrize(
    ("types", "left"),
    [
        (chances(article=0.9, forum=0.02), True),
        (chances(article=0.6, forum=0.3), False),
        (chances(forum=0.9), False),
        (chances(product=0.9), False),
        (chances(documentation=0.9), False),
    ],
)
def test_threads_are_left_out_where_the_page_is_no_forum(
    types: np.ndarray[tuple[int], np.dtype[np.float32]], left: bool
) -> None:
    keep, threads = np.ones(3, dtype=np.bool_), np.array([False, True, True])
    found = leave_out_threads(keep, threads, np.array([50, 40, 40]), types)
    assert found.tolist() == [True, not left, not left]


def test_a_page_that_is_little_but_its_thread_keeps_it() -> None:
    keep, threads = np.ones(2, dtype=np.bool_), np.array([False, True])
    assert leave_out_threads(keep, threads, np.array([9, 400]), chances(article=1.0)).all()


def test_the_element_of_the_article_counts_for_its_lines_and_against_others() -> None:
    """The root is the element whose whole text has the best expected F1, here the division."""
    page = parse(f"<p>Elsewhere, a line.</p><div><p>{SENTENCE}</p><p>Doubtful line.</p></div>")
    parts = segments(page)
    share = np.array([0.3, 0.99, 0.5], dtype=np.float32)
    found = lean_to_root(share, parts.words, find_containers(page, parts), 1.0)
    assert found[0] < 0.2
    assert found[1] > 0.99
    assert 0.55 < found[2] < 0.6


def test_in_doubt_a_page_is_an_article() -> None:
    types = lean_to_article(chances(article=0.3, listing=0.7), "auto")
    assert PAGE_TYPES[int(types.argmax())] == "article"
    assert types.sum() == pytest.approx(1)
    assert PAGE_TYPES[int(lean_to_article(chances(forum=0.95, article=0.05), "auto").argmax())] == (
        "forum"
    )


def test_an_article_can_be_asked_for_whatever_the_page_is() -> None:
    types = lean_to_article(chances(article=0.01, forum=0.99), "article")
    assert types.tolist() == chances(article=1.0).tolist()
    thread = PAGE.replace("<body>", "<body class='forum thread viewtopic'>")
    found = extract(thread, "https://forum.example.org/t/12", options=Options(kind="article"))
    assert SENTENCE in found.text
    assert "my family" not in found.text


def test_a_missing_address_says_nothing() -> None:
    page = "<p>One"
    assert page_tokens(parse(page)) == []
    assert "depth:0" in page_tokens(parse(page, "https://example.org/"))
