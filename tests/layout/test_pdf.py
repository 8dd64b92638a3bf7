"""PDF: the text in order, tagged, with language, title and outline, on the paper asked for."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pikepdf
import pytest
import typst
from tests.layout.stories import LANGUAGES, gallery, make_article, story
from tests.layout.test_formats import EVERYTHING, p

from tearsheet.article import Article
from tearsheet.errors import RenderFailed
from tearsheet.layout import _fonts, pdf
from tearsheet.types import (
    Cell,
    Code,
    Footnotes,
    Heading,
    Math,
    Options,
    Paragraph,
    Run,
    Table,
)  # fmt: skip

SCRIPTS = {"ar": "fonts-noto-core", "zh": "fonts-noto-cjk"}
"""Languages that Typst's own fonts do not cover, and the packages that do."""
needs_pdftotext = pytest.mark.skipif(
    not shutil.which("pdftotext"), reason="pdftotext is not installed (Debian: poppler-utils)"
)


def require_fonts(language: str) -> None:
    """Skips a test where Typst has no font for the script of a language."""
    families = {str(family).casefold() for family in typst.Fonts().families()}
    wanted = [f if isinstance(f, str) else f["name"] for f in _fonts.serif(language)]
    own = [name for name in wanted if not name.startswith("Libertinus")]
    if language in SCRIPTS and not families.intersection(name.casefold() for name in own):
        pytest.skip(f"no font for {language}: {' or '.join(own)} (Debian: {SCRIPTS[language]})")


def open_pdf(document: bytes) -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(document))


def read_text(document: bytes, *options: str) -> str:
    ran = subprocess.run(
        ["pdftotext", "-enc", "UTF-8", *options, "-", "-"], input=document, capture_output=True,
        check=True, timeout=60,
    )  # fmt: skip
    return ran.stdout.decode()


def letters(text: str) -> str:
    """Letters and figures alone: hyphens, spaces and line ends fall away."""
    return re.sub(r"[\W_]", "", text)


@needs_pdftotext
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("options", [Options(), Options(paper="a5"), Options(columns=2)])
def test_text_copied_out_is_the_article_in_order(language: str, options: Options) -> None:
    """Apart from hyphenation, headers and notes, which are taken out of both here.

    In two columns it is the order in the file: pdftotext's own guess at columns mistakes tables.
    Arabic is set without vowels, whose boxes make pdftotext see lines where there are none.
    """
    require_fonts(language)
    made = story(language, vowels=False)
    chosen = replace(options, header=False, links="none", font_size=9)
    as_filed = options.columns > 1
    copied = read_text(made.to("pdf", chosen), *["-raw"] * as_filed)
    found = letters(logical_order(copied) if as_filed and language == "ar" else copied)
    at = 0
    for line in lines(made, tables=as_filed):
        place = found.find(letters(line), at)
        assert place >= 0, f"{line[:60]} is not behind {found[at - 40 : at]}"
        at = place


def lines(article: Article, *, tables: bool) -> Iterator[str]:
    """The lines that the document must have, in order."""
    for block in article.blocks:
        if isinstance(block, Paragraph):
            runs = (r for r in block.runs if "math" not in r.marks and not r.note)
            yield max((r.text for r in runs), key=len)
        elif isinstance(block, Table):
            cells = [cell for row in block.rows for cell in row if tables]
            yield from (make_article(*cell.blocks).text for cell in cells)
        elif not isinstance(block, Math | Footnotes):
            yield from re.sub(r"^\s*(?:-|\d+\.) ", "", make_article(block).text, flags=re.M).split(
                "\n"
            )


