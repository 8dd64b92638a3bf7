"""A small page cannot become a large document: what is written grows with what is read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from fuzz.target import cpu_limit
from tests.article.pages import article
from tests.layout.stories import PHOTO, make_article, photo

from tearsheet import extract, plugins
from tearsheet.layout import _document, _typeset
from tearsheet.types import (
    Block,
    Callout,
    Cell,
    Embed,
    Figure,
    Heading,
    Image,
    ListBlock,
    Math,
    Options,
    Paragraph,
    Quote,
    Resource,
    Run,
    Table,
)


def _cell(text: str = "a", colspan: int = 1, rowspan: int = 1) -> Cell:
    return Cell((Paragraph((Run(text),)),), False, colspan, rowspan)


SPANS = Table(tuple((_cell(colspan=100, rowspan=100),) * 10 for _ in range(100)))
RAGGED = Table(((_cell(),) * 500, *(((_cell(),),) * 500)))
ENDLESS = Table(((_cell(colspan=10**9, rowspan=10**9),) * 3,) * 3)


@pytest.mark.parametrize("table", [SPANS, RAGGED, ENDLESS], ids=["spans", "ragged", "endless"])
def test_the_grid_of_a_table_grows_with_its_cells(table: Table) -> None:
    cells = sum(map(len, table.rows))
    fitted = _document.fit_table(table)
    assert sum(map(len, fitted.rows)) == cells
    placed = _document.place_cells(fitted)
    width = max(cell.x + cell.width for cell in placed)
    assert sum(cell.width * cell.height for cell in placed) <= 1_000 + 21 * cells
    assert width * len(fitted.rows) <= 2 * (1_000 + 21 * cells)
    assert len(make_article(table).to("md")) < 200 * cells + 10_000


def test_a_table_within_reason_stays_as_it_is() -> None:
    head = (_cell("A", colspan=3), _cell("B", rowspan=4))
    table = Table((head, *(tuple(_cell(str(i)) for i in range(4)) for _ in range(9))))
    assert _document.fit_table(table) is table


def test_a_small_page_of_spans_is_a_small_document() -> None:
    html = "<table class=data>" + ("<tr>" + "<td colspan=100 rowspan=100>a" * 10) * 60 + "</table>"
    made = article(html)
    for form in ("md", "html", "json", "tei"):
        assert len(made.to(form)) < 20 * len(html)


def _paragraphs(data: _typeset.Data) -> Iterator[list[_typeset.Data]]:
    for block in data["articles"][0]["blocks"]:
        yield block["runs"]


@pytest.mark.parametrize(
    "runs",
    [(Run("word"), Run("\n")) * 5_000, (Run("a ", frozenset({"em"})), Run("b ")) * 5_000,
     (Run("word " * 2_000),) * 100],
    ids=["breaks", "marks", "letters"],
)  # fmt: skip
def test_typst_gets_no_paragraph_that_takes_the_square_of_the_time(runs: tuple[Run, ...]) -> None:
    data, _ = _typeset.document((make_article(Paragraph(runs)),), Options())
    parts = list(_paragraphs(data))
    assert sum(map(len, parts)) == len(runs)
    assert max(map(len, parts)) <= 500
    assert all(sum(len(run.get("text", "")) for run in part) <= 60_000 for part in parts)


@pytest.mark.parametrize("text", ["word " * 40_000, "wort" * 50_000, "\u0627b " * 8_000])
@pytest.mark.parametrize("make", [
    lambda runs: Heading(runs, 2),
    lambda runs: ListBlock(((Paragraph(runs),),)),
    lambda runs: Quote((Paragraph(runs),)),
    lambda runs: Table(((Cell((Paragraph(runs),)),),)),
])  # fmt: skip
def test_typst_gets_no_text_in_one_piece_that_takes_the_square_of_the_time(
    make: Callable[[tuple[Run, ...]], Block], text: str
) -> None:
    """A single run, wherever it is."""
    data, _ = _typeset.document((make_article(make((Run(text),))),), Options())
    found = [run for part in _parts(data["articles"][0]["blocks"]) for run in part]
    pieces = [run["text"] for run in found if run["t"] == "run"]
    assert "".join(pieces).replace("\u200b", "") == text
    assert max(map(len, pieces)) <= (5_000 if "\u0627" in text else 60_000)
    breaks = sum(run["t"] == "parbreak" for run in found)
    assert len(pieces) - breaks == len(list(_parts(data["articles"][0]["blocks"])))


def _parts(data: object) -> Iterator[list[_typeset.Data]]:
    """All lists of runs in the data."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == "runs":
                yield value
            else:
                yield from _parts(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _parts(value)


def test_open_elements_are_not_read_once_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these elements holds all the others."""
    from tearsheet.components import _dates

    read: list[int] = []
    honest = _dates.read_date

    def count(text: str) -> str | None:
        read.append(len(text))
        return honest(text)

    monkeypatch.setattr(_dates, "read_date", count)
    count_of = 2_000
    html = "<p>Some words of a text that goes on.</p>" * 5 + "<time>word " * count_of
    assert extract(html).metadata is not None
    assert sum(read) < 500 * count_of


def test_unclosed_brackets_of_tex_are_not_searched_again_and_again() -> None:
    """Text in TeX's brackets is a formula; with very many open ones there is none."""
    with cpu_limit(10):
        endless = article("<p>" + "\\(" * 100_000 + "x and no bracket that closes one.")
    assert not any("math" in run.marks for run in endless.blocks[0].runs)  # type: ignore[union-attr]
    made = article("<p>" + "\\(" * 50_000 + "x\\) and a \\[y \\\\[2pt] z\\] there.")
    runs = made.blocks[0].runs  # type: ignore[union-attr]
    assert [run.text for run in runs if "math" in run.marks] == ["x"]
    assert [block.tex for block in made.blocks if isinstance(block, Math)] == [r"y \\[2pt] z"]
    assert sys.getsizeof(runs[0].text) < 200_000


@pytest.mark.parametrize("form", ["docx", "odt"])
def test_word_processors_text_is_written_and_not_added_piece_by_piece(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """python-docx goes through all styles, links, paragraphs, rows and pictures for each one, and
    lxml takes the square of the time to add a large table to a document of odfdo."""
    from docx.opc.rel import Relationships
    from docx.oxml.styles import CT_Styles
    from docx.oxml.xmlchemy import BaseOxmlElement
    from docx.package import ImageParts
    from odfdo import Element

    searches: list[str] = []
    for kind, name in (
        (CT_Styles, "_iter_styles"), (Relationships, "_get_matching"),
        (BaseOxmlElement, "first_child_found_in"), (BaseOxmlElement, "xpath"),
        (ImageParts, "_get_by_sha1"), (Element, "append"), (Element, "insert"),
    ):  # fmt: skip
        honest = getattr(kind, name)

        def count(*args: object, honest: Callable[..., object] = honest, **more: object) -> object:
            searches.append("")
            return honest(*args, **more)

        monkeypatch.setattr(kind, name, count)

    def measure(size: int) -> int:
        links = [Run("here", href=f"https://a.example/{n}") for n in range(size)]
        blocks: list[Block] = [Heading((link,), 2) for link in links]
        for number, link in enumerate(links):
            inner = Paragraph((link, Run("bold", frozenset({"strong"}))))
            blocks += [inner, Quote((inner,)), Callout((inner,), label=(link,))]
            blocks.append(ListBlock(((inner,),), ordered=True))
            blocks.append(Figure((Image(f"{PHOTO}{number % 10}", alt="A sea"),)))
        blocks.append(Table(tuple((_cell(colspan=2, rowspan=2), _cell()) for _ in links)))
        article = make_article(*blocks)
        pictures = {
            f"{PHOTO}{n}": Resource(f"{PHOTO}{n}", "image/jpeg", photo(40, 30, shade=9 * n))
            for n in range(10)
        }
        searches.clear()
        assert article.replace(pictures=pictures).to(form).startswith(b"PK")
        return len(searches)

    assert 0 < measure(40) == measure(10)


@pytest.mark.parametrize("line", ["w " * 20_000, "a=b;" * 100_000, ("w " * 900 + "\n") * 50])
@pytest.mark.parametrize("around", ["{}", "<blockquote>{}</blockquote>", "<ul><li>{}</ul>"])
def test_very_long_lines_of_code_are_set(line: str, around: str) -> None:
    """Of a line with more than a thousand words or so, Typst made no document at all."""
    listing = around.format(f"<pre>{line}</pre>")
    with cpu_limit(30):
        made = extract(f"<h1>A</h1><p>Some words of an article.</p>{listing}", "https://a.example/")
        assert made.to("pdf").startswith(b"%PDF")


@pytest.mark.parametrize("form", plugins.names("layout"))
def test_an_address_that_is_too_long_for_a_link_costs_the_link_alone(form: str) -> None:
    """Typst sets nothing at all if one link is longer than 8,000 bytes; a QR code holds 2,331."""
    long = "https://press.example/" + "a" * 9_000
    words = Paragraph((Run("Some "), Run("linked", href=long), Run(" words.")))
    blocks = (words, Embed(long, "A video"), Figure((Image(f"{long}.jpg", alt="A boat"),)))
    for canonical in (long, long[:3_000]):
        assert make_article(*blocks, canonical=canonical).to(form, Options(qr=True))
