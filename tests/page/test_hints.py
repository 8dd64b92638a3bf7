"""Words are found in many texts at once as they are in each alone."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

hints = pytest.importorskip("tearsheet._core.hints", reason="it is compiled (no C compiler here)")

WORDS = (' role="', "ookie", "aa", "display:")
TEXTS = st.lists(
    st.lists(st.sampled_from([*WORDS, "a", "o", "é", "漢", "\0", "x" * 70]), max_size=9)
)


@given(TEXTS.map(lambda texts: ["".join(text) for text in texts]))
@example([])
@example(["a", "a", "", "aa", "a" * 64 + "ookie", "ook", "ie", "\xff" * 200 + "aa"])
def test_as_in_each_text_alone(texts: list[str]) -> None:
    plain = [i for i, text in enumerate(texts) if any(word in text for word in WORDS)]
    assert hints.hinted(texts, WORDS) == plain


@pytest.mark.parametrize("word", ["", "a", "é€", "a" * 65])
def test_a_word_that_cannot_be_looked_for_is_an_error(word: str) -> None:
    with pytest.raises(ValueError, match="cannot be looked for"):
        hints.hinted(["text"], (word,))
