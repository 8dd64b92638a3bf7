"""The sheets of a document have no faults that a printer would see, and each fault is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.gallery import Setting, print_summary
from benchmarks.sheets import Report, find_faults
from tests.layout.stories import make_article, photo, story
from tests.layout.test_formats import p

from tearsheet.article import Article
from tearsheet.layout._frame import Frame
from tearsheet.layout._typst import compile_files
from tearsheet.types import Code, Heading, ListBlock, Options, Run

HEADING = Heading((Run("The harbour"),), 2)
ITEM = ListBlock(((p("Two boats"), ListBlock(((p("one of them red"),),))),))
FOOT = "#v(1fr)"
TURN = "#pagebreak()\n"
END = "The end."
STRONG = "#strong[The harbour]"


@pytest.mark.parametrize("options", [Options(), Options(paper="a5"), Options(columns=2)])
def test_no_sheet_of_the_story_has_faults(options: Options) -> None:
    made = story("en")
    report = find_faults(made.to("pdf", options), made, options)
    # A blank end is counted over many documents; on A5, page 1 of this one has 27 %.
    found = [str(fault) for fault in report.faults if fault.kind not in ("text", "blank")]
    assert found == []


def test_all_of_the_story_can_be_copied() -> None:
    made = story("en")
    report = find_faults(made.to("pdf"), made, Options())
    assert report.share_copied == 1.0


FAULTY = [
    ("overflow", (p(END),), '#box(width: 600pt)[' + "a long line " * 15 + f"]\n\n{END}"),
    ("overlap", (p(END),), f"#place(dx: 3pt)[Other words.]{END}"),
    ("cut", (p(END),), f'#place(dx: 300pt, image("sea.jpg", width: 300pt))\n{END}'),
    ("stranded", (HEADING, p(END)), f"{FOOT}{STRONG}{TURN}{END}"),
    ("stranded", (p("You need:"), ListBlock(((p(END),),))), f"{FOOT}You need:{TURN}{END}"),
    ("stranded", (p("Two boats", "strong"), p(END)), f"{FOOT}*Two boats*{TURN}{END}"),
    ("stranded", (p("For the red boat"), Code("sail")), f"{FOOT}For the red boat{TURN}{END}"),
    ("stranded", (ITEM, p(END)), f"{FOOT}• Two boats{TURN}– one of them red\n\n{END}"),
    ("stranded", (p(END),), f"{FOOT}3.{TURN}{END}"),
    ("blank", (p(END),), f"{END}{TURN}{END}"),
    ("glyph", (p("高"), p(END)), f'#text(fallback: false)[高] {END}'),
    ("text", (p("These words are not there."), p(END)), END),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "blocks", "markup"), FAULTY)
def test_each_fault_is_found(kind: str, blocks: tuple[object, ...], markup: str) -> None:
    made = make_article(*blocks)
    report = find_faults(set_markup(markup), made, Options())
    assert report.count(kind), [str(fault) for fault in report.faults]


def test_a_sound_document_has_none_of_these_faults() -> None:
    made = make_article(HEADING, p(END))
    markup = f"{'Some words.#parbreak()' * 34}{STRONG}\n\n{END}{TURN}{END}"
    assert [str(fault) for fault in find_faults(set_markup(markup), made, Options()).faults] == []


def test_the_gallery_fails_with_the_picture_of_the_page(tmp_path: Path) -> None:
    made = make_article(p(END))
    sound, faulty = set_markup(END), set_markup(FAULTY[1][2])
    assert print_summary([make_setting("sound", made, sound)], tmp_path) == 0
    assert not list(tmp_path.iterdir())
    assert print_summary([make_setting("over", made, faulty)], tmp_path) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["fault-over-a4-1-1.png"]


def make_setting(name: str, article: Article, document: bytes) -> Setting:
    report: Report = find_faults(document, article, Options())
    return Setting(name, article, Options(), document, report)


def set_markup(markup: str) -> bytes:
    """A document that Typst sets on our pages by the letter."""
    frame = Frame(Options())
    page = (
        f"#set page(width: {frame.width}pt, height: {frame.height}pt, margin: (x: {frame.side}pt, "
        f"top: {frame.top}pt, bottom: {frame.bottom}pt))\n"
        f'#set text(font: "Libertinus Serif", size: {frame.size}pt)\n'
    )
    return compile_files({"main.typ": (page + markup).encode(), "sea.jpg": photo(300, 200)})
