"""Everything that a page brings in is inert in every format."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from lxml import etree
from PIL import Image as Picture
from tests.article.pages import article
from tests.layout.stories import make_article, photo, with_pictures

from tearsheet import pictures, plugins
from tearsheet.layout import pdf
from tearsheet.picture_files import PictureRefused, rewrite_picture
from tearsheet.types import (
    Callout,
    Cell,
    Code,
    Embed,
    Figure,
    Heading,
    Image,
    Math,
    Options,
    Paragraph,
    Post,
    Quote,
    Resource,
    Run,
    Runs,
    Table,
)  # fmt: skip

EVIL = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><script>1</script>",
    "]]><x>", "#import \"/etc/passwd\"", "#eval(\"1\")", "$ #sys.version $",
    "](javascript:alert(1))",
    "</code></pre><script>1</script>", "--><script>1</script>", "\x00\x0b\ud800￿", "{{7*7}} ${1}",
    "&lt;b&gt; &amp;", "\\\"; #panic()", "---\nx: y", "```\n<script>1</script>", "*/ } body { x }",
)  # fmt: skip
ADDRESSES = (
    "javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,<script>1</script>",
    "file:///etc/passwd", "vbscript:x", 'https://x.example/"onclick="alert(1)',
    "https://x.example/)<script>",
)  # fmt: skip


def runs(text: str, href: str | None = None) -> Runs:
    return (Run(text, frozenset({"strong", "code"}), href), Run(text, href=href))


def hostile_blocks(text: str) -> tuple[object, ...]:
    paragraphs = [Paragraph(runs(text, address)) for address in ADDRESSES]
    images = [Figure((Image(a, alt=text, caption=text, credit=text),)) for a in ADDRESSES]
    return (
        Heading(runs(text), 2), *paragraphs, *images, Code(text, text), Math(text, ""),
        Paragraph((Run(text, frozenset({"math"})),)), Quote(tuple(paragraphs), ADDRESSES[0]),
        Callout(tuple(paragraphs), text, runs(text, ADDRESSES[0])),
        Post(tuple(paragraphs), text, text, text, 9),
        *(Embed(a, text, text) for a in ADDRESSES), Table(((Cell((*paragraphs,)),),), runs(text)),
    )  # fmt: skip


@pytest.mark.parametrize("text", EVIL)
@pytest.mark.parametrize("form", ["html", "epub", "tei", "docx", "odt"])
def test_markup_formats_hold_no_script_handler_or_address_that_acts(form: str, text: str) -> None:
    made = make_article(
        *hostile_blocks(text),
        title=text,
        authors=(text,),
        site=text,
        description=text,
        tags=(text,),
    )
    document = made.to(form)
    if form in ("epub", "docx", "odt"):
        with zipfile.ZipFile(io.BytesIO(document)) as book:
            pages = [
                book.read(n)
                for n in book.namelist()
                if n.endswith((".xhtml", ".opf", ".svg", ".ncx", ".xml", ".rels"))
            ]
        trees = [etree.fromstring(page) for page in pages if page]  # odfdo leaves one empty
    elif form == "tei":
        trees = [etree.fromstring(document)]
    else:
        trees = [etree.fromstring(document, etree.HTMLParser()), _parse_fragment(made.html)]
    for tree in trees:
        _assert_inert(tree)


def _parse_fragment(html: str) -> etree._Element:
    return etree.fromstring(f"<div>{html}</div>", etree.HTMLParser())


def _assert_inert(tree: etree._Element) -> None:
    for node in tree.iter():
        if not isinstance(node.tag, str):
            continue
        name = etree.QName(node).localname.lower()
        assert name not in ("script", "iframe", "object", "embed", "form", "foreignobject"), name
        for key, value in ((str(k), str(v)) for k, v in node.attrib.items()):
            assert not key.lower().startswith("on"), key
            if key.rpartition("}")[2] in ("href", "src", "target", "url", "cite", "source"):
                acting = re.match(r"\s*(javascript|vbscript|file|data:text)", value, re.IGNORECASE)
                assert not acting, value


SCHEMES = {"http", "https", "mailto", "tel", "ftp"}
OTHERS = (*ADDRESSES, "blob:https://x.example/1", "intent://x", "ms-word:x", "view-source:x", "x:y")


@pytest.mark.parametrize("form", ["html", "epub"])
def test_links_of_documents_have_schemes_that_run_nothing(form: str) -> None:
    allowed = [f"{scheme}://a.example" for scheme in sorted(SCHEMES)]
    made = make_article(*(Paragraph(runs("words", one)) for one in (*OTHERS, *allowed, "#place")))
    document = made.to(form)
    if form == "epub":
        with zipfile.ZipFile(io.BytesIO(document)) as book:
            document = b"".join(book.read(n) for n in book.namelist() if n.endswith(".xhtml"))
    links = re.findall(r'<a\b[^>]* href="([^"]*)"', document.decode())
    schemes = {link.partition(":")[0] for link in links if re.match(r"[a-z][a-z0-9+.-]*:", link)}
    assert schemes == SCHEMES


@pytest.mark.parametrize("text", EVIL)
def test_markdown_read_again_holds_no_html_that_acts(text: str) -> None:
    from markdown_it import MarkdownIt

    source = (
        make_article(*hostile_blocks(text), title=text)
        .to("md", Options(front_matter=True))
        .decode()
    )
    rendered = MarkdownIt("commonmark").render(source.partition("\n---\n\n")[2])
    _assert_inert(_parse_fragment(rendered))


@pytest.mark.parametrize("text", EVIL)
def test_pdf_sets_code_of_others_as_text(text: str) -> None:
    made = make_article(*hostile_blocks(text), title=text, authors=(text,), site=text)
    assert made.to("pdf").startswith(b"%PDF-")


def test_an_article_of_evil_html_is_plain_text_in_every_format() -> None:
    made = article(
        "<p onclick=x>Fine <a href=' java\nscript:alert(1)'>words</a><svg onload=alert(1)><script>"
        "alert(1)</script></svg><math href=javascript:x><mtext><script>1</script></mtext></math>"
        '<p style="background:url(javascript:x)">more<p><a href="https://ok.example/">ok</a>',
        title="T",
    )
    for form in plugins.names("layout"):
        document = made.to(form)
        assert b"alert(1)" not in document
        assert b"avascript:" not in document.replace(b"\n", b"")


def _encode_picture(form: str, size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Picture.new("RGB", size, "red").save(out, form)
    return out.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_pictures_of_every_kind_are_written_anew(form: str) -> None:
    made = rewrite_picture(Resource("u", "image/whatever", _encode_picture(form)))
    assert made.media_type in ("image/png", "image/jpeg")
    with Picture.open(io.BytesIO(made.body)) as picture:
        assert picture.size == (40, 30)


def _make_huge_picture() -> bytes:
    """A PNG that says it has ten thousand million pixels."""
    body = bytearray(_encode_picture("PNG"))
    body[16:24] = (100_000).to_bytes(4, "big") * 2
    return bytes(body)


@pytest.mark.parametrize(
    "body",
    [b"", b"not a picture", photo()[:2000], _make_huge_picture(), b"GIF89a" + b"\xff" * 50,
     b"<html><script>1</script></html>", b"<svg xmlns='http://www.w3.org/2000/svg'><broken"],
)  # fmt: skip
def test_what_is_no_picture_is_left_out(body: bytes) -> None:
    with pytest.raises(PictureRefused):
        rewrite_picture(Resource("u", "image/png", body))


def test_large_pictures_become_what_paper_can_show() -> None:
    made = rewrite_picture(Resource("u", "image/jpeg", photo(4000, 2500)))
    with Picture.open(io.BytesIO(made.body)) as picture:
        assert picture.size == (1600, 1000)


SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
onload="alert(1)" width="10" height="10"><script>alert(1)</script><style>@import url(http://x)</style>
<image xlink:href="file:///etc/passwd"/><use href="http://x.example/#a"/><a href="javascript:x">
<rect width="1" height="1"/></a><foreignObject><p>x</p></foreignObject>
<rect width="5" height="5" fill="url(http://x.example/p)" onclick="x"/></svg>"""


