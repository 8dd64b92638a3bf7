"""The first page of each kind of page."""

from __future__ import annotations

import pytest
from benchmarks.sheets import Line, find_faults, read_sheets
from tests.layout.stories import PHOTO, make_article, photo, with_pictures

from tearsheet.article import Article
from tearsheet.layout._first_page import find_kind, list_facts
from tearsheet.layout._frame import Frame
from tearsheet.types import (
    Block,
    Cell,
    Code,
    Definitions,
    Figure,
    Heading,
    Image,
    ListBlock,
    Options,
    Paragraph,
    Post,
    Resource,
    Run,
    Table,
)  # fmt: skip

WORDS = "Let it stand in a cool place until the tide has turned, and then look at it again. "


def paragraph(text: str = WORDS * 3) -> Paragraph:
    return Paragraph((Run(text.strip()),))


def make_list(*lines: str, ordered: bool = False) -> ListBlock:
    return ListBlock(tuple((paragraph(line),) for line in lines), ordered)


def dish() -> Article:
    return make_article(
        paragraph(), Heading((Run("What you need"),), 2), make_list("Two leeks", "Milk", "Flour"),
        Heading((Run("What you do"),), 2), make_list(WORDS, WORDS * 2, ordered=True),
        Heading((Run("Later"),), 2), paragraph(),
        ingredients=("two leeks", "milk", "flour"), facts=(("Cooking", "40 min"),),
    )  # fmt: skip


def thread(kind: str) -> Article:
    first = Post((paragraph(),), "Ada", "2026-11-03T10:20", kind)
    others = (Post((paragraph(),), name, "2 hours ago", "answer") for name in ("Bo", "Cy"))
    return make_article(first, *others)


def test_ingredients_stand_beside_the_steps() -> None:
    lines = [line for sheet in read_sheets(dish().to("pdf")) for line in sheet.lines]
    milk, step, later = find(lines, "Milk"), find(lines, "Let it stand"), find(lines, "Later")
    step = next(line for line in lines if line.left > milk.right + 20 and "Let it" in line.text)
    assert abs(step.top - milk.top) < 60
    assert later.left < milk.left
    assert find(lines, "40 min").top < milk.top


def find(lines: list[Line], text: str) -> Line:
    return next(line for line in lines if text in line.text)


@pytest.mark.parametrize("options", [Options(), Options(columns=2), Options(paper="a6")])
@pytest.mark.parametrize("made", [dish(), thread("question"), thread("post")])
def test_first_pages_have_no_faults(made: Article, options: Options) -> None:
    report = find_faults(made.to("pdf", options), made, options)
    assert [str(fault) for fault in report.faults if fault.kind != "blank"] == []


def test_kinds_are_told_by_what_the_article_has() -> None:
    questions, posts = thread("question"), thread("post")
    assert [find_kind(made, made.blocks) for made in (dish(), questions, posts)] == [
        "recipe", "questions", "thread",
    ]  # fmt: skip
    assert list_facts(questions, questions.blocks, "questions") == (
        ("Answers", "2"), ("People", "3"),
    )  # fmt: skip


def test_a_price_that_the_text_begins_with_is_not_said_again() -> None:
    facts = (("Brand", "Wend Depot"), ("Price", "82.00 GBP"))
    lantern = make_article(paragraph("£82.00"), paragraph(), facts=facts, site="Wend Depot")
    assert list_facts(lantern, lantern.blocks, "product") == ()
    other = make_article(paragraph("Ask for the price."), paragraph(), facts=facts)
    assert list_facts(other, other.blocks, "product") == facts


def test_a_long_manual_has_its_contents_on_the_first_page() -> None:
    parts = [
        block for i in range(8)
        for block in (Heading((Run(f"Chapter {i}"),), 2), *[paragraph(WORDS * 9)] * 3)
    ]  # fmt: skip
    made = make_article(*parts).replace(page_type={"documentation": 1.0})
    first, *_ = read_sheets(made.to("pdf"))
    assert all(any(f"Chapter {i}" in line.text for line in first.lines) for i in range(8))


