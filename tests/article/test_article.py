"""An article computes its parts when they are asked for, and nobody can tell but by the time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import pytest
from tests.article.pages import URL

from tearsheet import Options, clip, extract
from tearsheet.article import Article, assemble
from tearsheet.clip import judge
from tearsheet.deadline import Deadline
from tearsheet.errors import LimitExceeded
from tearsheet.page.parsed import parse
from tearsheet.store.archive import pack, unpack
from tearsheet.types import Heading, Metadata, Paragraph, Run

PAGE = """<title>The harbour in winter - Press</title><meta name=author content="A. Lee">
<main><h1>The harbour in winter</h1><p>The ferries lie side by side, and nobody crosses today.</p>
<figure><img src=boats.jpg width=600 height=400><figcaption>Boats at noon.</figcaption></figure>
<p>In spring they will be painted again, each in the colour of its line.</p></main>"""
PARTS = ("metadata", "images", "blocks", "text")
EVERYTHING = (
    *PARTS, "url", "page_urls", "confidence", "reasons", "page_type", "method", "pictures",
)  # fmt: skip


def clip_page() -> Article:
    """A page of which nothing has been computed yet."""
    return extract(PAGE, URL, method="density")


def is_computed(article: Article, name: str) -> bool:
    return name in vars(article)


def test_text_alone_needs_neither_pictures_nor_metadata_nor_blocks() -> None:
    article = clip_page()
    assert article.text.startswith("The ferries lie")
    assert [name for name in PARTS if is_computed(article, name)] == ["text"]


def test_a_part_is_computed_once() -> None:
    article = clip_page()
    for name in PARTS:
        assert getattr(article, name) is getattr(article, name)
        assert is_computed(article, name)


@pytest.mark.parametrize("name", PARTS)
def test_the_order_of_the_questions_does_not_matter(name: str) -> None:
    asked_first = clip_page()
    getattr(asked_first, name)
    whole = clip_page()
    for field in EVERYTHING:
        assert getattr(asked_first, field) == getattr(whole, field)


@pytest.mark.parametrize(
    "copied",
    [
        lambda article: pickle.loads(pickle.dumps(article)),
        copy.copy,
        copy.deepcopy,
        lambda article: article.replace(pictures={}),
        lambda article: unpack(pack(article)),
    ],
    ids=["pickle", "copy", "deepcopy", "replace", "pack"],
)
def test_a_copy_is_whole_and_says_the_same(copied: Callable[[Article], Article]) -> None:
    article = clip_page()
    again = copied(article)
    assert all(is_computed(again, name) for name in ("metadata", "images", "blocks"))
    assert again == article
    assert repr(again) == repr(article)
    assert hash(again.blocks) == hash(article.blocks)
    assert again.text == article.text
    assert again.markdown == article.markdown


def test_other_blocks_say_another_text() -> None:
    article = clip_page()
    before = article.text
    other = article.replace(blocks=(Paragraph((Run("Something else."),)),))
    assert other.text == "Something else."
    assert other.replace(url="https://a.example/").text == "Something else."
    assert article.text == before
    assert other != article


def test_only_what_an_article_has_can_be_replaced() -> None:
    with pytest.raises(TypeError, match="an article has no titel"):
        clip_page().replace(titel="Boats")


def test_what_is_given_is_not_computed() -> None:
    made = Article(Metadata("By hand"), (Heading((Run("Only this"),), 1),))
    assert (made.title, made.text, made.images) == ("By hand", "Only this", ())


def test_an_article_of_nothing_is_empty() -> None:
    assert (Article().metadata, Article().blocks, Article().images) == (Metadata(), (), ())
    assert Article().text == ""
    assert Article() == Article(Metadata(), ())


def test_nothing_can_be_changed_before_or_after() -> None:
    article = clip_page()
    for _ in range(2):
        for name in EVERYTHING:
            with pytest.raises(FrozenInstanceError):
                setattr(article, name, None)
            with pytest.raises(FrozenInstanceError):
                delattr(article, name)
        assert article.metadata.authors == ("A. Lee",)


def test_threads_that_ask_at_once_get_the_same() -> None:
    article = clip_page()
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda i: getattr(article, PARTS[i % 4]), range(64)))
    assert all(got[i] == got[i % 4] for i in range(64))


def test_an_unknown_attribute_is_an_error() -> None:
    for article in (clip_page(), Article(Metadata(), ())):
        with pytest.raises(AttributeError, match="'Article' object has no attribute 'titel'"):
            article.titel  # type: ignore[attr-defined]  # noqa: B018


def test_clip_gives_an_article_that_has_nothing_left_to_compute_for_the_picture_fetcher() -> None:
    article = clip(PAGE.encode(), URL, method="density", render="never")
    assert all(is_computed(article, name) for name in ("metadata", "images", "blocks"))


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_not_computed_when_the_time_is_over(name: str) -> None:
    clipping = judge(parse(PAGE, URL), "density", Options())
    late = assemble(clipping, deadline=Deadline(0.0))
    with pytest.raises(LimitExceeded, match="took longer than 0 s"):
        getattr(late, name)
    assert not is_computed(late, name)


def test_the_parts_share_the_time_of_their_page() -> None:
    """Each spends a part of it, whichever thread asks. (The metadata of a page that declares no
    picture finds the images, too.)"""
    declared = '<meta property="og:image" content="/ferry.jpg">'
    clipping = judge(parse(declared + PAGE, URL), "density", Options())
    deadline = Deadline(30.0)
    article = assemble(clipping, deadline=deadline)
    spent = [deadline.spent]
    with ThreadPoolExecutor(1) as pool:
        for name in PARTS:
            pool.submit(getattr, article, name).result()
            spent.append(deadline.spent)
    assert spent[0] == 0.0
    assert sorted(set(spent)) == spent


def test_a_stage_that_takes_too_long_is_the_last() -> None:
    deadline = Deadline(1e-9)
    with pytest.raises(LimitExceeded):
        deadline.run(sum, range(100_000))
    with pytest.raises(LimitExceeded):
        deadline.run(lambda: pytest.fail("the time is over"))


def test_a_stage_that_fails_says_why_itself() -> None:
    with pytest.raises(ZeroDivisionError):
        Deadline(1e-9).run(lambda: 1 / 0)
