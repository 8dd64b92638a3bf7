"""A change that no reader sees changes nothing; one beside the article changes little.

The default engine sets aside what a page calls its furniture, so more of it changes nothing, but on
pages with hardly a text of their own: how often is measured, and pinned in `floors.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.generate import GeneratedPage, generate
from samples.serve import SITE
from tests import floors, real_pages
from tests.changes import FURNITURE, UNSEEN, Change, two_divisions_around, write_again
from tests.methods.pages import article
from tests.strategies import ARTICLE

from tearsheet import extract, metrics, plugins
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.clip import clip_page, needs_layout
from tearsheet.errors import NoArticle
from tearsheet.page import read_page
from tearsheet.types import Options, Snapshot

EXACT = {name: change for name, change in UNSEEN.items() if change is not two_divisions_around}
SEES_SOURCE = ("tag_ratio_lines",)
"""By the letter of its paper it looks at the line breaks of the source."""
METHODS = [
    name for name in plugins.names("methods") if not needs_layout(name) and name not in SEES_SOURCE
]
every_exact = pytest.mark.parametrize("change", EXACT.values(), ids=EXACT)


@pytest.fixture(scope="module")
def made_pages() -> list[GeneratedPage]:
    return list(generate(seed=21, count=40))


def text(html: str | bytes, url: str | None = None, method: str = "forest") -> str:
    try:
        return extract(html, url, method=method).text
    except NoArticle:
        return ""


@every_exact
def test_what_no_reader_sees_changes_no_generated_page(
    change: Change, made_pages: list[GeneratedPage]
) -> None:
    for page in made_pages:
        html = write_again(page.html)
        changed = change(html)
        assert changed != html or change.__name__.startswith("classes")
        assert text(changed, page.url) == text(html, page.url), page.truth["traps"]


@every_exact
@settings(max_examples=25)
@given(ARTICLE, st.sampled_from(METHODS))
def test_what_no_reader_sees_changes_no_method(change: Change, html: str, method: str) -> None:
    html = write_again(html)
    assert text(change(html), method=method) == text(html, method=method)


@every_exact
def test_what_no_reader_sees_changes_no_real_page(change: Change) -> None:
    for example in real_pages.sample()[::8]:
        html = write_again(example.markup)
        assert text(change(html), example.url) == text(html, example.url), example.name


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "gb18030", "utf-8-sig"])
def test_another_encoding_changes_nothing(encoding: str, made_pages: list[GeneratedPage]) -> None:
    for page in made_pages[:15]:
        body = page.html.replace("utf-8", encoding).encode(encoding)
        snapshot = Snapshot(body, page.url, page.url, encoding=encoding)
        found = clip_page(read_page(snapshot), "forest", Options())
        assert found.text == text(page.html, page.url)


@pytest.mark.parametrize("change", FURNITURE.values(), ids=FURNITURE)
def test_furniture_that_is_added_seldom_changes_a_generated_page(
    change: Change, made_pages: list[GeneratedPage]
) -> None:
    pages = [(write_again(page.html), page.url) for page in made_pages]
    assert same(pages, change) >= floors.GENERATED_SAME[change.__name__] - 2 * floors.SAME_MARGIN


@pytest.mark.parametrize("name", floors.REAL_SAME)
def test_furniture_and_wrapping_seldom_change_a_real_page(name: str) -> None:
    pages = [(write_again(example.markup), example.url) for example in real_pages.sample()]
    assert same(pages, (UNSEEN | FURNITURE)[name]) >= floors.REAL_SAME[name] - floors.SAME_MARGIN


def same(pages: Sequence[tuple[str, str | None]], change: Callable[[str], str]) -> float:
    """The share of pages whose text stays the same to the letter."""
    kept = [text(change(html), url) == text(html, url) for html, url in pages]
    return sum(kept) / len(kept)


NEARLY = 0.97
"""Word F1: how a page looks decides about lines at the border, so the two need not be equal."""
SHOWN = ["news/last-ferry-print", "ru/bus-print", "zh/lighthouse", "ar/market", "docs/tidecast"]


@pytest.mark.parametrize("name", ["", *SHOWN])
def test_the_parsed_and_the_rendered_page_give_nearly_the_same_article(
    name: str, browser: Browser
) -> None:
    html = (SITE / f"{name}.html").read_text("utf-8") if name else article()
    url = f"https://press.example/{name}"
    drawn = read_page(render_html(html, url, browser=browser))
    assert drawn.layout is not None
    found = metrics.word_score(clip_page(drawn, "forest", Options()).text, text(html, url))
    assert found.f1 > NEARLY, "looks may decide about a line or two, not about the article"
