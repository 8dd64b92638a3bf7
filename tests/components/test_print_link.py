"""Print links: the papers' four forms and validity tests, the dictionary, and the traps."""

from __future__ import annotations

import pytest
from samples.generate import generate

from tearsheet.components import print_link
from tearsheet.components._head import read_head
from tearsheet.page.parsed import parse

URL = "https://www.daily.example/news/boats-come-home-48213.html"
PRINT = "/print/48213"


def find(html: str, url: str = URL) -> str:
    page = parse(f"<h1>Boats come home</h1>{html}<p>Text.", url)
    return print_link.find_print_link(page, read_head(page))[0].removeprefix(
        "https://www.daily.example"
    )


@pytest.mark.parametrize(
    ("html", "form"),
    [
        (f'<a href="{PRINT}">Print</a>', "text"),
        (f'<a href="{PRINT}"><img src="p.gif" alt="Print this article"></a>', "alt"),
        (f'<a href="{PRINT}" title="Print story"><img src="p.gif"></a>', "title"),
        (f'<a href="{PRINT}"><img src="p.gif"> Print</a>', "text"),
        (f'<a href="{PRINT}"><img src="p.gif"></a> Printer-friendly version', "text behind"),
        (f'<a href="{PRINT}" aria-label="Print"><svg></svg></a>', "aria-label"),
    ],
    ids=["form 1", "form 2, alt", "form 2, title", "form 3", "form 4", "aria-label"],
)
def test_the_forms_of_a_print_link(html: str, form: str) -> None:
    page = parse(html, URL)
    assert print_link.find_print_link(page, read_head(page)) == (
        f"https://www.daily.example{PRINT}",
        f"print phrase, {form}",
    )


@pytest.mark.parametrize(
    "href",
    ["#", "#print", "javascript:window.print()", "/print(48213)", "doPrint()"],
)
def test_addresses_with_the_papers_signs_are_no_addresses(href: str) -> None:
    assert find(f'<a href="{href}">Print</a>') == ""


def test_a_link_with_another_text_is_not_a_print_link_for_its_title() -> None:
    assert find(f'<a href="{PRINT}" title="Print">E-mail</a>') == ""


@pytest.mark.parametrize(
    "text", ["Sprint", "Printers", "Reprint", "Print run", "Imprint", "printemps"]
)
def test_only_whole_phrases_count(text: str) -> None:
    assert find(f'<a href="{PRINT}">{text}</a>') == ""


@pytest.mark.parametrize(
    "text",
    "Drucken|Imprimer|Imprimir|Stampa|Afdrukken|Skriv ut|Udskriv|Tulosta|Drukuj|Tisk|Nyomtatás|"
    "Печать|Друк|Εκτύπωση|Yazdır|طباعة|הדפסה|چاپ|प्रिंट|พิมพ์|Cetak|打印|印刷|인쇄".split("|"),
)
def test_the_dictionary_speaks_many_languages(text: str) -> None:
    assert find(f'<a href="{PRINT}">[ {text} ]</a>') == PRINT


@pytest.mark.parametrize(
    "href",
    [
        "/",
        URL,
        f"{URL}?share=print",
        "/login?next=/print/48213",
        "/subscribe?edition=print",
        "/tag/print/48213",
        "/reprints/48213",
        "/donate?from=print-48213",
        "/print.php",
        "https://www.other.example/print/48213",
        "https://printfriendly.example/print?url=" + URL,
    ],
)
def test_real_addresses_that_are_no_print_pages(href: str) -> None:
    assert find(f'<a href="{href}">Print</a>') == ""


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("/print.php?url=/story.php?id=48213", "/print.php?url=/story.php?id=48213"),
        ("/news/;art114,48213,PRINT", "/news/;art114,48213,PRINT"),
        ("/print view/48213", "/print%20view/48213"),
        ("/news/boats-come-home-48213/print/", "/news/boats-come-home-48213/print/"),
        ("?print=1", "/news/boats-come-home-48213.html?print=1"),
        ("https://print.daily.example/48213", "https://print.daily.example/48213"),
        ("https://print.daily-media.example/48213", "https://print.daily-media.example/48213"),
    ],
)
def test_addresses_that_are_hard_to_read(href: str, address: str) -> None:
    assert find(f'<a href="{href}">Print</a>') == address


def test_a_base_element_counts() -> None:
    assert find('<base href="/cms/"><a href="print/48213">Print</a>') == "/cms/print/48213"


def test_a_number_that_another_headline_leads_to_belongs_to_another_article() -> None:
    other = '<a href="/news/crabs-99321.html">Crabs are sold out by noon</a>'
    assert find(f'{other}<a href="/print/99321">Print</a>') == ""
    assert find('<a href="/print/99321">Print</a>') == "/print/99321"


def test_a_page_without_an_address_has_no_print_page() -> None:
    page = parse(f'<a href="{PRINT}">Print</a>')
    assert print_link.find_print_link(page, read_head(page)) == ("", "")


def test_no_trap_on_generated_pages_works() -> None:
    """Every form and trap occurs; a wrong address is never found."""
    wrong, right, true = [], 0, 0
    for made in generate(seed=11, count=120):
        page = parse(made.html, made.url)
        got = print_link.find_print_link(page, read_head(page))[0]
        wanted = made.truth["print_url"]
        true += bool(wanted)
        right += bool(wanted) and got == wanted
        wrong += [(made.truth["traps"], got)] if got and got != wanted else []
    assert wrong == []
    assert right >= 0.97 * true
