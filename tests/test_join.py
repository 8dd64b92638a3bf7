"""Articles over several pages: confirmed, joined, said once, and the same by the print page."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from samples.serve import SITE
from tests.components.pages import TEXT

import tearsheet
from tearsheet import join
from tearsheet.article import Article
from tearsheet.clip import Render
from tearsheet.types import Block, Figure, Options, Paragraph

METHOD = "readability"


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("tearsheet.clip"), "PAUSE", 0.0)


def clip(address: str, method: str = METHOD, render: Render = "never", **chosen: object) -> Article:
    options = replace(Options(allow_private=True), **chosen)  # type: ignore[arg-type]
    return tearsheet.clip(address, method=method, render=render, options=options)


def truth(*names: str) -> list[str]:
    """The lines of the sample article on these pages."""
    pages = (json.loads(Path(SITE / "news" / f"{name}.truth.json").read_text()) for name in names)
    return [line for page in pages for line in page["text"]]


FERRY = ("last-ferry", "last-ferry-2", "last-ferry-3")


def test_three_pages_become_one_article_in_order(sample_site: str) -> None:
    article = clip(f"{sample_site}/news/last-ferry.html", print_page="never")
    assert article.page_urls == tuple(f"{sample_site}/news/{name}.html" for name in FERRY)
    places = [article.text.find(line) for line in truth(*FERRY) if len(line) > 60]
    assert -1 not in places
    assert places == sorted(places)
    assert article.text.count("The last ferry across the Wend") <= 1


def test_pictures_and_captions_come_along(sample_site: str) -> None:
    article = clip(f"{sample_site}/news/last-ferry.html", print_page="never")
    names = [image.url.rsplit("/", 1)[-1] for image in article.images]
    assert names[:2] == ["ferry-dusk.jpg", "lamb.jpg"]
    assert "bridge.jpg" in names
    assert "ferry-crew.jpg" in names
    assert all(image.caption for image in article.images)


def test_each_block_knows_its_page(sample_site: str) -> None:
    article = clip(f"{sample_site}/news/last-ferry.html", print_page="never")
    assert {block.origin.page for block in article.blocks} == {0, 1, 2}
    last = article.blocks[-1].origin
    page = article.clippings[last.page].page
    assert page.url == f"{sample_site}/news/last-ferry-3.html"
    assert "".join(page.text[last.first : last.end]).strip()


@pytest.mark.parametrize(
    ("method", "render"),
    [("forest", "never"), ("readability", "never"), ("forest", "always")],
)
def test_the_print_page_and_the_joined_pages_are_one_article(
    sample_site: str, method: str, render: Render, request: pytest.FixtureRequest
) -> None:
    """Block by block, with the pictures and their captions in place, and all that the truth says,
    be the pages parsed or drawn."""
    if render == "always":
        request.getfixturevalue("browser")
    printed = clip(f"{sample_site}/news/last-ferry.html", method, render)
    joined = clip(f"{sample_site}/news/last-ferry.html", method, render, print_page="never")
    assert printed.page_urls == (f"{sample_site}/news/last-ferry-print.html",)
    assert printed.url == joined.url == f"{sample_site}/news/last-ferry.html"
    assert printed.metadata.authors == joined.metadata.authors == ("Ida Farrow",)
    assert printed.metadata.reading_minutes == joined.metadata.reading_minutes
    assert outline(printed) == outline(joined)
    assert printed.html == joined.html
    assert [line for line in truth(*FERRY) if line not in joined.text] == []
    said = [text for kind, text in outline(joined) if kind in ("Heading", "Paragraph")]
    assert said == [line for line in truth(*FERRY) if line in said]
    assert [text for kind, text in outline(joined) if kind == "Figure"] == captions(*FERRY)


def outline(article: Article) -> list[tuple[str, str]]:
    """The kind of each block, and its words; of figures the file's name, the caption, the
    credit."""
    return [(type(block).__name__, _words(block)) for block in article.blocks]


def _words(block: Block) -> str:
    if isinstance(block, Figure):
        (image,) = block.images
        return f"{image.url.rsplit('/', 1)[-1]}: {image.caption} {image.credit}".strip()
    return "".join(run.text for run in getattr(block, "runs", ()))


def captions(*names: str) -> list[str]:
    """The pictures of the sample article, with the words below them, in the text's order."""
    pages = (json.loads(Path(SITE / "news" / f"{name}.truth.json").read_text()) for name in names)
    images = [image for page in pages for image in page["images"]]
    return [f"{i['url'].rsplit('/', 1)[-1]}: {i['caption']} {i['credit']}".strip() for i in images]


