"""Segments: the visible text between line breaks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from tearsheet.page.parsed import parse
from tearsheet.segments import count_words, segments
from tearsheet.tags import NAMES
from tearsheet.types import Segments

from .strategies import pages


def read(body: str) -> Segments:
    return segments(parse(f"<body>{body}"))


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>One</p><p>Two</p>", ["One", "Two"]),
        ("<p>a <b>b</b><i> c</i></p>", ["a b c"]),
        ("a<br>b<br/>c", ["a", "b", "c"]),
        ("<div>before<p>in</p>after</div>", ["before", "in", "after"]),
        ("<td>not a table<td>at all", ["not a tableat all"]),
        ("<table><tr><td>a<td>b</table>", ["a", "b"]),
        ("<p>soft\u00adhyphen and zero\u200bwidth</p>", ["softhyphen and zerowidth"]),
        ("<p> many \n\t spaces\u00a0here </p>", ["many spaces here"]),
        ("<p>a<script>b</script>c</p>", ["ac"]),
        ("<p>a<svg><text>b</text></svg>c</p>", ["ac"]),
        ("<select><option>a</select><textarea>b</textarea>c", ["c"]),
        ("<p hidden>a</p><p>b</p>", ["b"]),
        ("<p style='display: none'>a</p><p>b</p>", ["b"]),
        ("<p>\u200b</p>", []),
        ("<p>a\u200eb\u200fc\u2060d\ufeffe</p>", ["abcde"]),
        ("<p>a\u200ec</p><p>a\u200fc</p><p>a\u2060c</p><p>a\ufeffc</p>", ["ac"] * 4),
        ("<p>a\u200db \u200cc</p>", ["a\u200db \u200cc"]),
        ("", []),
    ],
)
def test_lines_break_where_the_tags_break_them(html: str, texts: list[str]) -> None:
    assert read(html).text == texts


def test_a_page_that_hides_most_of_itself_is_read_all_the_same() -> None:
    assert read("<div hidden><p>a</p><p>b</p></div><p>c</p>").text == ["a", "b", "c"]


def test_the_block_is_the_closest_element_that_breaks_lines() -> None:
    page = parse("<div><p>a <b>bold</b></p>tail</div>")
    assert [NAMES[page.tag[row]] for row in segments(page).block] == ["p", "div"]


def test_characters_in_links_are_counted() -> None:
    found = read("<p>See <a href=x>the <b>report</b></a> here.</p><p>No link.</p>")
    assert found.link_chars.tolist() == [len("the") + len("report"), 0]


def test_words_of_scripts_without_spaces_count_by_the_character() -> None:
    assert read("<p>one two three</p><p>今日は雪が降る</p>").words.tolist() == [3, 1 + 7 // 2]


@settings(max_examples=150)
@given(pages)
def test_segments_are_folded_ordered_and_apart(html: str) -> None:
    found = segments(parse(html))
    assert all(text == " ".join(text.split()) != "" for text in found.text)
    assert (found.first <= found.last).all()
    assert (found.last[:-1] < found.first[1:]).all()
    assert (found.chars == [len(text) for text in found.text]).all()
    assert (found.link_chars <= found.chars).all()


@settings(max_examples=100)
@given(pages)
def test_every_word_of_a_segment_stands_in_its_rows(html: str) -> None:
    page = parse(html)
    found = segments(page)
    for first, last, text in zip(found.first, found.last, found.text, strict=True):
        written = "".join(page.text[first : last + 1])
        assert set(text) - {" "} <= set(re.sub(r"\s", "", written))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" \n", 0),
        ("one  two\n three ", 3),
        ("სამი ქართული სიტყვა", 3),
        ("今日は雪が降る", 1 + 7 // 2),
        ("ภาษาไทย ok", 2 + 7 // 2),
        ("hard\u00a0space", 2),
    ],
)
def test_words_are_counted_the_same_everywhere(text: str, words: int) -> None:
    assert count_words(text) == words


@settings(max_examples=100)
@given(pages)
def test_segments_count_the_words_of_their_text(html: str) -> None:
    found = segments(parse(html))
    assert found.words.tolist() == [count_words(text) for text in found.text]


def test_a_line_of_joiners_alone_is_blank() -> None:
    page = parse("<p>One.</p><p>&zwj;</p><p> &zwnj;&nbsp;</p><p>क्&zwj;ष</p>")
    assert segments(page).text == ["One.", "क्\u200dष"]
