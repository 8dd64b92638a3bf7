"""Chinese and Japanese from top to bottom, on demand."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile

import pypdfium2
import pytest
from tests.layout.stories import make_article
from tests.layout.test_formats import p

from tearsheet.article import Article
from tearsheet.types import Options

TEXT = "潮がまた満ちるまで涼しいところに置いておく。"
VERTICAL = Options(vertical=True)


def make(language: str, text: str = TEXT) -> Article:
    return make_article(p(text * 8), p(text * 8), title="港の時計", language=language)


@pytest.fixture
def japanese() -> None:
    """Skips a test where the browser has no font for Japanese."""
    if not shutil.which("fc-list") or not subprocess.check_output(["fc-list", ":lang=ja"]):
        pytest.skip("no font for Japanese (Debian: fonts-noto-cjk)")


@pytest.mark.usefixtures("browser", "japanese")
def test_lines_run_down_the_page_and_from_right_to_left() -> None:
    document = pypdfium2.PdfDocument(make("ja").to("pdf", VERTICAL))
    text = document[0].get_textpage()
    words = text.get_text_range()
    at = words.index("潮がまた")
    first, second = text.get_charbox(at), text.get_charbox(at + 1)
    assert second[3] < first[1] + 2  # below
    assert abs(second[0] - first[0]) < 2  # in the same line
    last = text.get_charbox(words.rindex("置"))
    assert last[2] < first[0]  # further left
    document.close()


def test_a_book_turns_its_pages_to_the_left() -> None:
    with zipfile.ZipFile(io.BytesIO(make("zh").to("epub", VERTICAL))) as book:
        assert "vertical-rl" in book.read("EPUB/style.css").decode()
        assert 'page-progression-direction="rtl"' in book.read("EPUB/package.opf").decode()


def test_other_languages_stay_as_they_are() -> None:
    made = make("en", "Keep it in a cool place until the tide comes in again. ")
    assert made.to("html", VERTICAL) == made.to("html")
    assert made.to("epub", VERTICAL) == made.to("epub")
    assert made.to("pdf", VERTICAL).count(b"vertical") == 0
    assert "vertical-rl" in make("ja").to("html", VERTICAL).decode()
