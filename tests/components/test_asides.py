"""Advertisements in the text's own column, and pull quotes that say nothing new."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.components.pages import TEXT, clipping

from tearsheet.components import asides


def kept(html: str) -> list[str]:
    """The lines that are left when a method keeps everything."""
    made = clipping(html)
    made = replace(made, verdict=replace(made.verdict, keep=np.ones(len(made.segments), np.bool_)))
    left = asides.drop_asides(made)
    return [text for text, keep in zip(left.segments.text, left.verdict.keep) if keep]


def test_lines_beside_the_word_advertisement_are_left_out() -> None:
    ad = "<div><p>Anzeige:</p><a href=/boats><img src=b.png></a><p>Boats from 18 a metre.</p></div>"
    assert kept(TEXT + ad + "<p>The end.</p>") == [*kept(TEXT), "The end."]


def test_a_text_that_has_the_word_on_a_line_of_its_own_stays() -> None:
    lines = kept(f"<div><p>Advertisement</p>{TEXT}</div>")
    assert lines == ["Advertisement", *kept(TEXT)]


def test_a_quotation_set_apart_that_the_text_has_is_left_out() -> None:
    quote = "<p>“the fish market had sold out of everything but crabs”</p>"
    quote = f'<aside class="pull">{quote}</aside>'
    assert kept(TEXT + quote) == kept(TEXT)


def test_a_quotation_that_says_something_new_stays() -> None:
    quote = "<blockquote><p>Nobody asked for eels, and nobody had any to sell.</p></blockquote>"
    assert len(kept(TEXT + quote)) == len(kept(TEXT)) + 1


def test_a_line_of_the_text_that_comes_twice_stays() -> None:
    assert kept(f"{TEXT}<p>certain how many of them had gone out</p>")[-1].startswith("certain")


def test_a_verdict_without_such_lines_is_not_touched() -> None:
    made = clipping(TEXT)
    assert asides.drop_asides(made) is made


def test_a_page_of_which_nothing_is_kept_has_no_asides() -> None:
    made = clipping(TEXT)
    nothing = np.zeros(len(made.segments), np.bool_)
    made = replace(made, verdict=replace(made.verdict, keep=nothing))
    assert asides.drop_asides(made) is made
