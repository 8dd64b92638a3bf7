"""The links of a page, as columns."""

from __future__ import annotations

from dataclasses import replace

from tearsheet.components._links import LARGE, read_links
from tearsheet.page.parsed import parse


def test_the_text_of_each_link_is_on_one_line() -> None:
    page = parse("<a href=1> Next\n <b>Page</b></a><p><a href=2><img></a><map><area></map>")
    links = read_links(page)
    assert links.lines == ["Next Page", "", ""]
    assert links.folded == ["next page", "", ""]
    assert [page.attribute(row, "href") for row in links.rows] == ["1", "2", None]


def test_a_page_without_links_has_empty_columns() -> None:
    assert not any(read_links(parse("<p>Text")))


def test_a_link_around_a_whole_card_has_no_label() -> None:
    card = "<b>word</b> " * LARGE
    assert read_links(parse(f"<a>{card}</a><a>Next</a>")).lines == ["", "Next"]


def test_a_text_made_by_a_script_may_have_any_character() -> None:
    page = parse("<a>One</a><a>Two</a>")
    page = replace(page, text=[text.replace("One", "O\0ne") for text in page.text])
    assert read_links(page).lines == ["One", "Two"]
