"""Links on paper are calm: few addresses, none of them twice, and all can be copied out."""

from __future__ import annotations

from dataclasses import replace

import pikepdf
import pytest
from tests.layout.stories import make_article
from tests.layout.test_formats import p
from tests.layout.test_pdf import needs_pdftotext, open_pdf, read_text

from tearsheet.addresses import drop_tracking
from tearsheet.article import Article
from tearsheet.clip import extract
from tearsheet.layout import _links
from tearsheet.types import Code, Heading, Options, Paragraph, Run

ADDRESS = "https://press.example/an/archive/of-letters/2019/index_of_all.html?volume=12&leaf=7"
CODE = """\
if ready:
    run("apt-get install --no-install-recommends python3-lxml", check=True)

    done = count_all_of_the_boats_in_the_harbour(winter=True, summer=False, and_autumn=True)"""


def make_linked(count: int, words: int = 60) -> Article:
    """So many paragraphs, each with a link to another page."""
    return make_article(
        *(
            Paragraph((Run("word " * words), Run("there", href=f"https://press.example/{i}")))
            for i in range(count)
        )
    )


@pytest.mark.parametrize(
    ("count", "words", "place"),
    [(3, 60, "footnotes"), (40, 200, "footnotes"), (60, 40, "end"), (300, 2, "none")],
)
def test_addresses_go_where_they_disturb_least(count: int, words: int, place: str) -> None:
    made = make_linked(count, words)
    assert _links.choose_place(made.blocks, made, 3000.0) == place


@needs_pdftotext
def test_many_addresses_are_a_numbered_list_at_the_end() -> None:
    text = read_text(make_linked(30, 20).to("pdf"), "-layout")
    assert text.count("https://press.example/29") == 1
    assert text.index("https://press.example/0") > text.rindex("there")


ENCODED = "https://ru.example/wiki/%D0%9D%D0%B5%D0%B2%D0%B0_(%D1%80%D0%B5%D0%BA%D0%B0)?a=%2F%20"


@needs_pdftotext
@pytest.mark.parametrize("place", ["footnotes", "end", "inline"])
def test_the_letters_of_an_address_can_be_read(place: str) -> None:
    made = make_article(Paragraph((Run("See "), Run("there", href=ENCODED), Run("."))))
    document = made.to("pdf", Options(links=place))  # type: ignore[arg-type]
    assert "https://ru.example/wiki/Нева_(река)?a=%2F%20" in read_text(document).replace("\n", "")
    with open_pdf(document) as opened:
        (link,) = {str(link["/A"]["/URI"]) for link in opened.pages[0]["/Annots"] if "/A" in link}
    assert link == ENCODED


@pytest.mark.parametrize("broken", ["%FF%FE", "%E2%80%AE", "%D8%A7", "%D0", "%CC%81", "%0A"])
def test_no_other_sign_of_an_address_is_decoded(broken: str) -> None:
    assert _links.decode(f"https://a.example/{broken}") == f"https://a.example/{broken}"


@needs_pdftotext
@pytest.mark.parametrize("place", ["footnotes", "end", "inline"])
def test_an_address_copied_out_is_the_address(place: str) -> None:
    made = make_article(Paragraph((Run("See "), Run("there", href=ADDRESS), Run("."))))
    text = read_text(made.to("pdf", Options(links=place, paper="a5")))  # type: ignore[arg-type]
    assert ADDRESS in text.replace("\n", "")


@needs_pdftotext
@pytest.mark.parametrize("paper", ["a4", "a5"])
def test_code_copied_out_is_the_code(paper: str) -> None:
    text = read_text(make_article(p("Run:"), Code(CODE)).to("pdf", Options(paper=paper)), "-layout")
    squeezed = "".join(text.split())
    for line in CODE.split("\n"):
        assert "".join(line.split()) in squeezed
        if len(line) < 50:
            assert line.strip() in text
    assert "\u200b" not in text


@needs_pdftotext
def test_a_long_line_of_code_becomes_smaller_before_it_wraps() -> None:
    line = "value = " + "x" * 80
    text = read_text(make_article(Code(f"short = 1\n{line}")).to("pdf"), "-layout")
    assert line in text


def test_a_link_within_the_page_leads_to_its_heading_and_shows_no_address() -> None:
    base = "https://press.example/story"
    made = make_article(
        Paragraph((Run("See "), Run("the harbour", href=f"{base}#The_harbour"), Run("."))),
        Heading((Run("The harbour"),), 2),
        p("Text."),
        canonical=base,
    )
    with open_pdf(made.to("pdf", Options(links="footnotes"))) as document:
        links = [a for page in document.pages for a in page.get("/Annots", pikepdf.Array())]
        targets = [link for link in links if "/URI" not in str(link.get("/A", ""))]
        outside = [str(link.A.URI) for link in links if "/A" in link and "/URI" in link.A]
    assert targets
    assert outside == [base]  # the line that says where the article came from


def test_tracking_parameters_are_taken_off_everywhere() -> None:
    html = (
        "<title>T</title><article><h1>T</h1>"
        + "<p>Some words that make a paragraph of an article, and more of them. " * 8
        + '<a href="https://a.example/b?id=7&amp;utm_source=x&amp;fbclid=y">a link</a>.</p>'
    )
    made = extract(html, url="https://press.example/s?utm_medium=feed&page=2")
    for form in ("html", "md", "json", "tei"):
        document = made.to(form).decode()
        assert "https://a.example/b?id=7" in document
        assert "fbclid" not in document
        assert "utm_source" not in document
    assert "utm_" not in made.to("html").decode()


@pytest.mark.parametrize(
    ("address", "clean"),
    [
        ("https://a.example/?utm_source=x", "https://a.example/"),
        ("https://a.example/?q=utm_source", "https://a.example/?q=utm_source"),
        ("https://a.example/?a=1&gclid=2&b=3#c", "https://a.example/?a=1&b=3#c"),
        (
            "https://a.example/?ref=master&source=print",
            "https://a.example/?ref=master&source=print",
        ),
        ("mailto:a@a.example?subject=x", "mailto:a@a.example?subject=x"),
    ],
)
def test_only_tracking_parameters_go(address: str, clean: str) -> None:
    assert drop_tracking(address) == clean


def test_no_links_means_plain_text() -> None:
    made = replace(Options(), links="none")
    with open_pdf(make_linked(2).to("pdf", made)) as document:
        assert "/Annots" not in document.pages[0]
