"""The first page of each kind of page."""

from __future__ import annotations

import pytest
from benchmarks.sheets import Line, find_faults, read_sheets
from tests.layout.stories import make_article

from tearsheet.article import Article
from tearsheet.layout._first_page import find_kind, list_facts
from tearsheet.types import Definitions, Heading, ListBlock, Options, Paragraph, Post, Run

WORDS = "Let it stand in a cool place until the tide has turned, and then look at it again. "


def paragraph(text: str = WORDS * 3) -> Paragraph:
    return Paragraph((Run(text.strip()),))


def listed(*lines: str, ordered: bool = False) -> ListBlock:
    return ListBlock(tuple((paragraph(line),) for line in lines), ordered)


def dish() -> Article:
    return make_article(
        paragraph(), Heading((Run("What you need"),), 2), listed("Two leeks", "Milk", "Flour"),
        Heading((Run("What you do"),), 2), listed(WORDS, WORDS * 2, ordered=True),
        Heading((Run("Later"),), 2), paragraph(),
        ingredients=("two leeks", "milk", "flour"), facts=(("Cooking", "40 min"),),
    )  # fmt: skip


def thread(kind: str) -> Article:
    first = Post((paragraph(),), "Ada", "2026-11-03T10:20", kind)
    others = (Post((paragraph(),), name, "2 hours ago", "answer") for name in ("Bo", "Cy"))
    return make_article(first, *others)


def test_ingredients_stand_beside_the_steps() -> None:
    lines = [line for sheet in read_sheets(dish().to("pdf")) for line in sheet.lines]
    milk, step, later = find(lines, "Milk"), find(lines, "Let it stand"), find(lines, "Later")
    step = next(line for line in lines if line.left > milk.right + 20 and "Let it" in line.text)
    assert abs(step.top - milk.top) < 60
    assert later.left < milk.left
    assert find(lines, "40 min").top < milk.top


def find(lines: list[Line], text: str) -> Line:
    return next(line for line in lines if text in line.text)


@pytest.mark.parametrize("options", [Options(), Options(columns=2), Options(paper="a6")])
@pytest.mark.parametrize("made", [dish(), thread("question"), thread("post")])
def test_first_pages_have_no_faults(made: Article, options: Options) -> None:
    report = find_faults(made.to("pdf", options), made, options)
    assert [str(fault) for fault in report.faults if fault.kind != "blank"] == []


def test_kinds_are_told_by_what_the_article_has() -> None:
    questions, posts = thread("question"), thread("post")
    assert [find_kind(made, made.blocks) for made in (dish(), questions, posts)] == [
        "recipe", "questions", "thread",
    ]  # fmt: skip
    assert list_facts(questions, questions.blocks, "questions") == (
        ("Answers", "2"), ("People", "3"),
    )  # fmt: skip


def test_a_long_manual_has_its_contents_on_the_first_page() -> None:
    parts = [
        block for i in range(8)
        for block in (Heading((Run(f"Chapter {i}"),), 2), *[paragraph(WORDS * 9)] * 3)
    ]  # fmt: skip
    made = make_article(*parts).replace(page_type={"documentation": 1.0})
    first, *_ = read_sheets(made.to("pdf"))
    assert all(any(f"Chapter {i}" in line.text for line in first.lines) for i in range(8))


def test_the_sign_of_an_item_never_stays_behind_alone() -> None:
    item = (Definitions((((Run("A term"),), (paragraph(WORDS),)),)),)
    made = make_article(*[paragraph(WORDS * 7)] * 6, ListBlock((item,) * 40))
    report = find_faults(made.to("pdf"), made, Options())
    assert report.count("stranded") == 0