def logical_order(filed: str) -> str:
    """The letters of a file from left to right, in the order of reading: lines with Arabic begin on
    the right."""
    found: list[str] = []
    for line in filed.split("\n"):
        pieces = re.split("[\u202a-\u202e\u2066-\u2069 ]+", line)
        found += reversed(pieces) if re.search("[\u0600-\u06ff]", line) else pieces
    return "".join(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_document_is_tagged_and_says_what_it_is(language: str) -> None:
    require_fonts(language)
    made = story(language)
    with open_pdf(made.to("pdf")) as document:
        root = document.Root
        assert bool(root.MarkInfo.Marked)
        assert b"<pdfuaid:part>1</pdfuaid:part>" in root.Metadata.read_bytes()
        assert str(root.Lang).split("-")[0] == language
        assert str(document.docinfo["/Title"]) == made.title
        assert made.metadata.authors[0] in str(document.docinfo["/Author"])
        kinds = tags(root.StructTreeRoot)
        assert {"/H1", "/H2", "/P", "/Table", "/TH", "/TD", "/L", "/LI", "/Figure"} <= kinds
        with document.open_outline() as outline:
            assert outline.root[0].title == made.title
            assert len(outline.root[0].children) >= 1


@pytest.mark.parametrize("levels", [(3, 2), (3, 3, 2, 4), (2, 6, 4, 5), (4, 2, 4, 3)])
def test_a_page_that_skips_headings_is_a_document_for_all(levels: tuple[int, ...]) -> None:
    blocks = [b for n in levels for b in (Heading((Run(f"Part {n}"),), n), p("A line."))]
    with open_pdf(make_article(*blocks).to("pdf")) as document:
        assert b"<pdfuaid:part>1</pdfuaid:part>" in document.Root.Metadata.read_bytes()


def tags(node: Any) -> set[str]:
    """The kinds of structure in the tree."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, pikepdf.Array):
            waiting += list(item)
        elif isinstance(item, pikepdf.Dictionary):
            if "/S" in item:
                found.add(str(item.S))
            if "/K" in item:
                waiting.append(item.K)
    return found


@pytest.mark.parametrize(
    ("paper", "size"),
    [("a4", (595, 842)), ("letter", (612, 792)), ("a5", (420, 595)),
     ("140mm x 200mm", (396.9, 566.9))],
)  # fmt: skip
def test_paper_is_what_was_asked_for(paper: str, size: tuple[float, float]) -> None:
    with open_pdf(make_article(p("x")).to("pdf", Options(paper=paper))) as document:
        box = [float(v) for v in document.pages[0].MediaBox]
    assert box[2:] == pytest.approx(size, abs=1)


@needs_pdftotext
def test_links_are_footnotes_inline_or_nothing() -> None:
    made = make_article(
        Paragraph((Run("Go "), Run("there", href="https://press.example/path"), Run(".")))
    )
    notes, inline, none = (
        read_text(made.to("pdf", Options(links=how))) for how in ("footnotes", "inline", "none")
    )
    assert "https://press.example/path" in notes.replace("\u200b", "")
    assert "(https://press.example/path)" in inline.replace("\u200b", "").replace("\n", "")
    assert "press.example" not in none


@needs_pdftotext
def test_notes_stand_once_and_uncalled_ones_at_the_end() -> None:
    text = read_text(EVERYTHING.to("pdf"))
    assert text.count("the note") == 1
    assert text.count("uncalled") == 1


def test_a_wide_table_is_turned_at_the_end_and_its_place_says_where() -> None:
    row = tuple(Cell((p(f"heading-{i} longish"),), True) for i in range(16))
    cells = tuple(Cell((p("a value 12345"),)) for _ in range(16))
    made = make_article(p("before"), Table((row, *(cells for _ in range(5)))), p("after"))
    with open_pdf(made.to("pdf")) as document:
        boxes = [[float(v) for v in page.MediaBox] for page in document.pages]
    assert [box[2] > box[3] for box in boxes] == [False, True]


@needs_pdftotext
def test_nothing_runs_over_the_edge() -> None:
    """Long words, code and addresses break; each word's box lies within the page's margins."""
    long = "x" * 300
    url = "https://press.example/" + "segment/" * 60
    made = make_article(
        Heading((Run(long),), 2), p(long), p(url), Code("y = " + "1 + " * 80 + long),
        Table(((Cell((p(long),)), Cell((p("b"),))),)), Paragraph((Run("go", href=url),)),
    )  # fmt: skip
    for options in (Options(), Options(paper="a5", columns=2)):
        boxes = read_text(made.to("pdf", options), "-bbox")
        width = float(re.findall(r'<page width="([\d.]+)"', boxes)[0])
        edges = [float(x) for x in re.findall(r'xMax="([\d.]+)"', boxes)]
        assert max(edges) < width - 15


@needs_pdftotext
@pytest.mark.parametrize("word", ["MW", "ill", "馆"])
def test_the_running_head_is_one_line_as_wide_as_the_text(word: str) -> None:
    made = make_article(*[p("Two boats lie here. " * 60)] * 3, title=f"{word} " * 60)
    text = read_text(made.to("pdf", Options(paper="a6", margin="10mm")), "-bbox-layout", "-f", "2")
    head = re.findall(r"<line (.*?)>(.*?)</line>", text, re.DOTALL)[0]
    edge = float(re.findall(r'xMax="([\d.]+)"', head[0])[0])
    inner = float(re.findall(r'<page width="([\d.]+)"', text)[0]) - 28.3
    assert "…" in head[1]
    assert inner * 0.85 < edge < inner + 0.5


def test_many_pictures_all_fit_on_pages() -> None:
    with open_pdf(gallery(12).to("pdf", Options(paper="a5"))) as document:
        shown = sum(len(page.get_images()) for page in document.pages)
    assert shown == 12


@needs_pdftotext
def test_several_articles_make_one_document_with_contents() -> None:
    document = pdf.render_many([story("en"), story("ru")], Options())
    first = read_text(document, "-l", "1")
    assert "The Clock That Nobody Winds" in first
    assert "Часы, которых никто не заводит" in first


def test_a_rule_of_ones_own_is_used_and_a_wrong_one_is_a_clear_error() -> None:
    blue = make_article(p("x")).to("pdf", Options(style='#set page(fill: rgb("#0000ff"))'))
    assert blue != make_article(p("x")).to("pdf")
    with pytest.raises(RenderFailed, match="Typst could not set the document"):
        make_article(p("x")).to("pdf", Options(style="#nonsense("))


def test_without_the_qr_library_option_nothing_is_drawn() -> None:
    made = story("en")
    assert len(made.to("pdf", Options(qr=True))) > len(made.to("pdf"))


def test_a_formula_that_cannot_be_set_is_shown_as_tex() -> None:
    made = make_article(Math(r"\undefined{{{", ""), Math("x^2", "<math><mi>x</mi></math>"))
    assert made.to("pdf").startswith(b"%PDF-")


@pytest.mark.usefixtures("browser")
@needs_pdftotext
def test_chromium_prints_with_a_style_sheet_of_ones_own() -> None:
    made: Article = story("en")
    options = Options(pdf_engine="chromium", paper="a5", style="h1 { text-transform: uppercase }")
    document = made.to("pdf", options)
    assert "THE CLOCK THAT NOBODY WINDS" in " ".join(read_text(document).split())
    with open_pdf(document) as found:
        assert float(found.pages[0].MediaBox[2]) == pytest.approx(420, abs=1)
        assert bool(found.Root.MarkInfo.Marked)
