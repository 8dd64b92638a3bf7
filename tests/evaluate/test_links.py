"""The tables of print and next links: how addresses are compared, counted and split by site."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples.generate import generate

from tearsheet.datasets import Example
from tearsheet.evaluate import link_rules, links
from tearsheet.evaluate.link_labels import (
    LinkLabel,
    PageLinks,
    _make_page,
    label_of_set,
    plain_address,
)
from tearsheet.evaluate.links import Answer, LinkScore
from tearsheet.page.parsed import parse

URL = "https://www.daily.example/news/boats-48213.html"
PRINT = "https://www.daily.example/print/48213"


@pytest.mark.parametrize(
    "same",
    [
        "http://www.daily.example/print/48213",
        "https://WWW.daily.example:443/print/48213#top",
        "https://www.daily.example/prin%74/48213?",
    ],
)
def test_addresses_are_equal_but_for_what_does_not_matter(same: str) -> None:
    assert plain_address(same) == plain_address(PRINT)


def test_other_addresses_are_not_equal() -> None:
    assert plain_address(f"{PRINT}?a=1") != plain_address(PRINT)
    assert plain_address(f"{PRINT}/") != plain_address(PRINT)


def test_an_address_that_is_as_good_counts_as_equal() -> None:
    label = LinkLabel(PRINT, also=("https://www.daily.example/p?id=48213",))
    assert label.accepts("http://www.daily.example/p?id=48213")
    assert not label.accepts("")
    assert not LinkLabel(None).accepts(PRINT)


def test_a_wrong_answer_costs_precision_and_recall() -> None:
    score = LinkScore()
    for true, found in [(PRINT, PRINT), (PRINT, URL), (PRINT, ""), (None, URL), (None, "")]:
        score.add(Answer(LinkLabel(true), found))
    assert score.row("x") == "| x | 5 | 3 | 3 | 1 | 33.3 % | 33.3 % |"


def test_every_number_of_a_pager_is_right_where_the_set_names_no_next_page() -> None:
    pager = ("https://a.example/x?page=2", "https://a.example/x?page=3")
    label = label_of_set(Example("p", Path("p.html"), next_urls=(), pager_urls=pager))
    assert Answer(label, pager[0]).has_one
    assert not Answer(label, "").has_one
    assert Answer(label, "https://a.example/y").miss


def test_a_label_is_made_whole_and_gets_a_class() -> None:
    said = {
        "print": {"print_url": "/print/48213", "kind": "text", "trap": None},
        "next": {"next_url": None, "kind": "article", "trap": "rel=next is the next post"},
    }
    page = _make_page("news", Example("a", Path("a.html"), URL), said)
    assert page.print_page == LinkLabel(PRINT, (), "text", "has one: text")
    assert page.next_page == LinkLabel(None, (), "article", "next post or story")


def test_a_site_is_in_one_half_only() -> None:
    def half(url: str) -> str:
        return PageLinks("news", Example("a", Path("a.html"), url), None, None).part

    assert half("https://www.daily.example/1") == half("https://blog.daily.example/2")
    assert {half(f"https://site{i}.example/") for i in range(20)} == {"tune", "held"}


def test_the_rules_beside_ours_are_as_plain_as_they_say() -> None:
    page = parse(f'<a href="/x">Sprint</a><a href="{PRINT}">Print</a><a href=/2>Next »</a>', URL)
    assert link_rules.paper_print_rule(page, "") == PRINT
    assert link_rules.naive_print_rule(page, "") == "https://www.daily.example/x"
    assert link_rules.naive_next_rule(page, "") == "https://www.daily.example/2"


def test_a_page_with_all_pages_of_the_article_is_no_wrong_print_page() -> None:
    """Pages that have such a link and no print page."""
    made = [
        page
        for page in generate(seed=links.SEED, count=100)
        if "next:view_all_beside" in page.truth["traps"] and page.truth["print_url"] is None
    ]
    printed, _ = links._clip_rows(made)
    assert "| 0 | 0 | 0 |" in printed
