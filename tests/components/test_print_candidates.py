"""Addresses of print pages that only a check of their text can confirm."""

from __future__ import annotations

import pytest

from tearsheet.components._head import read_head
from tearsheet.components.print_candidates import find_print_candidates
from tearsheet.components.print_link import find_print_link
from tearsheet.page.parsed import parse

URL = "https://www.daily.example/news/boats-come-home-48213.html"
PRINT = "https://www.daily.example/print/48213"


def candidates(html: str) -> list[str]:
    return find_print_candidates(parse(f"<h1>Boats come home</h1>{html}<p>Text.", URL))


HIDDEN = [
    """<a href="#" onclick="window.open('/print/48213', 'w'); return false">Print</a>""",
    """<a href="javascript:openWindow('/print/48213')"><img src="/i/print.gif"></a>""",
    """<span onclick="location.href = '/print/48213'">Print this article</span>""",
    """<form action="/print/48213"><input type="submit" value="Print"></form>""",
    """<select><option>Tools</option><option value="/print/48213">Print</option></select>""",
    """<button data-print-url="/print/48213">Print</button>""",
]


@pytest.mark.parametrize("html", HIDDEN, ids=["onclick", "href", "span", "form", "option", "data"])
def test_a_hidden_address_is_a_candidate_and_never_the_print_link(html: str) -> None:
    assert candidates(html) == [PRINT]
    page = parse(html, URL)
    assert find_print_link(page, read_head(page)) == ("", "")


def test_the_fields_of_a_form_are_part_of_its_address() -> None:
    fields = '<input type="hidden" name="id" value="48213"><input type="submit" value="Print">'
    assert candidates(f'<form action="/p.php">{fields}</form>') == [
        "https://www.daily.example/p.php?id=48213"
    ]
    assert candidates(f'<form action="/p.php" method="post">{fields}</form>') == []


def test_the_print_link_comes_first() -> None:
    assert candidates(f'{HIDDEN[0].replace("48213", "77")}<a href="/48213/print">Print</a>')[0] == (
        "https://www.daily.example/48213/print"
    )


@pytest.mark.parametrize(
    "html",
    [
        """<a href="#" onclick="window.print()">Print</a>""",
        """<a href="#" onclick="window.open('/print.php?ref=')">Print</a>""",
        """<a href="#" onclick="window.open('https://other.example/print/48213')">Print</a>""",
        """<a href="#" onclick="load('/js/print-48213.js')">Print</a>""",
        """<a href="/tag/print">Print</a>""",
        """<select><option value="IN">In</option></select>""",
    ],
)
def test_what_is_not_worth_opening(html: str) -> None:
    assert candidates(html) == []


def test_few_are_opened() -> None:
    links = "".join(f'<a href="/print/48213?part={i}{i}{i}">Print</a>' for i in range(1, 9))
    assert len(candidates(links)) == 3
