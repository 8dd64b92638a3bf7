"""Words asked for by where they stand are the words that training counts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.features import words
from tearsheet.features.words import Words
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Segments

TEXTS = st.lists(
    st.text("aBc9½ _-Ωſİ字. ", min_size=1, max_size=90).filter(str.strip), min_size=1, max_size=6
)
NAMES = st.text("aBcD-_ 9é", max_size=20)


def test_a_label_is_worth_what_was_learned_of_it() -> None:
    said = _said("12 Comments", Words(["=0 comments", "0", "comments"], [3.0, -1.0, 2.0]), [])
    assert said[:4].tolist() == [3.0, -1.0, 2.0, 0.5]


def test_words_of_the_title_are_counted_whatever_their_capitals() -> None:
    said = _said("The Tides of 2024", Words([], []), ["tides", "the", "0", "harbour"])
    assert said[4:].tolist() == [0.75, 0.75]


def test_words_of_longer_texts_are_others() -> None:
    long = "tide " * 13  # one more than a label has
    assert _said(long, Words(["tide", "~tide"], [1.0, 5.0]), ["tide"])[:5].tolist() == [
        0.0, 5.0, 5.0, 5.0, 0.0,
    ]  # fmt: skip


@given(TEXTS)
def test_every_word_of_a_text_is_found_again(texts: list[str]) -> None:
    parts = _segments(texts)
    spoken = list(words.spoken(parts))
    learned = {key: float(i + 1) for i, key in enumerate(_keys(spoken))}
    out, weights = np.zeros((6, len(parts)), np.float32), np.zeros((3, len(parts)), np.float32)
    weighed = Words(learned, [[value] * 4 for value in learned.values()])
    words.fill_said(out.data, weights.data, parts, weighed, [])
    for i, (whole, said) in enumerate(spoken):
        assert out[0, i] == learned.get(whole, 0.0)
        total = sum(learned[word] for word in (whole, *said) if word)
        assert weights[:, i].tolist() == [total, total, learned.get(whole, 0.0)]
        if said:
            assert out[1, i] == min(learned[word] for word in said)
            assert out[2, i] == max(learned[word] for word in said)


@given(st.lists(st.tuples(st.sampled_from(["class", "id", "href", "data-x"]), NAMES)))
def test_every_name_of_an_element_is_found_again(attributes: list[tuple[str, str]]) -> None:
    raw = "".join(f' {name}="{value}"' for name, value in attributes)
    learned = {name: float(i + 1) for i, name in enumerate(dict.fromkeys(words.names_in(raw)))}
    out, counts = np.zeros((4, 1)), np.zeros(1, dtype=np.int32)
    weighed = Words(learned, [(value, 2 * value, -value) for value in learned.values()])
    words.fill_named(out.data, counts.data, [raw], weighed)
    total = sum(learned[name] for name in words.names_in(raw))
    assert out[:, 0].tolist() == [0, max(learned.values(), default=0.0), 2 * total, -total]
    assert counts[0] == len(words.names_in(raw))
    called = [value for name, value in attributes if name in ("class", "id")]
    assert words.names_in(raw) == [word for value in called for word in words.name_words(value)]


def test_many_words_are_kept_apart() -> None:
    """Tens of thousands of words: each has its own value, and no other has one."""
    learned = {f"w{i}": float(i % 97 + 1) for i in range(40_000)}
    known = Words(learned, list(learned.values()))
    rows = {word: known.row(word, 0, len(word), False) for word in learned}
    assert all(known.values[rows[word], 0] == learned[word] for word in learned)
    assert not any(known.row(f"v{i}", 0, len(f"v{i}"), False) for i in range(40_000))


def _keys(spoken: list[tuple[str, list[str]]]) -> dict[str, None]:
    return dict.fromkeys(key for whole, said in spoken for key in (whole, *said) if key)


def _said(
    text: str, learned: Words, title: list[str]
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    parts = _segments([text])
    out, weights = np.zeros((6, len(parts)), np.float32), np.zeros((3, len(parts)), np.float32)
    words.fill_said(out.data, weights.data, parts, learned, title)
    return out[:, 0]


def _segments(texts: list[str]) -> Segments:
    return segments(parse("".join(f"<p>{text}</p>" for text in texts)))
