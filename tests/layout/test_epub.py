"""EPUB: valid by epubcheck, one book of many articles, the same bytes for the same article."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from lxml import etree
from PIL import Image as Picture
from tests.layout.stories import LANGUAGES, PHOTO, make_article, story, with_pictures
from tests.layout.test_formats import EVERYTHING

from tearsheet.article import Article
from tearsheet.layout import epub
from tearsheet.types import Figure, Image, Options, Paragraph, Resource, Run

CHECKER = Path("/usr/share/java/epubcheck.jar")


@pytest.mark.skipif(
    not (shutil.which("java") and CHECKER.exists()),
    reason="epubcheck is not installed (Debian: apt install epubcheck)",
)
def test_books_pass_epubcheck(tmp_path: Path) -> None:
    """One book of all: starting Java is what takes the time."""
    path = tmp_path / "book.epub"
    path.write_bytes(
        epub.render_many([*map(story, LANGUAGES), EVERYTHING, make_article()], Options())
    )
    ran = subprocess.run(
        ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-jar", str(CHECKER),
         "--failonwarnings", str(path)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_book_of_several_articles_has_a_table_of_contents() -> None:
    book = _open_book(epub.render_many([*map(story, LANGUAGES)], Options()))
    nav = etree.fromstring(book.read("EPUB/nav.xhtml"))
    entries = nav.findall(".//{*}nav/{*}ol/{*}li/{*}a")
    assert [a.get("href") for a in entries] == [f"article-{i}.xhtml" for i in range(1, 5)]
    sections = nav.findall(".//{*}nav/{*}ol/{*}li/{*}ol/{*}li/{*}a")
    assert len(sections) == 5


def test_the_book_has_cover_language_author_and_pictures() -> None:
    book = _open_book(story("ar").to("epub"))
    package = book.read("EPUB/package.opf").decode()
    assert 'properties="cover-image"' in package
    assert "<dc:language>ar</dc:language>" in package
    assert "<dc:creator>آدا مارش</dc:creator>" in package
    assert 'page-progression-direction="rtl"' in package
    assert "EPUB/picture-1.jpg" in book.namelist()
    assert book.infolist()[0].filename == "mimetype"
    assert book.infolist()[0].compress_type == zipfile.ZIP_STORED


@pytest.mark.parametrize("made", [story("en"), EVERYTHING], ids=["story", "all"])
def test_the_same_article_is_the_same_book(made: Article) -> None:
    assert made.to("epub") == made.to("epub")


def test_pictures_that_old_devices_do_not_show_become_jpeg() -> None:
    out = io.BytesIO()
    Picture.new("RGBA", (60, 40), (10, 80, 90, 120)).save(out, "WEBP")
    figure = Figure((Image(PHOTO, alt="A sea"),))
    made = with_pictures(
        make_article(figure), {PHOTO: Resource(PHOTO, "image/webp", out.getvalue())}
    )
    book = _open_book(made.to("epub"))
    assert "EPUB/picture-1.jpg" in book.namelist()
    assert book.read("EPUB/picture-1.jpg").startswith(b"\xff\xd8")


def test_a_long_article_is_cut_into_files_that_old_devices_open() -> None:
    made = make_article(*[Paragraph((Run("word " * 2_000),))] * 60)
    book = _open_book(made.to("epub"))
    sizes = [i.file_size for i in book.infolist() if i.filename.endswith(".xhtml")]
    assert sum(sizes) > 500_000
    assert max(sizes) < 300_000


def test_articles_of_one_site_are_a_part_of_a_book_of_many() -> None:
    sites = ("The Quay", "The Quay", "The Reach")
    made = [make_article(title=f"Story {i}", site=site) for i, site in enumerate(sites)]
    book = _open_book(epub.render_many(made, Options()))
    nav = etree.fromstring(book.read("EPUB/nav.xhtml"))
    assert [a.text for a in nav.findall(".//{*}nav/{*}ol/{*}li/{*}a")] == ["The Quay", "The Reach"]
    assert b"<dc:title>Story 0 + 2</dc:title>" in book.read("EPUB/package.opf")
    assert b"Story 2" in book.read("EPUB/toc.ncx")


def _open_book(book: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(book))
