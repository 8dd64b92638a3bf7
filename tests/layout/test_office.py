"""DOCX and ODT: what a word processor needs to know is there as such, not only as looks."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from docx import Document
from lxml import etree
from PIL import Image as Picture
from tests.layout.stories import LANGUAGES, PHOTO, make_article, story
from tests.layout.test_formats import EVERYTHING, p
from tests.layout.test_pdf import letters, needs_pdftotext, read_text

from tearsheet.layout import docx, odt
from tearsheet.layout._looks import LOOKS
from tearsheet.types import (
    Block,
    Cell,
    Figure,
    Heading,
    Image,
    ListBlock,
    Options,
    Paragraph,
    Resource,
    Run,
    Table,
)

FORMS = ("docx", "odt")


def read_part(document: bytes, name: str) -> etree._Element:
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        return etree.fromstring(archive.read(name))


def body(document: bytes, form: str) -> etree._Element:
    return read_part(document, "word/document.xml" if form == "docx" else "content.xml")


def all_text(tree: etree._Element) -> str:
    return "".join(str(text) for text in tree.itertext())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_article_is_there(form: str, language: str) -> None:
    made = story(language)
    found = letters(all_text(body(made.to(form), form)))
    for block in made.blocks:
        if isinstance(block, Paragraph):
            runs = [r for r in block.runs if not r.note]
            assert all(letters(run.text) in found for run in runs)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_article_gives_the_same_bytes(form: str) -> None:
    assert story("en").to(form) == story("en").to(form)


def test_docx_has_headings_lists_tables_links_and_descriptions() -> None:
    document = story("en").to("docx")
    tree = body(document, "docx")
    xml = etree.tostring(tree, encoding="unicode")
    assert 'w:val="Heading1"' in xml
    assert "<w:numPr>" in xml
    assert "<w:tblHeader/>" in xml
    assert 'descr="A calm sea"' in xml
    assert "<w:hyperlink" in xml
    meta = all_text(read_part(document, "docProps/core.xml"))
    assert "The Clock That Nobody Winds" in meta
    assert "Ada Marsh" in meta


def test_odt_has_headings_lists_tables_links_and_descriptions() -> None:
    document = story("en").to("odt")
    xml = etree.tostring(body(document, "odt"), encoding="unicode")
    for tag in ("<text:h", "<text:list", "<table:table-header-rows>", "<draw:image", "<text:a"):
        assert tag in xml
    assert "<svg:title>A calm sea</svg:title>" in xml
    assert "The Clock That Nobody Winds" in all_text(read_part(document, "meta.xml"))


def odt_look(styles: etree._Element, name: str) -> dict[str, str]:
    """The attributes of a style's paragraphs and text, without their namespaces."""
    space = {"style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0"}
    parts = styles.findall(f".//style:style[@style:name='Tearsheet_{name}']/*", space)
    return {
        str(key).partition("}")[2]: str(value)
        for part in parts
        for key, value in part.attrib.items()
        if "xsl-fo" in str(key)
    }


def test_docx_and_odt_look_alike() -> None:
    """Size, distance and colour of every style; Word rounds sizes to half points."""
    word = Document(io.BytesIO(story("en").to("docx"))).styles
    styles = read_part(story("en").to("odt"), "styles.xml")
    for name, look in LOOKS.items():
        known, given = word[f"Tearsheet {name}"], odt_look(styles, name)
        if look.size != 1:
            size = float(given["font-size"].removesuffix("pt"))
            assert size == pytest.approx(known.font.size.pt, abs=0.26)
        if look.below is not None:
            assert given["margin-bottom"] == f"{known.paragraph_format.space_after.pt:g}pt"
        assert given.get("color", "#None")[1:].upper() == str(known.font.color.rgb).upper()


