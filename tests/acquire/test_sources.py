"""One function for every kind of source."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tearsheet import Options, clip
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.sources import acquire
from tearsheet.errors import FetchFailed, LimitExceeded
from tearsheet.page import read_page
from tearsheet.segments import segments
from tearsheet.types import Snapshot

from .site import Site

WORDS = "The text of a page that was saved, with more than one sentence in it. " * 8
ARCHIVE = """From: <Saved by Blink>
Snapshot-Content-Location: https://a.test/dir/page.html
Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=
MIME-Version: 1.0
Content-Type: multipart/related;
\ttype="text/html";
\tboundary="----MultipartBoundary--x----"

------MultipartBoundary--x----
Content-Type: text/html
Content-ID: <frame-1@mhtml.blink>
Content-Transfer-Encoding: quoted-printable
Content-Location: https://a.test/dir/page.html

<html><head><meta http-equiv=3D"Content-Type" content=3D"text/html; charset=
=3DUTF-8"><link rel=3D"stylesheet" href=3D"cid:css-1@mhtml.blink"></head><body>
<p>Sch=C3=B6ne Gr=C3=BC=C3=9Fe.</p><img src=3D"https://a.test/dir/a.gif"></body></html>

------MultipartBoundary--x----
Content-Type: text/css
Content-Transfer-Encoding: quoted-printable
Content-Location: cid:css-1@mhtml.blink

p { font-size: 33px }

------MultipartBoundary--x----
Content-Type: image/gif
Content-Transfer-Encoding: base64
Content-Location: https://a.test/dir/a.gif

R0lGODlhBwADAIAAAAAAAAAAACH5BAAAAAAALAAAAAAHAAMAAAIEhI+pWwA7

------MultipartBoundary--x------
"""


def text(snapshot: Snapshot) -> list[str]:
    return segments(read_page(snapshot)).text


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """A complete save as browsers make it."""
    page = tmp_path / "My page.html"
    page.write_text(
        "<!DOCTYPE html>\n<!-- saved from url=(0031)https://a.test/dir/article.html -->\n"
        "<link rel=stylesheet href='./My%20page_files/style.css'>"
        "<p>Saved.</p><img src='./My page_files/(1) a.svg'>"
    )
    folder = tmp_path / "My page_files"
    folder.mkdir()
    (folder / "style.css").write_text("p { font-size: 33px }")
    (folder / "(1) a.svg").write_text(
        "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='3'/>"
    )
    return page


def test_bytes_and_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"<p>Hello")
    for source in (b"<p>Hello", path, str(path)):
        found = acquire(source, "http://a.test/x")
        assert text(found) == ["Hello"]
        assert found.final_url == "http://a.test/x"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<p>Hello")))
    assert text(acquire("-")) == ["Hello"]


def test_an_address(site: Site) -> None:
    address = site.page("/a", "<p>Hello")
    assert text(acquire(address, options=Options(allow_private=True))) == ["Hello"]


def test_a_complete_save_is_drawn_with_its_folder(save: Path, browser: Browser) -> None:
    found = acquire(save)
    assert found.final_url == "https://a.test/dir/article.html"
    assert "https://a.test/dir/My%20page_files/style.css" in found.resources
    drawn = acquire(save, render=True, browser=browser)
    page = read_page(drawn)
    assert page.layout is not None
    assert page.layout.font_size.max() == 33
    image = page.box(page.rows(page.tag[-1])[-1])
    assert image is not None
    assert (image[2] - image[0], image[3] - image[1]) == (7, 3)
    assert drawn.resources == found.resources


def test_the_caller_knows_better_than_the_file(save: Path) -> None:
    found = acquire(save, "http://b.test/c/d")
    assert found.final_url == "http://b.test/c/d"
    assert "http://b.test/c/My%20page_files/style.css" in found.resources


def test_a_single_file_save() -> None:
    mark = b"<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://a.test/b \n"
    found = acquire(mark + b" saved date: Sun Nov 15 2026 \n--><p>Hello")
    assert (found.final_url, text(found)) == ("https://a.test/b", ["Hello"])


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_archive(tmp_path: Path, browser: Browser, newline: str) -> None:
    path = tmp_path / "page.mhtml"
    path.write_bytes(ARCHIVE.replace("\n", newline).encode())
    found = acquire(path)
    assert text(found) == ["Schöne Grüße."]
    assert found.final_url == "https://a.test/dir/page.html"
    assert found.resources["https://a.test/dir/a.gif"].media_type == "image/gif"
    page = read_page(acquire(path, render=True, browser=browser))
    assert page.layout is not None
    assert page.layout.font_size.max() == 33
    assert text(acquire(path, render=True, browser=browser)) == ["Schöne Grüße."]


def test_an_archive_without_a_page_is_a_clear_error() -> None:
    archive = ARCHIVE.replace("Content-Type: text/html", "Content-Type: text/plain")
    with pytest.raises(FetchFailed, match="has no page"):
        acquire(archive.encode())


_TYPE = b"Content-Type: multipart/related"


@pytest.mark.parametrize(
    "archive",
    [
        _TYPE + b';"' + b";" * 200_000 + b"; boundary=b\r\n\r\n--b\r\n",
        _TYPE + b"; boundary=b\r\n\r\n--b\r\nContent-Type: text/html" + b';a="' * 9_000 + b"\r\n",
        _TYPE + b"; boundary=b0\r\n\r\n" + b"".join(
            b"--b%d\r\n%b; boundary=b%d\r\n\r\n" % (n, _TYPE, n + 1) for n in range(3_000)
        ),
    ],
    ids=["parameters", "parameters of a part", "nested parts"],
)  # fmt: skip
def test_an_archive_that_would_keep_its_parser_busy_is_refused(archive: bytes) -> None:
    with pytest.raises(LimitExceeded):
        acquire(archive)


def test_a_mark_or_an_archive_that_names_no_address_is_read_all_the_same() -> None:
    saved = b"<!-- saved from url=(0020)http://[bad/ --><base href='http://['><p>Words</p>"
    archive = (
        b"Content-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n"
        b"Content-Location: http://[\n\n<p>Words</p>\n--B\nContent-Type: image/png\n"
        b"Content-Location: //[\xff\nContent-ID: <\xfe>\n\nx\n--B--"
    )
    for page in (saved, archive):
        assert clip(page, render="never").text == "Words"


def test_a_page_about_archives_is_not_an_archive() -> None:
    page = b"<p>From: me<pre>MIME-Version: 1.0\nContent-Type: multipart/related</pre>"
    assert "MIME-Version" in "".join(text(acquire(page)))


@pytest.mark.parametrize(
    ("source", "code"),
    [("/no/such/file.html", "not-found"), ("docs/pages", "fetch"), ("ftp://a.test/b", "scheme"),
     ("file:///etc/passwd", "scheme"), ("a\0b", "fetch")],
)  # fmt: skip
def test_what_cannot_be_read_is_a_clear_error(source: str, code: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        acquire(source)
    assert caught.value.code == code


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(b"x" * 2000)
    with pytest.raises(FetchFailed, match="larger than"):
        acquire(path, options=Options(max_bytes=1000))


def test_clip_by_every_choice_of_rendering(browser: Browser) -> None:
    page = f"<h1>Title</h1><p>{WORDS}</p>".encode()
    for render, drawn in (("never", False), ("auto", False), ("always", True)):
        article = clip(page, "http://a.test/", render=render)  # type: ignore[arg-type]
        assert WORDS.strip() in article.text
        assert (article.clippings[0].page.layout is not None) is drawn
