"""The title: the paper's score with given numbers, and the choice when declarations differ."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.components.pages import TEXT, clipping

from tearsheet.acquire.browser import Browser
from tearsheet.components import title
from tearsheet.components._compare import levenshtein, only_letters, similarity
from tearsheet.components._head import read_head
from tearsheet.types import Layout

from .pages import drawn_clipping


def find(html: str, url: str = "https://www.dailyharbour.example/story") -> title.Title:
    made = clipping(html, url)
    return title.find_title(made.page, made.segments, made.verdict, read_head(made.page))


def test_m_is_one_minus_the_distance_over_the_length_of_the_title_field() -> None:
    assert similarity("kitten", "sitting") == pytest.approx(1 - 3 / 7)
    assert similarity("nothing like it", "abc") == 0  # d > L is cut to L
    assert similarity("same", "same") == 1


@given(st.text("abc", max_size=9), st.text("abcd", max_size=9))
def test_the_distance_is_levenshteins(s: str, t: str) -> None:
    table = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        row = [i]
        for j, b in enumerate(t, 1):
            row.append(min(table[j] + 1, row[-1] + 1, table[j - 1] + (a != b)))
        table = row
    assert levenshtein(s, t) == table[-1]


def test_q_with_the_papers_parameters() -> None:
    """(m + 0.5) · 1.15^(7-h) · (0.1 + α)² · f for m = 1, h = 2, α = 0.9, f = 18."""
    candidate = title.Candidate("A", 0, level=2, points=18, alignment=0.9)
    assert title.score(candidate, {"a"}) == pytest.approx(1.5 * 1.15**5 * 1.0**2 * 18)


def test_q_without_layout_leaves_the_alignment_out() -> None:
    candidate = title.Candidate("A", 0, level=7, points=12, alignment=None)
    assert title.score(candidate, set()) == pytest.approx(0.5 * 12)


@pytest.mark.parametrize(
    ("x0", "x1", "alpha"),
    [(100, 300, 1.0), (150, 450, 1.0), (200, 300, 0.875), (900, 950, 0.0)],
    ids=["left edges meet", "centres meet", "the nearer of both counts", "never below zero"],
)
def test_alpha_is_by_left_edge_or_centre(x0: float, x1: float, alpha: float) -> None:
    """The main text reaches from 100 to 500: w = 400."""
    assert title._alignment(x0, x1, 100, 500) == pytest.approx(alpha)


def test_a_site_name_larger_than_the_title_is_not_the_title() -> None:
    head = "<title>Boats come home - Daily Harbour</title><h1>Daily Harbour</h1>"
    page = f"{head}<h2>Boats come home</h2>{TEXT}"
    assert find(page).text == "Boats come home"


def test_a_logo_heading_that_the_page_never_names_as_the_site() -> None:
    page = f"<title>Boats come home</title><h1>Tide</h1><h2>Boats come home</h2>{TEXT}"
    assert find(page) == title.Title("Boats come home", "heading h2", find(page).row)


def test_a_hidden_heading_with_another_text_is_skipped() -> None:
    head = "<title>Boats come home</title><h1 hidden>All about fish</h1>"
    page = f"{head}<h2>Boats come home</h2>{TEXT}"
    assert find(page).text == "Boats come home"


def test_the_visible_heading_wins_over_a_title_made_for_search_engines() -> None:
    page = (
        "<title>Boats 2026: best boats | Daily Harbour</title>"
        '<meta property="og:title" content="You will not believe these boats">'
        f"<h1>Boats come home after a long night</h1>{TEXT}"
    )
    assert find(page).text == "Boats come home after a long night"


def test_a_heading_that_shares_no_word_with_a_declared_title_is_no_title() -> None:
    page = (
        "<title>Boats come home</title>"
        '<meta property="og:title" content="Boats come home">'
        f"<h1>Our blog</h1>{TEXT}"
    )
    assert find(page).text == "Boats come home"
    assert find(page).row == -1


def test_a_kicker_in_an_element_of_its_own_is_no_part_of_the_title() -> None:
    page = (
        '<title>Boats come home</title><meta property="og:title" content="Boats come home">'
        f"<h1><span>Fishing</span> <span>Boats come home</span></h1>{TEXT}"
    )
    assert find(page).text == "Boats come home"
    assert find(page).rule == "og:title, as a part of the heading"


def test_site_and_section_are_stripped_off_the_title_element() -> None:
    page = (
        '<title>Boats come home - Sea - Daily Harbour</title><meta property="og:site_name" '
        f'content="Daily Harbour"><meta property="article:section" content="Sea">{TEXT}'
    )
    assert find(page).text == "Boats come home"
    assert find(page).rule == "title element"


def test_headings_behind_the_first_quarter_of_the_text_are_no_candidates() -> None:
    page = f"<h2>Boats come home</h2>{TEXT}{TEXT}<h1>More boats</h1>{TEXT}"
    assert find(page).text == "Boats come home"


def test_a_page_without_any_title_has_none() -> None:
    assert find(TEXT) == title.Title("", "")


def test_by_layout_position_and_font_decide_who_may_be_the_title() -> None:
    """A heading right of the text's centre, one below its top quarter and one in smaller letters
    are out; a line without a tag in large letters is in."""
    made = clipping(
        "<title>Boats come home</title><h1>Right of the centre</h1><div>Boats come home</div>"
        f"<h3>Small print</h3>{TEXT}<h1>Further down</h1>"
    )
    page, parts = made.page, made.segments
    boxes = {  # left, top, right, bottom, font size
        "Right of the centre": (600, 10, 800, 40, 32),
        "Boats come home": (100, 50, 400, 90, 28),
        "Small print": (100, 95, 300, 99, 10),
        "Further down": (100, 900, 300, 940, 32),
    }
    size = len(page)
    column = {name: np.zeros(size, np.float32) for name in "x0 y0 x1 y1 font_size".split()}
    for i, text in enumerate(parts.text):
        box = boxes.get(text, (100, 100 + 100 * i, 700, 180 + 100 * i, 16))
        rows = slice(int(page.parent[parts.first[i]]), int(parts.last[i]) + 1)
        for name, value in zip(column, box):
            column[name][rows] = value
    flags, shorts = np.ones(size, np.bool_), np.zeros(size, np.uint8)
    layout = Layout(
        **column, font_weight=np.full(size, 400, np.int32), color=np.zeros(size, np.int32),
        background=np.zeros(size, np.int32), background_image=~flags, align=shorts,
        display=shorts, visible=flags, border=column["x0"], rule=column["x0"], fixed=~flags,
        width=1000, height=1000,
    )  # fmt: skip
    keep = np.array([text not in boxes for text in parts.text])
    verdict = replace(made.verdict, keep=keep)
    names = [c.text for c in title.candidates(replace(page, layout=layout), parts, verdict)]
    assert names == ["Boats come home"]


def test_a_line_as_large_as_the_text_may_be_the_title_only_if_all_of_it_is_bold(
    browser: Browser,
) -> None:
    html = (
        "<div><b>Boats</b> come home</div><div><b>Boats come <i>home</i></b></div>"
        f"<div style='font-weight: 700'>Boats <span style='font-weight: 400'>go</span></div>{TEXT}"
    )
    drawn = drawn_clipping(html, browser)
    found = title.candidates(drawn.page, drawn.segments, drawn.verdict)
    assert [candidate.text for candidate in found] == ["Boats come home"]


def test_a_title_without_a_heading_is_cut_to_a_line_of_the_page() -> None:
    """Nothing says which part of `<title>` is the site; a line of the page is the other part."""
    html = f"<title>The tide — Notes from the quay</title><div>The tide</div>{TEXT}"
    assert find(html).text == "The tide"
    assert find(html).rule == "title element, as a line of the page"


def test_a_title_that_is_never_closed_costs_no_more_than_others() -> None:
    """It holds the whole page; only its beginning is read."""
    html = "<h1>The tide</h1><title>The tide" + " - and so on | " * 20_000
    assert len(find(html).text) < 2_000


def test_a_heading_in_a_menu_is_the_last_crumb_not_the_title() -> None:
    crumbs = "<nav><a href=/>Start</a> <h1>Fleet: Boats come home today</h1></nav>"
    head = "<title>Fleet: Boats come home today</title>"
    page = f"{head}{crumbs}<h2>The Boats come home today</h2>{TEXT}"
    assert find(page).text == "The Boats come home today"


def test_the_signs_between_the_parts_of_a_heading_are_those_declared() -> None:
    head = '<meta property="og:title" content="Harbour: Boats come home">'
    page = f"{head}<h1><span>Harbour</span> <span>Boats come home</span></h1>{TEXT}"
    assert find(page).text == "Harbour: Boats come home"


def test_an_element_called_a_kicker_is_no_part_of_the_title() -> None:
    heading = '<h1><span class="post__kicker">The fleet</span> - <b>Boats come home</b></h1>'
    assert find(f"<title>Sea: Boats come home</title>{heading}{TEXT}").text == "Boats come home"


def test_a_kicker_that_the_page_declares_with_its_title_stays() -> None:
    heading = '<h1><span class="kicker">The fleet</span>: <b>Boats come home</b></h1>'
    page = f"<title>The fleet: Boats come home</title>{heading}{TEXT}"
    assert find(page).text == "The fleet: Boats come home"


def test_soft_hyphens_are_no_part_of_the_title() -> None:
    assert find(f"<h1>Fisch&shy;markt</h1>{TEXT}").text == "Fischmarkt"


def test_the_heading_wins_though_the_address_has_more_words_of_another_title() -> None:
    html = (
        "<meta property='og:title' content='How to Start a Bakery in Größenau'>"
        f"<h1>Form your bakery today</h1><p>{TEXT}"
    )
    told = find(html, "https://example.org/how-to-start-a-bakery-in-groessenau-120345.html")
    assert told.text == "Form your bakery today"


def test_invisible_signs_are_no_part_of_the_title() -> None:
    assert find(f"<h1>The B\ufeffest Ha\u200brbours</h1><p>{TEXT}").text == "The Best Harbours"


@given(st.text() | st.text("aé’ß“ _-.\u0130\xa0漢\u0301"))
def test_only_letters_and_digits_are_left(text: str) -> None:
    assert only_letters(text) == re.sub(r"[\W_]+", "", text).casefold()


@pytest.mark.parametrize("end", ["", " - X Blog", " | Featured Blog"])
def test_a_label_of_a_section_is_not_the_title_if_a_heading_repeats_the_title_element(
    end: str,
) -> None:
    headings = "<h1>Featured Blog</h1><h2>The harbour opens again</h2>"
    html = f"<title>The harbour opens again{end}</title>{headings}<p>{TEXT}"
    assert find(html).text == "The harbour opens again"


@pytest.mark.parametrize(
    "heading",
    [
        '<h1 id="tides">Of tides<a class="headerlink" href="#tides">¶</a></h1>',
        '<h1>Of tides <button title="Copy the path">Copy item path</button></h1>',
        '<h1><a href="#tides" name="tides">#</a> Of tides</h1>',
        "<h1><button>Of tides</button></h1>",
    ],
)
def test_marks_and_buttons_in_a_heading_are_no_part_of_the_title(heading: str) -> None:
    assert find(f"<title>Of tides | Harbour</title>{heading}{TEXT}").text == "Of tides"


def test_what_separates_the_title_from_nothing_is_no_part_of_it() -> None:
    assert find(f"<title>Of tides and people -</title>{TEXT}").text == "Of tides and people"
    assert find(f"<title>« Of tides »</title><h1>« Of tides »</h1>{TEXT}").text == "« Of tides »"
