"""Print links: the papers' four forms and validity tests, the dictionary, and the traps."""

from __future__ import annotations

import pytest
from samples.generate import generate

from tearsheet.components import print_link
from tearsheet.components._head import read_head
from tearsheet.components._print_words import is_print_phrase
from tearsheet.languages import read_languages
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


# --- the address does not look like this article


@pytest.mark.parametrize(
    ("url", "href"),
    [
        (URL, "/print/0,,5206003-116640,00.html"),
        ("https://www.daily.example/lentil-pie/", "/wprm_print/recipe/52621"),
        ("https://www.daily.example/union", "/index.php?id=319&pop=1"),
        ("https://www.daily.example/wiki/Mozilla", "/w/index.php?title=Mozilla&printable=yes"),
        ("https://www.daily.example/a.php?id=94_0_C", "/printarticle.php?id=94_0_C"),
        ("https://www.daily.example/a.php?id=7", "/print.php?id=7"),
        ("https://www.daily.example/s/031020-2.htm", "/s/031020-3.htm"),
    ],
    ids=["another number", "plug-in", "pop-up", "wiki title", "short id", "digit", "neighbour"],
)
def test_a_clear_phrase_and_an_address_of_its_own_kind_are_enough(url: str, href: str) -> None:
    assert find(f'<a href="{href}">Printer-friendly version</a>', url) == href


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("/article-12.htm", "/showarticle.cfm?id=12&pv=1"),
        ("/sourdough-bread-recipe/", "/recipe_print/beginners-sourdough-bread"),
    ],
    ids=["a short number", "half of the name"],
)
def test_the_only_print_link_may_resemble_the_page_s_address(url: str, href: str) -> None:
    assert find(f'<a href="{href}">Print</a>', f"https://www.daily.example{url}") == href


def test_a_link_without_any_label_counts_if_a_part_of_its_address_says_print() -> None:
    area = '<map><area href="{}" coords="0,0,9,9"></map>'
    assert find(area.format("/print/news/48213")) == "/print/news/48213"
    assert find(area.format("/printmail/48213")) == ""
    assert find(area.format("/news/48213/how-to-print-a-house")) == ""


def test_tools_with_the_same_number_do_not_make_it_anothers() -> None:
    tools = '<a href="/send/99321">Send it to a friend</a>'
    assert find(f'{tools}<a href="/print/99321">Print</a>') == "/print/99321"


def test_a_number_of_the_page_s_other_address_counts() -> None:
    short = '<link rel="shortlink" href="/?p=99321">'
    two = '<a href="/print/99321">Print</a> <a href="/print/77777">Print</a>'
    assert find(short + two) == "/print/99321"


@pytest.mark.parametrize(
    "url", ["https://www.daily.example/", "https://www.daily.example/index.php"]
)
def test_a_front_page_has_no_print_page_of_another_number(url: str) -> None:
    assert find('<a href="/print/99321">Print</a>', url) == ""


# --- phrases


@pytest.mark.parametrize(
    "text",
    "Printer-friendly format|Show printable version|Click here to format this story for printing|"
    "Version zum Drucken|Druck-Version|Druckerfreundliche Ansicht|Printvriendelijke weergave|"
    "Afdrukbare versie|Versão para impressão desta página|Imprimer l’article|Tulostettava versio|"
    "この記事を印刷する|기사 인쇄하기|打印本页面|友善列印|พิมพ์หน้านี้|Версия для печати|"
    "Spausdinti straipsnį|printPrint article|Skriv ut siden|In bài viết này|Imprimeix".split("|"),
)
def test_a_print_word_and_words_beside_it_are_a_phrase(text: str) -> None:
    assert is_print_phrase(text)


@pytest.mark.parametrize(
    "text",
    "Fine print|Print edition|Print screen|Photo prints|Print & web|Print ads|Print shop|Printers|"
    "Printer|Drucker|Imprimante|Hochdruck|Eindruck|Unter Druck|Rassegna stampa|Impression share|"
    "Print this book|Print entire section|Printing tips|Instructions for printing this page|"
    "Print subscription|Reprints|Nachdruck|Fit to print review|this page".split("|"),
)
def test_other_words_beside_it_are_none(text: str) -> None:
    assert not is_print_phrase(text)