@pytest.mark.parametrize("form", FORMS)
def test_each_ordered_list_begins_with_its_own_number(form: str) -> None:
    lists = [ListBlock(((p("a"),), (p("b"),)), ordered=True, start=n) for n in (1, 7)]
    made = make_article(lists[0], p("between"), lists[1]).to(form)
    if form == "docx":
        numbering = etree.tostring(read_part(made, "word/numbering.xml"), encoding="unicode")
        assert '<w:startOverride w:val="7"/>' in numbering
    else:
        xml = etree.tostring(body(made, form), encoding="unicode")
        assert 'text:start-value="7"' in xml
        assert 'text:start-value="8"' in xml


@pytest.mark.parametrize("form", FORMS)
def test_links_within_the_page_lead_to_places_in_the_document(form: str) -> None:
    base = "https://press.example/story"
    made = make_article(
        Paragraph((Run("See "), Run("it", href=f"{base}#the-harbour"), Run("."))),
        Heading((Run("The harbour"),), 2),
        p("Text."),
        canonical=base,
    )
    xml = etree.tostring(body(made.to(form), form), encoding="unicode")
    assert 'w:anchor="a0_h1"' in xml or 'xlink:href="#a0-h1"' in xml
    assert 'w:name="a0_h1"' in xml or 'text:name="a0-h1"' in xml


@pytest.mark.parametrize("form", FORMS)
def test_several_articles_make_one_document(form: str) -> None:
    module = {"docx": docx, "odt": odt}[form]
    text = all_text(body(module.render_many([story("en"), story("ru")], Options()), form))
    assert "The Clock That Nobody Winds" in text
    assert "Часы, которых никто не заводит" in text


@pytest.mark.parametrize("form", FORMS)
def test_text_after_very_deep_lists_stands_where_it_stood_before_them(form: str) -> None:
    """Word processors have six levels; deeper lists are set at the last one."""
    nested: Block = p("innermost")
    for _ in range(10):
        nested = ListBlock(((nested,),))
    xml = etree.tostring(body(make_article(nested, p("after")).to(form), form), encoding="unicode")
    last = re.findall(r"<(?:w|text):p[ >](?:(?!<(?:w|text):p[ >]).)*", xml, re.DOTALL)[-1]
    assert "after" in last
    assert "<w:ind" not in last
    assert "text:list" not in last.split("after")[1]


def _encode(kind: str) -> bytes:
    out = io.BytesIO()
    Picture.new("RGB", (60, 40), "teal").save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "picture",
    [_encode("WEBP"), _encode("BMP"), _encode("JPEG")[:2] + _encode("JPEG")[20:],
     _encode("PNG")[:-16]],
    ids=["webp", "bmp", "JPEG without its first header", "PNG that is cut off"],
)  # fmt: skip
def test_any_bitmap_that_we_show_is_a_picture_of_the_document(form: str, picture: bytes) -> None:
    """As a kind that word processors know; one that another library cannot read ends nothing."""
    article = make_article(p("Text."), Figure((Image(PHOTO, alt="A sea"),)))
    saved = article.replace(pictures={PHOTO: Resource(PHOTO, "image/webp", picture)})
    with zipfile.ZipFile(io.BytesIO(saved.to(form))) as archive:
        names = [name for name in archive.namelist() if "media/" in name or "Pictures/" in name]
        pictures = [archive.read(name) for name in names]
    assert len(pictures) == 1
    assert pictures[0].startswith((b"\xff\xd8", b"\x89PNG"))


def test_cells_that_span_others_are_merged_in_docx() -> None:
    table = Table((
        (Cell((p("wide"),), colspan=2), Cell((p("high"),), rowspan=2)),
        (Cell((p("left"),)), Cell((p("right"),))),
    ))  # fmt: skip
    opened = Document(io.BytesIO(make_article(table).to("docx")))
    rows = [[cell.text for cell in row.cells] for row in opened.tables[0].rows]
    assert rows == [["wide", "wide", "high"], ["left", "right", "high"]]


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
@needs_pdftotext
@pytest.mark.parametrize("form", FORMS)
def test_a_word_processor_opens_it(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"all.{form}"
    path.write_bytes(EVERYTHING.to(form))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", tmp_path, path],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    text = read_text(path.with_suffix(".pdf").read_bytes())
    for word in ("First", "weight", "inner", "explained", "Careful", "uncalled"):
        assert word in text