def test_the_sign_of_an_item_never_stays_behind_alone() -> None:
    item = (Definitions((((Run("A term"),), (paragraph(WORDS),)),)),)
    made = make_article(*[paragraph(WORDS * 7)] * 6, ListBlock((item,) * 40))
    report = find_faults(made.to("pdf"), made, Options())
    assert report.count("stranded") == 0


def front_page() -> Article:
    """Pictures, headings that are links, and a sentence about each."""
    blocks = [
        block for i in range(5)
        for block in (
            Figure((Image(PHOTO, alt="A sea"),)),
            Heading((Run(f"Story {i}", href=f"https://press.example/{i}"),), 2),
            paragraph(WORDS),
        )
    ]  # fmt: skip
    return with_pictures(make_article(*blocks), {PHOTO: Resource(PHOTO, "image/jpeg", photo())})


def test_a_listing_has_its_pictures_beside_the_words() -> None:
    made = front_page()
    assert find_kind(made, made.blocks) == "listing"
    (sheet,) = read_sheets(made.to("pdf"))
    assert len(sheet.pictures) == 5
    for i, (_, top, right, bottom) in enumerate(sorted(sheet.pictures, key=lambda box: box[1])):
        heading = find(list(sheet.lines), f"Story {i}")
        assert heading.left > right
        assert top - 8 < heading.top < bottom


def test_headings_within_the_page_make_no_listing() -> None:
    headings = [
        Heading((Run(f"Part {i}", href=f"https://press.example/a#p{i}"),), 2) for i in range(5)
    ]
    made = make_article(*headings, paragraph(), canonical="https://press.example/a")
    assert find_kind(made, made.blocks) == "article"


def test_a_price_makes_a_product() -> None:
    made = make_article(paragraph(), facts=(("Price", "12 EUR"),))
    assert find_kind(made, made.blocks) == "product"


def test_times_and_servings_before_the_ingredients_stand_in_one_line() -> None:
    blocks = (paragraph(), make_list("Serves 4", "Oven 40 minutes"), *dish().blocks[1:])
    made = make_article(*blocks, ingredients=("two leeks", "milk", "flour"))
    lines = [line for sheet in read_sheets(made.to("pdf")) for line in sheet.lines]
    assert find(lines, "Serves 4").top == find(lines, "Oven 40 minutes").top
    assert find_faults(made.to("pdf"), made, Options()).share_copied == 1.0


def test_a_figure_with_more_pictures_than_a_page_holds_is_set_in_parts() -> None:
    figure = Figure(tuple(Image(PHOTO, alt="A sea") for _ in range(8)), (Run("All of them"),))
    tall = Resource(PHOTO, "image/jpeg", photo(700, 1000))
    made = with_pictures(make_article(paragraph(), figure, paragraph()), {PHOTO: tall})
    document = made.to("pdf")
    sheets = read_sheets(document)
    assert sum(len(sheet.pictures) for sheet in sheets) == 8
    assert find_faults(document, made, Options()).count("cut") == 0
    assert sum("All of them" in line.text for sheet in sheets for line in sheet.lines) == 1


@pytest.mark.parametrize("count", range(30, 37))
def test_a_heading_stays_with_a_line_whose_note_does_not_fit(count: int) -> None:
    noted = Paragraph((Run("See "), Run("there", href="https://press.example/x"), Run(" first.")))
    lines = [paragraph("A line.")] * count
    made = make_article(*lines, Heading((Run("The harbour"),), 2), noted, *lines)
    options = Options(links="footnotes")
    assert find_faults(made.to("pdf", options), made, options).count("stranded") == 0


@pytest.mark.parametrize("count", range(30, 38))
def test_an_item_stays_with_the_list_in_it(count: int) -> None:
    item = (paragraph("Two boats"), make_list("one of them red", "the other green"))
    made = make_article(*[paragraph("A line.")] * count, ListBlock((item,)), paragraph())
    assert find_faults(made.to("pdf"), made, Options()).count("stranded") == 0


def test_the_signs_of_word_processors_are_no_empty_boxes() -> None:
    made = make_article(paragraph("\uf06c one \uf0fc two \uf0d8 three"))
    assert find_faults(made.to("pdf"), made, Options()).count("glyph") == 0


