"""Words that only a style sheet sets apart are apart; all others stay as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.strategies import trees

from tearsheet import extract
from tearsheet.page.parsed import parse, read_columns
from tearsheet.segments import segments


def text(html: str) -> str:
    return " | ".join(segments(parse(html)).text)


@pytest.mark.parametrize(
    ("html", "seen"),
    [
        ("<a><span>La Sportiva</span><span>Aragon Shoes</span></a>", "La Sportiva Aragon Shoes"),
        ("<b>Sale price: $28.80</b><b>Regular: $36</b>", "Sale price: $28.80 Regular: $36"),
        ("<span>4.5 stars</span><span>187 reviews</span>", "4.5 stars 187 reviews"),
        ("<i>Released:</i><i>May</i>", "Released: May"),
        ("<i><b>Nested</b></i><u><s>Deeply</s></u>", "Nested Deeply"),
    ],
)  # fmt: skip
def test_two_boxes_are_two_words(html: str, seen: str) -> None:
    assert text(html) == seen


@pytest.mark.parametrize(
    "html",
    [
        "<b>bold</b><i>er</i>",  # a small letter goes on
        "<b>Mac</b>Book and Face<b>Book</b>",  # one of the two has no element of its own
        "<span>T</span><span>HE first letter</span>",  # an initial
        "<i>CO</i><sub>2</sub> and <b>1</b><sup>2</sup>",
        "<code><b>Console</b><b>.</b><b>WriteLine</b><b>Now</b></code>",
        "<pre><b>if</b><b>X</b></pre>",
        "<span>$19.</span><span>99</span>",
        "<b>(</b><b>Inc</b>",
        "<b>東京</b><b>Tokyo</b>",
        "<b>one </b><b>Two</b><b> Three</b>",
    ],
)
def test_other_edges_stay(html: str) -> None:
    page = parse(html)
    assert "".join(page.text) == "".join(piece.split(">")[-1] for piece in html.split("<"))


def test_lines_are_not_joined() -> None:
    assert text("<p><b>One</b></p><p><b>Two</b></p><b>Three</b><br><b>Four</b>") == (
        "One | Two | Three | Four"
    )


@settings(max_examples=100)
@given(trees)
def test_nothing_but_a_space_is_added(html: str) -> None:
    written = read_columns(html.encode())[0].text
    for text, before in zip(parse(html).text, written, strict=True):
        assert text == before or (text == before + " " and not before[-1].isspace())


def test_the_article_has_the_words_apart() -> None:
    name = "<a href=/x><span>La Sportiva</span><span>Aragon Shoes</span></a>"
    card = f"<li>{name}<p>For the first days on rock.</li>"
    other = card.replace("Aragon", "Mistral")
    article = extract(f"<main><h1>Shoes</h1><ul>{card}{other}</ul></main>")
    assert "La Sportiva Aragon Shoes" in article.text
    assert "La Sportiva Mistral Shoes" in article.markdown.replace("[", "").replace("]", " ")