@pytest.mark.parametrize(
    "text", "Text only|Text-only version|Nur Text|Version texte|Solo testo|Low graphics".split("|")
)
def test_a_version_of_text_only_is_no_print_page(text: str) -> None:
    assert find(f'<a href="/text/48213">{text}</a>') == ""


def test_at_least_25_languages_have_words_of_their_own() -> None:
    assert sum("print_word" in parts for parts in read_languages().values()) >= 25


def test_the_title_of_a_drawing_is_no_text_of_the_link() -> None:
    assert find(f'<a href="{PRINT}"><svg><title>Fill 202</title></svg> Print</a>') == PRINT
    assert find(f'<a href="{PRINT}"><svg><title>Print</title></svg></a>') == PRINT


def test_white_space_does_not_make_a_phrase_long() -> None:
    assert find(f'<a href="{PRINT}">{" " * 200}<span>Print</span>{" " * 200}</a>') == PRINT


# --- words of addresses that are never print pages


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("/news/google-search-returns", "/news/google-search-returns/print"),
        ("/a/48213", "/print/48213?category=7&user=0"),
        ("/a/48213", "/print/48213/why-the-store-on-main-street-closed"),
        ("/store/48213", "/store/48213/print"),
    ],
    ids=["own words", "names of parameters", "a title", "own section"],
)
def test_words_of_tools_count_only_in_short_names_of_the_path(url: str, href: str) -> None:
    assert find(f'<a href="{href}">Print</a>', f"https://www.daily.example{url}") == href


@pytest.mark.parametrize(
    "href", ["/print-subscription/48213", "/index.php?page=login&id=48213", "/48213/print.pdf"]
)
def test_words_of_tools_and_files_are_refused(href: str) -> None:
    assert find(f'<a href="{href}">Print</a>') == ""


# --- icons


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/x?pv=y&n=48213"><img src="/i/btn_print_0.gif"></a>',
        '<a href="/x?n=48213" class="lnkPrintPage"></a>',
        '<a href="/x?n=48213"><i class="fa fa-print"></i></a>',
        '<a href="/x?n=48213"><img src="/i/printer.png" alt="Button: 16 x 16"></a>',
    ],
)
def test_an_icon_without_a_label_is_enough_if_the_address_is_the_article_s(html: str) -> None:
    assert find(html).startswith("/x?")
    assert find(html.replace("48213", "99321")) == ""


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/x?n=48213" class="no-print"></a>',
        '<a href="/x?n=48213" class="d-print-none"></a>',
        '<a href="/x?n=48213" class="print-mail"><img src="/i/letter.gif"></a>',
        '<a href="/x?n=48213"><img src="/i/pawprint.gif"></a>',
        '<a href="/x?n=48213"><img src="/i/x.gif" alt="The 3D printer is here"></a>',
    ],
)
def test_other_icons_are_none(html: str) -> None:
    assert find(html) == ""


# --- the page's own address inside, other domains, several print links


def test_the_page_s_own_address_may_stand_inside() -> None:
    href = f"/cgi-bin/printthis.pl?url={URL}"
    assert find(f'<a href="{href}">Print</a>') == href


def test_the_publisher_s_other_domain_may_have_the_same_long_number() -> None:
    url, other = "https://www.daily.example/a-4821377", "https://www.printed.example/print/4821377"
    assert find(f'<a href="{other}">Print</a>', url) == other
    assert find(f'<a href="{other[:-1]}">Print</a>', url) == ""


def test_a_print_link_for_each_entry_is_none_for_the_page() -> None:
    entries = "".join(f'<a href="/news/{n}/print">Print</a>' for n in (701, 702, 703))
    assert find(entries, "https://www.daily.example/news/") == ""
    assert find(entries) == ""
    posts = "".join(f'<a href="/print_post?node={n}">Print post</a>' for n in (48213, 702, 703))
    assert find(posts) == ""


def test_the_page_s_own_print_link_stands_out_among_those_of_entries() -> None:
    entries = "".join(f'<a href="/x?node={n}&as=print">print</a>' for n in (701, 702, 703))
    own = '<a href="/x?node=333&as=print">printable version</a>'
    assert find(entries + own, "https://www.daily.example/x?title=union") == "/x?node=333&as=print"


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
