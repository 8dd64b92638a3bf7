"""Changed copies of labelled pages: labels stay with their texts, and nothing crosses a fold."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.datasets import fold_number
from tearsheet.learn import augment
from tearsheet.learn.examples import LabelledPage
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES

SENTENCE = "The ferry to the island leaves at noon and comes back before the evening, says number"


def make_page(name: str, page_type: str = "article", domain: str = "a.example") -> LabelledPage:
    """A page whose paragraphs are content, and nothing else of it."""
    text = "".join(f"<p>{SENTENCE} {name}{i}.</p>" for i in range(40))
    page = parse(
        "<html><head><title>The ferry</title></head><body><nav class='menu'><a href='/'>Home</a>"
        f"</nav><main id='m'><article class='story'>{text}</article></main>"
        "<footer>Imprint</footer></body></html>",
        f"https://{domain}/2020/ferry",
    )
    parts = segments(page, hidden=True)
    share = np.array([text.startswith(SENTENCE) for text in parts.text], dtype=np.float32)
    return LabelledPage(name, domain, page, parts, share, page_type)


def same_fold(domain: str) -> str:
    """Another domain of the same fold."""
    wanted = fold_number(domain)
    return next(d for i in range(99) if fold_number(d := f"f{i}.example") == wanted)


@pytest.fixture(scope="module")
def pages() -> list[LabelledPage]:
    forum = same_fold("a.example")
    return [
        *(make_page(f"n{i}x") for i in range(30)),
        make_page("post", "forum", forum),
    ]


@pytest.fixture(scope="module")
def copies(pages: list[LabelledPage]) -> list[LabelledPage]:
    return list(augment.make_copies(pages))


def test_each_text_keeps_its_label(copies: list[LabelledPage]) -> None:
    """Own sentences are content; menus, pasted posts, teasers and their headings are not."""
    for copy in copies[:30]:
        own = copy.name.partition("~")[0]
        for text, share in zip(copy.segments.text, copy.share.tolist()):
            assert share == pytest.approx(float(f" {own}" in text), abs=0.01), (copy.name, text)


def test_copies_are_of_all_lengths_and_some_have_comments(copies: list[LabelledPage]) -> None:
    lengths = [float((copy.segments.words * copy.share).sum()) for copy in copies[:30]]
    assert min(lengths) < 100 < 500 < max(lengths)
    assert all(length >= augment.SHORTEST for length in lengths)
    pasted = [any(" post" in text for text in copy.segments.text) for copy in copies[:30]]
    assert 5 < sum(pasted) < 25


def test_copies_are_of_all_eras(copies: list[LabelledPage]) -> None:
    tags = [set(copy.page.rows(CODES["article"])) != set() for copy in copies]
    names = [any("story" in attrs for attrs in copy.page.all_attrs) for copy in copies]
    tables = [bool(copy.page.rows(CODES["table"])) for copy in copies]
    for seen in (tags, names, tables):
        assert 2 < sum(seen) < len(copies) - 2
    assert 2 < sum(copy.page.url is None for copy in copies) < len(copies) - 2


def test_the_same_pages_give_the_same_copies(
    pages: list[LabelledPage], copies: list[LabelledPage]
) -> None:
    again = list(augment.make_copies(pages))
    assert [copy.segments.text for copy in again] == [copy.segments.text for copy in copies]
    other = list(augment.make_copies(pages, round_number=1))
    assert [copy.segments.text for copy in other] != [copy.segments.text for copy in copies]


def test_a_copy_stays_in_its_fold_and_takes_nothing_from_others(pages: list[LabelledPage]) -> None:
    elsewhere = next(
        d for i in range(99) if fold_number(d := f"g{i}.example") != fold_number("a.example")
    )
    alone = make_page("alone", domain=elsewhere)
    for round_number in range(5):
        *_, copy = augment.make_copies([*pages, alone], round_number)
        assert copy.domain == elsewhere
        assert not any(" post" in text or " n1x" in text for text in copy.segments.text)