def test_drawings_only_draw() -> None:
    made = rewrite_picture(Resource("u", "image/svg+xml", SVG))
    root = etree.fromstring(made.body)
    assert {etree.QName(node).localname for node in root.iter()} == {"svg", "use", "rect"}
    assert all(not str(key).startswith("on") for node in root.iter() for key in node.attrib)
    assert b"http://x.example" not in made.body


@pytest.mark.parametrize(
    "head", [b'<!DOCTYPE svg [<!ENTITY a "b">]>', b'<?xml version="1.0"?><!DOCTYPE x>']
)
def test_drawings_with_entities_are_left_out(head: bytes) -> None:
    with pytest.raises(PictureRefused):
        rewrite_picture(Resource("u", "image/svg+xml", head + SVG))


def test_one_broken_picture_never_fails_the_document() -> None:
    """Even when nobody checked it: the others and the text are there."""
    url, other = "https://press.example/bad.png", "https://press.example/good.jpg"
    blocks = [Paragraph((Run("Text."),)), *(Figure((Image(u),), (Run("C"),)) for u in (url, other))]
    bad = Resource(url, "image/png", b"\x89PNG broken")
    made = with_pictures(
        make_article(*blocks), {url: bad, other: Resource(other, "image/jpeg", photo())}
    )
    for form in ("pdf", "epub", "html"):
        assert made.to(form)
    assert len(pdf.render(made, Options())) > 20_000


def test_a_fetch_that_fails_leaves_one_picture_out() -> None:
    from tearsheet.errors import FetchFailed

    def get(url: str) -> Resource:
        if "bad" in url:
            raise FetchFailed("status 404", code="status", status=404)
        return Resource(url, "image/jpeg", photo(100, 60))

    urls = ["https://press.example/a.jpg", "https://press.example/bad.jpg"]
    made = pictures.fetch(make_article(*(Figure((Image(u),)) for u in urls)), get=get)
    assert list(made.pictures) == urls[:1]
