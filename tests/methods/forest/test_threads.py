"""Parts that a page itself names comments."""

from __future__ import annotations

import pytest

from tearsheet.methods.forest.containers import find_containers
from tearsheet.methods.forest.threads import find_threads
from tearsheet.page.parsed import parse
from tearsheet.segments import segments


def shares(markup: str) -> list[float]:
    page = parse(markup)
    parts = segments(page)
    found: list[float] = find_threads(page, find_containers(page, parts), parts.words).tolist()
    return found


@pytest.mark.parametrize(
    "names",
    ['class="comments-area"', 'id="disqus_thread"', 'id="respond"', "class='CommentList'",
     'class="post-replies"'],
)  # fmt: skip
def test_a_named_thread_is_found_with_its_share_of_the_words(names: str) -> None:
    found = shares(f"<p>One two three.</p><div {names}><p class=comment>Four five</p><p>Six")
    assert found == pytest.approx([0.0, 0.5, 0.5])


@pytest.mark.parametrize(
    "markup",
    [
        "<pre><span class=comment># a program's</span>\ntext</pre>",
        "<body class=comments-open><p>One two three.",
        "<div class=correspondent>Our own</div><div class=replying>One</div>",
        "<p>No names at all.",
    ],
)
def test_other_names_are_no_thread(markup: str) -> None:
    assert not any(shares(markup))
