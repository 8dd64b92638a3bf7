"""A picture that is hostile is left out, and nothing else: no program is started for it, no
process hangs, the document and the other pictures are there, and the log says why."""

from __future__ import annotations

import io
import logging
import struct
import zlib
from xml.etree.ElementTree import Element

import pytest
from fuzz.target import cpu_limit
from PIL import EpsImagePlugin
from PIL import Image as Picture
from tests.layout.stories import make_article, photo, with_pictures

from tearsheet import picture_files, pictures
from tearsheet.picture_files import DRAWING, PictureRefused, check_picture, rewrite_picture
from tearsheet.types import Figure, Image, Options, Paragraph, Resource, Run

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">{}</svg>'
POSTSCRIPT = (
    b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\n"
    b"(/tmp/x) (w) file pop showpage\n%%EOF\n"
)
FILTER = SVG.format(
    '<filter id="f" x="-1e5" y="-1e5" width="2e5" height="2e5" filterUnits="userSpaceOnUse">'
    '<feGaussianBlur stdDeviation="9999"/><feGaussianBlur stdDeviation="9999"/></filter>'
    '<rect width="90" height="90" filter="url(#f)"/>'
)
USES = SVG.format(
    '<g id="a0"><rect width="1" height="1"/></g>'
    + "".join(f'<g id="a{i}">{f"""<use href="#a{i - 1}"/>""" * 10}</g>' for i in range(1, 9))
)


def make_drawing(text: str, encoding: str = "utf-8") -> Resource:
    return Resource("https://press.example/d.svg", "image/svg+xml", text.encode(encoding))


