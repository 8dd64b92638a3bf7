"""Every option for setting a document does what it says; most by looking at the printed page."""

from __future__ import annotations

import re
import webbrowser
from dataclasses import fields
from pathlib import Path

import pikepdf
import pytest
from PIL import Image as Picture
from tests.layout.look import pages
from tests.layout.stories import PHOTO, make_article, photo, story, with_pictures
from tests.layout.test_formats import p
from tests.layout.test_pdf import needs_pdftotext, open_pdf, read_text

from tearsheet.article import Article
from tearsheet.cli import main
from tearsheet.types import Code, Figure, Image, Options, Resource, Run

TEXT = make_article(p("The office keeps two clocks, and nobody winds the other one. " * 40))


def make_illustrated(words: int, width: int = 1000, height: int = 1000) -> Article:
    """So many words, a picture, and words."""
    made = make_article(
        p("word " * words), Figure((Image(PHOTO),), (Run("Caption"),)), p("after " * 90)
    )
    return with_pictures(made, {PHOTO: Resource(PHOTO, "image/jpeg", photo(width, height))})


def edges(article: Article, options: Options) -> list[tuple[float, float, float, float]]:
    """The boxes of the words on the first page in points: left, top, right, bottom."""
    found = read_text(article.to("pdf", options), "-bbox", "-l", "1")
    boxes = re.findall(r'<word xMin="(.+?)" yMin="(.+?)" xMax="(.+?)" yMax="(.+?)"', found)
    return [(float(a), float(b), float(c), float(d)) for a, b, c, d in boxes]


@needs_pdftotext
def test_the_margin_is_kept_free_on_all_sides() -> None:
    for margin, points in (("20mm", 56.7), ("1in", 72.0), ("3cm", 85.0)):
        boxes = edges(TEXT, Options(margin=margin, header=False))
        assert min(box[0] for box in boxes) == pytest.approx(points, abs=1.5)
        assert max(box[2] for box in boxes) <= 595 - points + 3  # signs may hang over a little
        assert min(box[1] for box in boxes) >= points - 1


@needs_pdftotext
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_columns_begin_side_by_side(columns: int) -> None:
    long = make_article(p(" ".join(str(i**3) for i in range(1500))))
    boxes = [b for b in edges(long, Options(columns=columns, header=False)) if b[1] > 150]
    covered = {x for left, _, right, _ in boxes for x in range(int(left), int(right) + 1)}
    between = "".join("x" if x in covered else " " for x in range(min(covered), max(covered)))
    assert len(re.findall(" {12,}", between)) == columns - 1


@needs_pdftotext
def test_columns_of_the_last_page_end_at_about_the_same_height() -> None:
    boxes = edges(
        make_article(*[p("Nobody winds the other one. " * 12)] * 6),
        Options(columns=2, header=False),
    )
    left, right = ([b[3] for b in boxes if (b[0] < 290) is side] for side in (True, False))
    assert abs(max(left) - max(right)) < 60


@needs_pdftotext
def test_the_size_of_the_text_is_what_was_asked_for() -> None:
    heights = []
    for size in (9, 18):
        boxes = [b for b in edges(TEXT, Options(font_size=size, header=False)) if b[1] > 200]
        heights.append(boxes[0][3] - boxes[0][1])
    assert heights[1] == pytest.approx(2 * heights[0], rel=0.05)


def test_the_face_is_the_one_that_was_asked_for() -> None:
    with open_pdf(TEXT.to("pdf", Options(font="New Computer Modern"))) as document:
        names = {str(font.BaseFont) for font in document.pages[0].Resources.Font.values()}
    assert any("NewCM" in name for name in names)


def test_pictures_are_shown_small_or_not_at_all() -> None:
    made = make_illustrated(5)
    on, small, off = (picture_widths(made, Options(images=how)) for how in ("on", "small", "off"))
    assert len(on) == len(small) == 1
    assert off == []
    assert small[0] <= 0.6 * on[0]


