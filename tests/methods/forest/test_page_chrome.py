"""The parts set aside before the default engine looks; it sees nothing of them."""

from __future__ import annotations

import numpy as np
import pytest
from samples.generate import generate
from tests.changes import FURNITURE, Change, write_again

from tearsheet.methods.forest.page_chrome import RestOfPage, set_aside
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

STORY = "<p>" + "The ferry left at noon with the last of the summer guests. " * 4 + "</p>"


def rest(html: str) -> RestOfPage:
    page = parse(html)
    return set_aside(page, segments(page, hidden=True))


@pytest.mark.parametrize(
    "chrome",
    [
        "<nav><a href=/>Home</a></nav>",
        "<header><a href=/>The Press</a></header>",
        "<footer>All rights reserved</footer>",
        "<div role=dialog>Sign in</div>",
        "<div role=navigation><a href=/>Home</a></div>",
        "<div role=complementary>The weather: rain</div>",
        "<div class='site-cookie-note'>We use cookies</div>",
        "<div id=CookieConsent>We use cookies</div>",
        "<div class='related-stories'><a href=/2>The first ferry</a></div>",
    ],
)
def test_what_a_page_calls_its_chrome_is_set_aside(chrome: str) -> None:
    assert rest(chrome + STORY).segments.text == rest(STORY).segments.text
    assert rest(STORY + chrome).segments.text == rest(STORY).segments.text


@pytest.mark.parametrize(
    "part",
    [
        "<header><h1>The last ferry</h1></header>",
        "<article><header>By Ada Lund</header></article>",
        "<blockquote>It was late.<footer>A guest</footer></blockquote>",
        "<main><div role=dialog>Measures</div></main>",
        "<p title='Cookie recipes'>Bake them.</p>",
        "<p class=unrelated>Another matter.</p>",
        "<article><div class=related>As said before.</div></article>",
    ],
)
def test_what_may_be_a_part_of_the_text_stays(part: str) -> None:
    page = parse(part + STORY)
    found = segments(page, hidden=True)
    assert set_aside(page, found).segments.text == found.text


def test_what_holds_most_of_a_short_text_is_no_chrome() -> None:
    assert len(rest(f"<div role=dialog>{STORY}</div><p>Close</p>").segments) == 2


def test_a_menu_longer_than_the_text_is_chrome_where_a_text_is_left() -> None:
    """The contents of a book beside each of its pages."""
    menu = f"<nav>{'<a href=/1>A chapter of the book</a><br>' * 200}</nav>"
    assert rest(menu + 3 * STORY).segments.text == rest(3 * STORY).segments.text


def test_all_stays_where_nothing_else_is_there() -> None:
    whole = rest("<nav>Home News</nav><footer>All rights</footer>")
    assert whole.segments.text == ["Home News", "All rights"]
    assert whole.stays.all()


def test_columns_come_back_to_their_places() -> None:
    found = rest(f"<nav><a href=/>Home</a></nav>{STORY}<p>End.</p>")
    assert found.stays.tolist() == [False, True, True]
    assert found.spread(np.array([0.5, 0.7])).tolist() == [0, 0.5, 0.7]
    assert [found.place(i) for i in range(3)] == [-1, 0, 1]


@pytest.mark.parametrize("change", FURNITURE.values(), ids=FURNITURE)
def test_the_rest_is_the_page_without_it(change: Change) -> None:
    """Row by row, as if the chrome had never been there."""
    for page in generate(seed=5, count=15):
        html = write_again(page.html)
        before, after = rest(html), rest(change(html))
        for name in ("tag", "parent", "end", "depth"):
            one, other = getattr(before.page, name), getattr(after.page, name)
            assert one.tolist() == other.tolist(), name
        assert before.page.text == after.page.text
        assert before.page.attrs == after.page.attrs
        for name in ("first", "last", "block", "words", "hidden"):
            one, other = getattr(before.segments, name), getattr(after.segments, name)
            assert one.tolist() == other.tolist(), name