def test_postscript_never_reaches_ghostscript(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow would start a program for it, here or in the other process."""
    started: list[object] = []
    monkeypatch.setattr(picture_files, "_call_worker", lambda work, picture: work(picture))
    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", lambda *given, **named: started.append(1))
    for media_type in ("image/png", "application/postscript"):
        picture = Resource("https://press.example/p", media_type, POSTSCRIPT)
        with pytest.raises(PictureRefused):
            rewrite_picture(picture)
        with_pictures(make_article(Figure((Image(picture.url),))), {picture.url: picture}).to(
            "pdf", Options(grey=True)
        )
    assert not started


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16be", "utf-16le", "latin-1"])
def test_entities_are_refused_in_every_encoding(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE svg [<!ENTITY a "b">]>'
    with pytest.raises(PictureRefused, match="DTD"):
        rewrite_picture(make_drawing(text + SVG.format("<text>&a;</text>"), encoding))


def test_a_plain_drawing_in_another_encoding_is_kept() -> None:
    text = '<?xml version="1.0" encoding="utf-16"?>' + SVG.format("<text>é</text>")
    assert "é".encode() in rewrite_picture(make_drawing(text, "utf-16")).body


@pytest.mark.parametrize(
    "text",
    [SVG.format("<g>" * 5_000 + "</g>" * 5_000), SVG.format("<g/>" * 60_000),
     SVG.format("<desc>" + "x" * 9_000_000 + "</desc>")],
    ids=["deep", "many", "large"],
)  # fmt: skip
def test_drawings_have_limits(text: str) -> None:
    with pytest.raises(PictureRefused, match="more than"):
        rewrite_picture(make_drawing(text))


@pytest.mark.parametrize("text", [FILTER, USES], ids=["filter", "uses"])
def test_a_drawing_that_takes_too_long_is_given_up(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture_files, "_SECONDS", 2.0)
    with pytest.raises(PictureRefused):
        rewrite_picture(make_drawing(text))


def test_a_drawing_with_an_ordinary_shadow_is_kept() -> None:
    text = SVG.format(
        '<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><symbol id="s"><rect width="9" '
        'height="9"/></symbol><use href="#s" filter="url(#f)"/>'
    )
    assert b"feGaussianBlur" in rewrite_picture(make_drawing(text)).body


@pytest.mark.parametrize("size", ['width="{}" height="{}"', 'viewBox="0 0 {} {}"'])
def test_a_drawing_may_declare_any_size(size: str) -> None:
    root = f'<svg xmlns="http://www.w3.org/2000/svg" {size.format("9" * 400, "9" * 400)}/>'
    picture = make_drawing(root)
    article = with_pictures(make_article(Figure((Image(picture.url),))), {picture.url: picture})
    assert article.to("pdf")


def test_ordinary_pictures_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError("a process is started")

    monkeypatch.setattr(picture_files, "_call_worker", refuse)
    assert rewrite_picture(Resource("u", "image/jpeg", photo()))
    assert rewrite_picture(make_drawing(SVG.format('<g><path d="M0 0L9 9"/></g>')))


def test_a_picture_with_very_many_scans_is_decoded_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = io.BytesIO()
    Picture.new("RGB", (4000, 4000)).save(out, "JPEG", progressive=True)
    body = out.getvalue()
    begin = body.rindex(b"\xff\xda")
    sent: list[object] = []
    monkeypatch.setattr(picture_files, "_call_worker", lambda work, picture: sent.append(work))
    rewrite_picture(Resource("u", "image/jpeg", body[:-2] + body[begin:-2] * 50 + body[-2:]))
    assert sent


def _make_png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


@pytest.mark.parametrize("form", ["pdf", "html", "epub"])
def test_hostile_pictures_leave_the_document_and_the_others(
    form: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether they were checked before, or came with a saved page and nobody looked at them."""
    monkeypatch.setattr(picture_files, "_SECONDS", 2.0)
    bad = {
        "postscript": ("image/png", POSTSCRIPT),
        "deep": ("image/svg+xml", SVG.format("<g>" * 5_000 + "</g>" * 5_000).encode()),
        "filter": ("image/svg+xml", FILTER.encode()),
        "entities": ("image/svg+xml", ("\ufeff<!DOCTYPE svg>" + SVG).encode("utf-16-le")),
        "huge": ("image/png", _make_png(60_000, 60_000)),
    }
    files = {f"https://x.example/{n}": Resource(n, kind, body) for n, (kind, body) in bad.items()}
    good = "https://x.example/good"
    files[good] = Resource(good, "image/jpeg", photo(200, 100))
    blocks = [Paragraph((Run("Words."),)), *(Figure((Image(url),)) for url in files)]
    raw = with_pictures(make_article(*blocks), files)
    assert raw.to(form)
    with caplog.at_level(logging.WARNING, "tearsheet"):
        checked = pictures.fetch(raw)
    assert list(checked.pictures) == [good]
    assert all(f"https://x.example/{name}" in caplog.text for name in bad)
    assert len(checked.to(form)) > len(photo(200, 100)) / 2


@pytest.mark.parametrize("media_type", ["text/html", "image/x;a=b", "image/png\r\nX: y", ""])
def test_the_type_of_a_saved_picture_is_that_of_its_bytes(media_type: str) -> None:
    picture = Resource("u", media_type, photo())
    assert check_picture(picture).media_type == "image/jpeg"
    made = with_pictures(make_article(Figure((Image("https://a.example/p"),))), {
        "https://a.example/p": picture
    })  # fmt: skip
    assert b"data:image/jpeg;base64," in made.to("html")


def test_very_many_elements_that_do_not_draw_take_no_square_of_time() -> None:
    """Each was searched for among all."""
    root = Element("svg")
    root.extend(Element(name) for name in "ga" for _ in range(100_000))
    with cpu_limit(10):
        picture_files._drop_unsafe(root)
    assert [node.tag for node in root] == ["g"] * 100_000


def test_a_page_with_very_many_missing_pictures_does_not_fill_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    blocks = [Figure((Image(f"data:image/png;base64,{'A' * n}"),)) for n in range(1, 60)]
    with caplog.at_level(logging.WARNING, "tearsheet"):
        made = pictures.fetch(make_article(*blocks))
    assert made.missing
    assert len(caplog.records) <= 6
    assert "more pictures" in caplog.text


@pytest.mark.parametrize(
    "attribute",
    [
        r'style="fill: u\72l(http://track.example/a.svg#b)"', 'fill="URL( http://track.example/)"',
        "style=\"mask: image-set('http://track.example/a' 1x)\"", 'xml:base="http://track.example/"',
        "style=\"mask: src('http://track.example/a')\"", 'style="fill: url/**/(http://track.example/)"',
        "style=\"mask: -webkit-image-set('http://track.example/a' 1x)\"",
    ],
)  # fmt: skip
def test_a_drawing_leads_nowhere(attribute: str) -> None:
    """In whatever program somebody opens it: no function of CSS is left that fetches a file."""
    local = 'fill="url(#a)" transform="translate(1 2)rotate (3)" stroke="rgb(1, 2, 3)"'
    body = f'<svg xmlns="http://www.w3.org/2000/svg"><g {attribute}/><rect {local}/></svg>'
    made = rewrite_picture(Resource("http://a.example/", DRAWING, body.encode())).body
    assert b"track.example" not in made
    assert all(part in made for part in (b"url(#a)", b"translate(1 2)rotate (3)", b"rgb(1, 2, 3)"))
