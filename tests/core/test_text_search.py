"""Words are found in many texts at once as they are in each text alone."""

from __future__ import annotations

import pytest
from fuzz.target import cpu_limit
from hypothesis import example, given
from hypothesis import strategies as st

from tearsheet._core.text_search import find_begins, find_texts

WORDS = (' role="', "ookie", "aab", "display:", "Onto")
PIECES = [*WORDS, *map(str.upper, WORDS), "a", "o", "b", "é", "漢", "\0", "😀", "x" * 70]
TEXTS = st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))


@given(TEXTS)
@example([])
@example(["a", "a", "", "aab", "a" * 64 + "ookie", "ook", "ie", "\xff" * 200 + "aab", "xaab"])
def test_texts_with_a_word_are_found_as_in_each_alone(texts: list[str]) -> None:
    plain = [i for i, text in enumerate(texts) if any(word in text for word in WORDS)]
    assert find_texts(texts, WORDS) == plain


@given(TEXTS)
def test_case_is_ignored_if_that_is_asked_for(texts: list[str]) -> None:
    words = tuple(word.lower() for word in WORDS)
    plain = [i for i, text in enumerate(texts) if any(word in text.lower() for word in words)]
    assert find_texts(texts, words, any_case=True) == plain


def test_a_word_that_is_new_is_found_in_texts_that_were_searched() -> None:
    texts = ["known to all", "never asked for before"]
    assert find_texts(texts, ("known",)) == [0]
    assert find_texts(texts, ("asked for bef",)) == [1]
    assert find_texts(texts, ("known", "asked for bef")) == [0, 1]
    texts.append("known, too")
    assert find_texts(texts, ("known",)) == [0, 2]


@pytest.mark.parametrize("word", ["", "ab", "é€e", "a" * 65])
def test_a_word_that_cannot_be_searched_for_is_an_error(word: str) -> None:
    with pytest.raises(ValueError, match="cannot search for"):
        find_texts(["text"], (word,))


@given(TEXTS)
@example(["", "A", "ad", "Ad on", "– Ad –", "1st", "ad" * 40, "ßa", "-" * 61])
def test_texts_are_found_by_how_they_begin(texts: list[str]) -> None:
    begins, longest = frozenset(("ad", "Ad", "ßa")), 60
    plain = [
        i
        for i, text in enumerate(texts)
        if len(text) <= longest and (text[:2] in begins or not text[:1].isalnum())
    ]
    assert find_begins(texts, begins, longest) == plain


def test_a_text_is_looked_at_once_for_a_word_that_it_has_in_another_case() -> None:
    text = "important! " * 400_000
    with cpu_limit(10):
        assert find_texts(["IMPORTANT", text, text + "IMPORTANT"], ("IMPORTANT",)) == [0, 2]
