"""Advertisements and pull quotes are removed from the kept text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.components.pages import TEXT, clipping

from tearsheet.components import asides


def keep_lines(html: str) -> list[str]:
    """The lines that are left if the method keeps everything."""
    made = clipping(html)
    made = replace(made, verdict=replace(made.verdict, keep=np.ones(len(made.segments), np.bool_)))
    left = asides.drop_asides(made)
    return [text for text, keep in zip(left.segments.text, left.verdict.keep) if keep]


def test_lines_beside_the_word_advertisement_are_removed() -> None:
    ad = "<div><p>Anzeige:</p><a href=/boats><img src=b.png></a><p>Boats from 18 a metre.</p></div>"
    assert keep_lines(TEXT + ad + "<p>The end.</p>") == [*keep_lines(TEXT), "The end."]


def test_a_label_with_a_remark_is_an_advertisement_too() -> None:
    ad = "<div><p>Advertisement - story continues below</p><p>Boats from 18 a metre.</p></div>"
    assert keep_lines(TEXT + ad) == keep_lines(TEXT)
    other = "<div><p>Advertisement rates fell again</p><p>Nobody knows why.</p></div>"
    assert len(keep_lines(TEXT + other)) == len(keep_lines(TEXT)) + 2


def test_a_long_text_with_the_word_on_its_own_line_stays() -> None:
    lines = keep_lines(f"<div><p>Advertisement</p>{TEXT}</div>")
    assert lines == ["Advertisement", *keep_lines(TEXT)]


def test_a_quotation_set_apart_that_repeats_the_text_is_removed() -> None:
    quote = "<p>“the fish market had sold out of everything but crabs”</p>"
    quote = f'<aside class="pull">{quote}</aside>'
    assert keep_lines(TEXT + quote) == keep_lines(TEXT)


def test_a_quotation_that_says_something_new_stays() -> None:
    quote = "<blockquote><p>Nobody asked for eels, and nobody had any to sell.</p></blockquote>"
    assert len(keep_lines(TEXT + quote)) == len(keep_lines(TEXT)) + 1


def test_a_line_that_occurs_twice_in_the_text_stays() -> None:
    assert keep_lines(f"{TEXT}<p>certain how many of them had gone out</p>")[-1].startswith(
        "certain"
    )


def test_a_verdict_without_such_lines_stays_as_it_is() -> None:
    made = clipping(TEXT)
    assert asides.drop_asides(made) is made


def test_a_page_without_kept_text_has_no_asides() -> None:
    made = clipping(TEXT)
    nothing = np.zeros(len(made.segments), np.bool_)
    made = replace(made, verdict=replace(made.verdict, keep=nothing))
    assert asides.drop_asides(made) is made