def test_a_frame_around_an_article_is_no_table() -> None:
    cell = Cell((Heading((Run("Inside"),), 2), paragraph(WORDS * 9)))
    made = make_article(Table(((cell,), (Cell((paragraph("Below"),)),))))
    lines = [line for sheet in read_sheets(made.to("pdf")) for line in sheet.lines]
    assert find(lines, "cool place").size == Options().font_size
    small = make_article(Table(((Cell((paragraph("One"),)),), (Cell((paragraph("Two"),)),))))
    lines = [line for sheet in read_sheets(small.to("pdf")) for line in sheet.lines]
    assert find(lines, "One").size < Options().font_size


@pytest.mark.parametrize(("side", "count"), [(24, 0), (240, 1)])
def test_a_smiley_is_no_figure(side: int, count: int) -> None:
    made = make_article(paragraph(), Figure((Image(PHOTO, alt="A smile"),)))
    made = with_pictures(made, {PHOTO: Resource(PHOTO, "image/jpeg", photo(side, side))})
    assert sum(len(sheet.pictures) for sheet in read_sheets(made.to("pdf"))) == count


def with_photo(*blocks: Block, width: int = 600, height: int = 400) -> Article:
    resource = Resource(PHOTO, "image/jpeg", photo(width, height))
    return with_pictures(make_article(*blocks), {PHOTO: resource})


@pytest.mark.parametrize(("width", "least"), [(120, 0.5), (900, 0.3)])
def test_a_picture_leaves_room_for_the_other_cells(width: int, least: float) -> None:
    cells = (Cell((Figure((Image(PHOTO, alt="The sea"),)),)), Cell((paragraph(),)))
    made = with_photo(Table((cells,)), width=width, height=width)
    (sheet,) = read_sheets(made.to("pdf"))
    ((left, _, right, _),) = sheet.pictures
    text = find(list(sheet.lines), "Let it stand")
    assert right < text.left
    assert text.right - text.left > least * Frame(Options()).column
    assert right - left > 0.2 * Frame(Options()).column


@pytest.mark.parametrize("label", [("The harbour", "strong"), ("It looked like this:",)])
@pytest.mark.parametrize("count", range(8, 22, 2))
def test_a_label_stays_with_its_figure(label: tuple[str, ...], count: int) -> None:
    bold = Paragraph((Run(label[0], frozenset(label[1:])),))
    figure = Figure((Image(PHOTO, alt="The sea"),))
    made = with_photo(*[paragraph(WORDS * 2)] * count, bold, figure, paragraph())
    document = made.to("pdf")
    found = {fault.kind for fault in find_faults(document, made, Options()).faults}
    assert not found & {"stranded", "overlap", "blank"}
    for sheet in read_sheets(document):
        (place,) = [line for line in sheet.lines if line.text.strip() == label[0]] or (None,)
        assert place is None or (sheet.pictures and sheet.pictures[0][1] > place.bottom)


@pytest.mark.parametrize("count", range(28, 36))
def test_a_listing_leaves_no_single_line_behind(count: int) -> None:
    code = Code("\n".join(f"line_{i} = {i}" for i in range(14)))
    made = make_article(*[paragraph("A line.")] * count, code, paragraph())
    for sheet in read_sheets(made.to("pdf")):
        shown = sum(line.text.startswith("line_") for line in sheet.lines)
        assert shown not in (1, 2)


def test_a_heading_that_says_the_title_again_is_left_out() -> None:
    made = make_article(Heading((Run("A Title…"),), 2), paragraph())
    (sheet,) = read_sheets(made.to("pdf"))
    assert sum("itle" in line.text for line in sheet.lines) == 1


@pytest.mark.parametrize("options", [Options(), Options(columns=2)])
def test_a_long_part_of_a_listing_goes_on_over_pages(options: Options) -> None:
    made = front_page()
    blocks = (*made.blocks, *[paragraph(WORDS * 4)] * 60)
    made = with_pictures(make_article(*blocks), dict(made.pictures))
    assert find_kind(made, made.blocks) == "listing"
    report = find_faults(made.to("pdf", options), made, options)
    assert [str(fault) for fault in report.faults if fault.kind != "blank"] == []
