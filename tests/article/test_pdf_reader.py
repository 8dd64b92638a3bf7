"""PDFs as sources: what we set ourselves is read again, and no file hangs or crashes."""

from __future__ import annotations

import contextlib
import io
import random

import pytest
from fuzz.target import cpu_limit
from tests.acquire.site import serving

import tearsheet
from tearsheet import Options
from tearsheet.article import Article
from tearsheet.article.pdf_lines import PdfLine
from tearsheet.article.pdf_order import _count_beside
from tearsheet.article.pdf_reader import read_pdf
from tearsheet.errors import FetchFailed, LimitExceeded, NoArticle, TearsheetError
from tearsheet.types import Block, Figure, Heading, ListBlock, Metadata, Paragraph, Run

pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed (the pdf-in extra)")

WORDS = "harbour ferry bell pier tide gull rope lantern keeper winter morning water".split()


def sentence(number: int) -> str:
    """A sentence that no other is equal to."""
    return " ".join(WORDS[(number + i * (number % 5 + 1)) % len(WORDS)] for i in range(14))


def story(count: int) -> Article:
    blocks: list[Block] = []
    for number in range(count):
        if number % 5 == 0:
            blocks.append(Heading((Run(f"Part {number} of the bells"),), 2))
        text = f"Story{number} begins: {sentence(number)}, {sentence(number + 3)} and then ended."
        blocks.append(Paragraph((Run(text.capitalize()),)))
    items = tuple((Paragraph((Run(f"The boat called {name}"),)),) for name in WORDS[:3])
    blocks.append(ListBlock(items))
    return Article(Metadata("The last ferry of the year", ("Ada Lee",)), tuple(blocks))


@pytest.fixture(scope="module")
def two_columns() -> bytes:
    return story(60).to("pdf", Options(columns=2, paper="a5", links="none"))


def test_title_headings_and_lists_are_found_again(two_columns: bytes) -> None:
    read = tearsheet.clip(two_columns)
    assert read.title == "The last ferry of the year"
    assert read.method == "pdf"
    headings = [b.runs[0].text for b in read.blocks if isinstance(b, Heading)]
    assert headings == [f"Part {number} of the bells" for number in range(0, 60, 5)]
    assert [len(b.items) for b in read.blocks if isinstance(b, ListBlock)] == [3]


def test_columns_are_read_one_after_the_other(two_columns: bytes) -> None:
    text = read_pdf(two_columns, None, Options()).text
    places = [text.find(f"Story{number} begins") for number in range(60)]
    assert -1 not in places
    assert places == sorted(places)


def test_divided_words_are_whole_and_page_numbers_are_gone(two_columns: bytes) -> None:
    words = set(read_pdf(two_columns, None, Options()).text.lower().replace(",", " ").split())
    expected = set(story(60).text.lower().replace(",", " ").split())
    assert len(expected - words) <= 0.02 * len(expected)
    assert not {word for word in words if word.isdecimal()} - {str(n) for n in range(0, 60, 5)}


def test_pictures_come_along() -> None:
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.effect_noise((600, 400), 80).convert("RGB").save(file, "PNG")
    from tearsheet.types import Image, Resource

    url = "https://a.example/boat.png"
    made = Article(
        Metadata("Boats"),
        (Paragraph((Run("One boat is here. " * 9),)), Figure((Image(url, width=600, height=400),))),
        pictures={url: Resource(url, "image/png", file.getvalue())},
    )  # fmt: skip
    read = tearsheet.clip(made.to("pdf"))
    assert len(read.images) == 1
    assert read.pictures[read.images[0].url].body.startswith(b"\x89PNG")


def test_a_pdf_at_an_address_is_clipped_whatever_its_server_calls_it(two_columns: bytes) -> None:
    with serving() as site:
        for kind in ("application/pdf", "text/html"):
            address = site.page("/story.pdf", two_columns, kind)
            read = tearsheet.clip(address, options=Options(allow_private=True))
            assert (read.title, read.url) == ("The last ferry of the year", address)


def test_all_formats_are_written(two_columns: bytes) -> None:
    read = tearsheet.clip(two_columns)
    for form in ("md", "html", "json", "txt", "tei", "epub"):
        assert read.to(form)


def test_damaged_files_are_errors_that_say_so(two_columns: bytes) -> None:
    for body in (b"%PDF-1.7\n", two_columns[:300], b"%PDF-1.4 " + bytes(5000)):
        with pytest.raises(FetchFailed, match="PDF is damaged"):
            tearsheet.clip(body)
    for at in range(500, len(two_columns), len(two_columns) // 7):
        broken = two_columns[:at] + b"\0\xff" * 40 + two_columns[at + 80 :]
        with contextlib.suppress(TearsheetError):
            tearsheet.clip(broken)


def test_locked_and_empty_files_say_what_is_wrong(two_columns: bytes) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    file = io.BytesIO()
    with pikepdf.open(io.BytesIO(two_columns)) as opened:
        opened.save(file, encryption=pikepdf.Encryption(owner="a", user="b"))
    with pytest.raises(FetchFailed, match="needs a password"):
        tearsheet.clip(file.getvalue())
    empty, file = pikepdf.new(), io.BytesIO()
    empty.add_blank_page()
    empty.save(file)
    with pytest.raises(NoArticle, match="no text"):
        tearsheet.clip(file.getvalue())


def _line(x: float, y: float, high: float = 9.0) -> PdfLine:
    return PdfLine("words", x, y, x + 90, y + high, 9.0, bold=False, divides=False)


def test_columns_of_very_many_lines_are_compared_in_their_order() -> None:
    """Each line with all others would be the square: a page may have very many lines."""
    choose = random.Random(21)
    for _ in range(50):
        left, right = (
            [_line(x, choose.uniform(0, 400), choose.uniform(1, 30)) for _ in range(20)]
            for x in (0, 200)
        )
        beside = sum(any(a.y0 < b.y1 and b.y0 < a.y1 for b in right) for a in left)
        assert _count_beside(left, right) == beside
    count = 100_000
    above, below = ([_line(0, first + n / 10) for n in range(count)] for first in (0, 20_000))
    with cpu_limit(10):
        assert _count_beside(above, below) == 0


def _nest_forms(levels: int) -> bytes:
    """A PDF of which each form draws the next one ten times; PDFium finds what is where itself."""
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R"
        "/Resources<</XObject<</X 6 0 R>>>>>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Length 6>>stream\n/X Do \nendstream",
    ]
    for level in range(levels):
        text = "/X Do " * 10 if level < levels - 1 else "BT /F 9 Tf 10 10 Td (bomb) Tj ET"
        parts.append(
            "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 4 0 R>>"
            f"/XObject<</X {7 + level} 0 R>>>>/Length {len(text)}>>stream\n{text}\nendstream"
        )
    bodies = "".join(f"{n} 0 obj\n{part}\nendobj\n" for n, part in enumerate(parts, 1))
    return f"%PDF-1.7\n{bodies}trailer<</Root 1 0 R/Size {len(parts) + 1}>>\n%%EOF".encode()


def test_a_pdf_that_takes_too_long_is_ended() -> None:
    assert "bomb" in tearsheet.clip(_nest_forms(2)).text
    with pytest.raises(LimitExceeded):
        tearsheet.clip(_nest_forms(7), options=Options(timeout=0.2))
