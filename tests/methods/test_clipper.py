"""The value of segments, and each of the four refinements with its conditions."""

from __future__ import annotations

import numpy as np

from tearsheet import parameters
from tearsheet.clip import clip_page
from tearsheet.features.looks import measure_looks
from tearsheet.methods import clipper
from tearsheet.segments import segments
from tearsheet.types import Options, Page

from .drawn import draw_page

TEXT = "A paragraph of the article, long enough to count for more than a caption does."


def kept_lines(page: Page, faithful: bool = False) -> list[str]:
    """The lines of the whole page that the refinement leaves."""
    parts = segments(page)
    body = np.ones(len(parts), dtype=np.bool_)
    look = measure_looks(page, parts)
    keep = clipper.refine_body(page, parts, look, body, faithful=faithful)
    return [parts.text[i] for i in np.flatnonzero(keep)]


def article(extra: str) -> Page:
    return draw_page(
        f'<div box="100 0 700 900"><p box="100 0 700 100">{TEXT}</p>{extra}'
        f'<p box="100 500 700 600">{TEXT}</p></div>'
    )


def test_smaller_text_is_pulled_and_larger_stays() -> None:
    page = article('<p size="12">Caption</p><h2 size="24">Heading</h2>')
    assert kept_lines(page) == [TEXT, "Heading", TEXT]


def test_text_beside_the_column_is_pulled() -> None:
    page = article('<p box="720 100 900 200">Advertisement</p>')
    assert kept_lines(page) == [TEXT, TEXT]


def test_text_aligned_otherwise_is_pulled() -> None:
    assert kept_lines(article('<p align="1">Centred</p>')) == [TEXT, TEXT]


def test_text_in_a_frame_is_pulled() -> None:
    assert kept_lines(article('<div border="1"><p>Framed</p></div>')) == [TEXT, TEXT]


def test_a_frame_around_the_whole_text_pulls_nothing() -> None:
    page = draw_page(f'<div border="2"><p>{TEXT}</p><p>{TEXT}</p></div>')
    assert kept_lines(page) == [TEXT, TEXT]


def test_a_frame_around_most_of_the_text_is_the_article() -> None:
    """By the letter of the paper it is none as soon as one line lies outside it."""
    page = draw_page(f'<p>By Ann Lee</p><div border="2"><p>{TEXT}</p><p>{TEXT}</p></div>')
    assert kept_lines(page) == ["By Ann Lee", TEXT, TEXT]
    assert kept_lines(page, faithful=True) == ["By Ann Lee"]


def test_code_stays_though_it_is_small_or_framed() -> None:
    page = article('<pre size="12">x = 1</pre><div border="1"><pre>y = 2</pre></div>')
    assert kept_lines(page) == [TEXT, "x = 1", "y = 2", TEXT]
    assert kept_lines(page, faithful=True) == [TEXT, TEXT]


def test_a_framed_block_quotation_stays() -> None:
    page = article('<blockquote border="1"><p>Quoted</p></blockquote>')
    assert kept_lines(page) == [TEXT, "Quoted", TEXT]


def test_a_rule_that_would_take_all_text_is_left_out() -> None:
    """By the letter, two frames that hold half of the text each leave nothing."""
    page = draw_page(f'<div border="2"><p>{TEXT}</p></div><div border="2"><p>{TEXT}</p></div>')
    assert kept_lines(page) == [TEXT, TEXT]
    assert kept_lines(page, faithful=True) == []


def test_by_the_letter_the_title_looks_at_the_title_field_alone() -> None:
    """The name of the site is a candidate then, and what the page declares elsewhere is none:
    Q = 1.5 · 1.15^6 · 1.1² · 24 for it, and 0.5 or a little more · 1.15^5 · 1.1² · 15 for the
    other heading."""
    page = draw_page(
        "<title>The Daily Harbour</title><meta property='og:title' content='Boats come home'>"
        "<meta property='og:site_name' content='The Daily Harbour'>"
        '<h1 box="100 0 700 40" size="32">The Daily Harbour</h1>'
        '<h2 box="100 50 700 80" size="20">Boats come home</h2>'
        f'<p box="100 100 700 400">{TEXT}</p><p box="100 400 700 700">{TEXT}</p>'
    )
    parts = segments(page)
    count = clipper.features(page, parts, measure_looks(page, parts)).shape[1]
    known = {"weights": np.zeros(count), "intercept": np.array(1.0)}
    with parameters.use("clipper", known):
        assert clip_page(page, "clipper", Options()).title == "Boats come home"
        assert clip_page(page, "clipper", Options(faithful=True)).title == "The Daily Harbour"


def test_the_value_is_the_classifier_times_the_length() -> None:
    """An intercept alone: F = 2p - 1 = tanh(x / 2) for every segment."""
    page = article("<p>Short</p>")
    parts = segments(page)
    look = measure_looks(page, parts)
    count = clipper.features(page, parts, look).shape[1]
    known = {"weights": np.zeros(count), "intercept": np.array(-1.0)}
    with parameters.use("clipper", known):
        verdict = clipper.score(page, parts, Options())
    assert np.allclose(verdict.score, np.tanh(-0.5) * parts.chars)
    assert [parts.text[i] for i in np.flatnonzero(verdict.keep)] == ["Short"]


def test_the_style_of_a_segment_is_that_of_its_longest_piece() -> None:
    page = draw_page('<p size="16">A long piece of text <b size="30">bold</b></p>')
    parts = segments(page)
    assert measure_looks(page, parts).font_size.tolist() == [16.0]
