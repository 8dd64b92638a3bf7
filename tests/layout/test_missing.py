"""Every document has all that the article says, and names at its end what could not be had."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from tests.layout.stories import PHOTO, make_article, photo, with_pictures
from tests.layout.test_formats import EVERYTHING
from tests.layout.test_pdf import needs_pdftotext, read_text

from tearsheet import plugins
from tearsheet.article import MISSING, Article
from tearsheet.types import Figure, Image, Options, Paragraph, Resource, Run

FORMATS = [
    pytest.param(name, marks=needs_pdftotext if name == "pdf" else ())
    for name in plugins.names("layout")
]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_writes_the_words_of_every_block(form: str) -> None:
    words = set(re.findall("[A-Za-z]{3,}", EVERYTHING.text))
    beside_text = {"Caption", "Credit"} if form != "txt" else set()
    assert words | beside_text <= set(re.findall("[A-Za-z]{3,}", readable(form, EVERYTHING)))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_at_its_end_what_is_missing(form: str) -> None:
    """And nothing when all is there."""
    whole = make_article(Paragraph((Run("They rise and fall."),)))
    missing = whole.replace(reasons=("little text", f"{MISSING}3 of 24 pictures, which hid"))
    said = "3 of 24 pictures, which hid"
    assert said in " ".join(readable(form, missing).split())
    assert "Missing:" not in readable(form, whole)
    if form not in ("json", "jsonl"):  # whose `reasons` programs read
        text = readable(form, missing)
        assert text.index("Missing:") > text.index("rise and fall")
        assert "little text" not in text


def readable(form: str, article: Article) -> str:
    """The text of a document."""
    body = article.to(form)
    if form == "pdf":
        return read_text(body)
    if form == "epub":
        with zipfile.ZipFile(io.BytesIO(body)) as book:
            return book.read("EPUB/article-1.xhtml").decode()
    if form in ("docx", "odt"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return archive.read("word/document.xml" if form == "docx" else "content.xml").decode()
    return body.decode()


def test_a_fragment_says_what_is_missing() -> None:
    article = make_article(Paragraph((Run("They rise."),))).replace(reasons=(f"{MISSING}page 2",))
    assert article.to("html", Options(fragment=True)).rstrip().endswith(b"Missing: page 2.</p>")


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(name, marks=needs_pdftotext if name == "pdf" else ())
        for name in plugins.names("layout")
        if name not in ("txt", "jsonl")  # the text alone; the same as json
    ],
)
def test_a_picture_that_could_not_be_had_leaves_its_words_and_its_address(form: str) -> None:
    """Together with its caption, which never stands alone."""
    lost = Image("https://press.example/lost.jpg", alt="A quay at night")
    figure = Figure((lost,), (Run("The quay."),))
    made = make_article(figure, Figure((Image(PHOTO, alt="A sea"),)))
    made = with_pictures(made, {PHOTO: Resource(PHOTO, "image/jpeg", photo())})
    text = readable(form, made)
    for words in ("A quay at night", "press.example/lost.jpg", "The quay."):
        assert words in text


@needs_pdftotext
def test_no_pictures_are_wanted_so_none_is_missed() -> None:
    lost = Figure((Image("https://press.example/lost.jpg", alt="A quay at night"),))
    document = make_article(Paragraph((Run("Words."),)), lost).to("pdf", Options(images="off"))
    assert "quay" not in read_text(document)