def picture_widths(article: Article, options: Options) -> list[float]:
    """The widths of the pictures on paper, in points."""
    found = []
    with open_pdf(article.to("pdf", options)) as document:
        for page in document.pages:
            scale = [1.0]
            for instruction in pikepdf.parse_content_stream(page):
                operator = str(instruction.operator)
                if operator == "q":
                    scale.append(scale[-1])
                elif operator == "Q":
                    scale.pop()
                elif operator == "cm":
                    scale[-1] *= float(instruction.operands[0])
                elif operator == "Do":
                    found.append(scale[-1])
    return found


def test_grey_has_no_colour() -> None:
    made = story("en")
    coloured, grey = (pages(made, Options(grey=how), 40) for how in (False, True))
    assert any(has_colours(page) for page in coloured)
    assert not any(has_colours(page) for page in grey)
    assert "grayscale(1)" in made.to("html", Options(grey=True)).decode()


def has_colours(page: Picture.Image) -> bool:
    red, green, blue = (page.getchannel(name).tobytes() for name in "RGB")
    return not red == green == blue


@needs_pdftotext
def test_the_running_head_and_numbers_can_be_left_out() -> None:
    with_head, without = (
        read_text(story("en").to("pdf", Options(header=how)), "-f", "2") for how in (True, False)
    )
    assert "The Harbour Press · The Clock That Nobody Winds" in with_head
    assert re.search(r"^2$", with_head, re.M)
    assert "The Harbour Press" not in without
    assert not re.search(r"^2$", without, re.M)


def test_a_style_sheet_of_ones_own_comes_last_and_cannot_leave_its_element() -> None:
    page = story("en").to("html", Options(style="p { color: teal } </style><b>")).decode()
    assert page.index("p { color: teal }") > page.index("--serif")
    assert "</style><b>" not in page


@needs_pdftotext
@pytest.mark.parametrize("words", range(180, 460, 40))
def test_a_figure_leaves_little_space_before_it(words: int) -> None:
    """It is made smaller where that lets it end on the page; else less than a third stays free."""
    boxes = edges(make_illustrated(words), Options(header=False))
    with open_pdf(make_illustrated(words).to("pdf", Options(header=False))) as document:
        shown = bool(document.pages[0].get_images())
    free = (842 - 72) - max(box[3] for box in boxes)
    assert shown or free < 0.3 * (842 - 144)


def test_pictures_of_one_figure_stand_side_by_side() -> None:
    urls = [f"https://press.example/{i}.jpg" for i in range(2)]
    made = make_article(Figure(tuple(Image(url) for url in urls)))
    made = with_pictures(made, {url: Resource(url, "image/jpeg", photo()) for url in urls})
    first, second = picture_widths(made, Options())
    assert first == pytest.approx(second)
    assert first < 0.5 * (595 - 2 * 71)


@needs_pdftotext
def test_a_long_line_of_code_goes_on_deeper_than_it_began() -> None:
    code = make_article(Code("if x:\n    call(" + "argument, " * 20 + ")"))
    lines: dict[int, float] = {}
    for left, top, _, _ in edges(code, Options(header=False)):
        lines.setdefault(round(top), left)
    _title, start, inside, rest, *_ = lines.values()
    assert start < inside < rest


def test_a_title_is_broken_into_lines_of_like_length() -> None:
    title = "The Clock That Nobody in the Harbour Office Has Ever Wound Again"
    boxes = [
        b
        for b in edges(make_article(p("x"), title=title), Options(header=False))
        if b[3] - b[1] > 15
    ]
    ends = [max(b[2] for b in boxes if round(b[1]) == top) for top in {round(b[1]) for b in boxes}]
    assert len(ends) == 2
    assert max(ends) - min(ends) < 130


def test_every_option_for_setting_is_an_option_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [field.name for field in fields(Options)]
    setting = names[names.index("paper") :]
    with pytest.raises(SystemExit):
        main(["clip", "--help"])
    shown = capsys.readouterr().out
    for name in setting:
        assert re.search(rf"--(no-)?{name.replace('_', '-')}\b", shown), name


def test_open_shows_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    page, out = tmp_path / "page.html", tmp_path / "story.html"
    page.write_text("<h1>Snow</h1>" + "<p>It fell in the night, and nobody was ready.</p>" * 4)
    assert main(["clip", str(page), "-o", str(out), "--open", "--render", "never"]) == 0
    assert shown == [out.resolve().as_uri()]