def test_a_pull_quote_of_an_earlier_page_is_left_out() -> None:
    assert texts(join.join_pages([page(ONE), page(TWO, ONE[:90], THREE)])) == [ONE, TWO, THREE]


def test_pages_can_be_limited(sample_site: str) -> None:
    address = f"{sample_site}/news/last-ferry.html"
    assert len(clip(address, print_page="never", max_pages=2).page_urls) == 2
    assert len(clip(address, print_page="never", pages="one").page_urls) == 1


def test_a_saved_page_is_not_followed_into_the_network() -> None:
    article = tearsheet.clip(SITE / "news" / "last-ferry.html", "https://courier.example/a.html")
    assert len(article.page_urls) == 1


def page(*paragraphs: str, title: str = "Boats come home") -> Article:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return tearsheet.extract(f"<h1>{title}</h1>{body}", method=METHOD)


ONE, TWO, THREE = (
    f"{word} paragraph of the story tells, at some length, what happened on the quay that morning, "
    f"and who was there to see it when the boats came in, {word.lower()} of all."
    for word in ("First", "Second", "Third")
)


def texts(article: Article) -> list[str]:
    found = [b for b in article.blocks if isinstance(b, Paragraph)]
    return ["".join(run.text for run in block.runs) for block in found]


def test_a_page_with_the_same_title_and_another_text_continues() -> None:
    assert join.continues([page(ONE, ONE)], page(TWO, THREE))


def test_a_page_with_another_title_does_not() -> None:
    assert not join.continues([page(ONE)], page(TWO, title="Crabs are sold out"))


def test_a_page_with_the_same_text_does_not() -> None:
    assert not join.continues([page(ONE, TWO)], page(ONE, TWO))


@pytest.mark.parametrize(
    "title",
    ["Boats come home", "Boats come home (2)", "Boats come home - Page 2", "Boats come home – 2/3"],
)
def test_titles_may_have_the_number_of_the_page(title: str) -> None:
    assert join.same_title("Boats come home", title)


@pytest.mark.parametrize("title", ["", "Boats", "Boats come home again", "Crabs"])
def test_other_titles_are_others(title: str) -> None:
    assert not join.same_title("Boats come home", title)


def test_what_pages_repeat_is_said_once_and_what_they_all_end_with_not_at_all() -> None:
    bio = "Ann Lee writes about the sea and everything that lives in it, and has done so for years."
    joined = join.join_pages([page(ONE, TWO, bio), page(TWO, THREE, bio)])
    assert texts(joined) == [ONE, TWO, THREE]


def test_a_sentence_that_breaks_off_goes_on_in_one_paragraph() -> None:
    joined = join.join_pages([page(ONE, "The boats were late, and nobody on the quay could say"),
                          page("why that was, or when they would come.", THREE)])  # fmt: skip
    assert any("nobody on the quay could say why that was" in text for text in texts(joined))


def test_a_print_page_must_have_the_text_of_the_page() -> None:
    assert join.agrees(page(ONE, TWO), page(ONE, TWO, THREE))
    assert not join.agrees(page(ONE, TWO), page(THREE))
    assert not join.agrees(page(ONE, TWO), tearsheet.extract(f"<p>Log in</p>{TEXT}"))


def test_what_only_paper_has_before_the_text_is_left_out() -> None:
    printed = page("The Daily Harbour", "By Ann Lee, 4 March", ONE, TWO, THREE)
    assert texts(join.trim_print_page(page(ONE, TWO), printed)) == [ONE, TWO, THREE]


def test_what_only_paper_has_after_the_text_is_left_out() -> None:
    from_here = page(ONE, TWO).replace(url="https://www.harbour.example/boats")
    imprint = "Printed from www.harbour.example/boats on 4 March"
    printed = page(ONE, TWO, THREE, "The end is near the quay.", imprint)
    assert texts(join.trim_print_page(from_here, printed)) == [
        ONE,
        TWO,
        THREE,
        "The end is near the quay.",
    ]
