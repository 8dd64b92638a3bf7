"""What an article holds is made when it is asked for, and nobody can tell but by the time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from tests.article.pages import URL

from tearsheet import extract
from tearsheet.store.archive import pack, unpack
from tearsheet.types import Article, Heading, Metadata, Paragraph, Run

PAGE = """<title>The harbour in winter - Press</title><meta name=author content="A. Lee">
<main><h1>The harbour in winter</h1><p>The ferries lie side by side, and nobody crosses today.</p>
<figure><img src=boats.jpg width=600 height=400><figcaption>Boats at noon.</figcaption></figure>
<p>In spring they will be painted again, each in the colour of its line.</p></main>"""
LATER = ("metadata", "images", "blocks", "plain")


def found() -> Article:
    return extract(PAGE, URL, method="density")


def is_made(article: Article, name: str) -> bool:
    slot: Any = vars(Article)[name]
    try:
        slot.__get__(article)
    except AttributeError:
        return False
    return True


def test_text_alone_needs_neither_pictures_nor_metadata_nor_blocks() -> None:
    article = found()
    assert article.text.startswith("The ferries lie")
    assert [name for name in LATER if is_made(article, name)] == ["plain"]


def test_what_was_made_is_kept() -> None:
    article = found()
    for name in LATER:
        assert getattr(article, name) is getattr(article, name)
        assert is_made(article, name)


@pytest.mark.parametrize("name", LATER)
def test_the_order_of_the_questions_does_not_matter(name: str) -> None:
    asked_first = found()
    getattr(asked_first, name)
    whole = found()
    assert [getattr(asked_first, f.name) for f in fields(Article) if f.name != "clippings"] == [
        getattr(whole, f.name) for f in fields(Article) if f.name != "clippings"
    ]


@pytest.mark.parametrize(
    "copied",
    [
        lambda article: pickle.loads(pickle.dumps(article)),
        copy.copy,
        copy.deepcopy,
        lambda article: article.but(pictures={}),
        lambda article: unpack(pack(article)),
    ],
    ids=["pickle", "copy", "deepcopy", "but", "pack"],
)
def test_a_copy_is_whole_and_says_the_same(copied: Callable[[Article], Article]) -> None:
    article = found()
    again = copied(article)
    assert again == article
    assert hash(again.blocks) == hash(article.blocks)
    assert again.text == article.text
    assert again.markdown == article.markdown
    assert all(is_made(again, name) for name in LATER)


def test_other_blocks_tell_another_text() -> None:
    article = found()
    before = article.text
    other = (Paragraph((Run("Something else."),)),)
    assert replace(article, blocks=other).text == article.but(blocks=other).text
    assert article.but(blocks=other).text == "Something else."
    assert article.text == before


def test_what_is_given_is_not_made() -> None:
    made = Article(Metadata("By hand"), (Heading((Run("Only this"),), 1),))
    assert (made.title, made.text, made.images) == ("By hand", "Only this", ())


def test_nothing_can_be_changed_before_or_after() -> None:
    article = found()
    for _ in range(2):
        for name in LATER:
            with pytest.raises(FrozenInstanceError):
                setattr(article, name, None)
        assert article.metadata.authors == ("A. Lee",)


def test_threads_that_ask_at_once_get_the_same() -> None:
    article = found()
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda i: getattr(article, LATER[i % 4]), range(64)))
    assert all(got[i] == got[i % 4] for i in range(64))


def test_an_unknown_attribute_is_an_error() -> None:
    for article in (found(), Article(Metadata(), ())):
        with pytest.raises(AttributeError, match="'Article' object has no attribute 'titel'"):
            article.titel  # type: ignore[attr-defined]  # noqa: B018
