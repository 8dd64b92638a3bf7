"""Words asked for by where they stand are the words that training counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tearsheet._core.words import name_words
from tearsheet.methods.forest.columns import LEXICAL, numbers
from tearsheet.methods.forest.containers import find_containers
from tearsheet.methods.forest.passes import make_table
from tearsheet.methods.forest.vocabulary import Words, fill_lexical, names_in, spoken_words
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Page

TEXTS = st.lists(
    st.text("aBc9½ _-Ωſİ字. ", min_size=1, max_size=90).filter(str.strip), min_size=1, max_size=6
)
NAMES = st.text("aBcD-_ 9é", max_size=20)


def test_a_label_is_worth_what_was_learned_of_it() -> None:
    said = _text_columns(
        "12 Comments", Words(["=0 comments", "0", "comments"], [3.0, -1.0, 2.0]), []
    )
    found = [said[name] for name in ("text_effect", "worst_word", "best_word", "mean_word")]
    assert found == [3.0, -1.0, 2.0, 0.5]


def test_words_of_the_title_are_counted_whatever_their_capitals() -> None:
    said = _text_columns("The Tides of 2024", Words([], []), ["tides", "the", "0", "harbour"])
    assert (said["title_overlap"], said["title_coverage"]) == (0.75, 0.75)


def test_words_of_longer_texts_are_others() -> None:
    said = _text_columns(
        "tide " * 13, Words(["tide", "~tide"], [1.0, 5.0]), ["tide"]
    )  # a label has 12
    assert said["text_effect"] == said["title_overlap"] == 0
    assert said["worst_word"] == said["best_word"] == said["mean_word"] == 5


@given(TEXTS)
def test_every_word_of_a_text_is_found_again(texts: list[str]) -> None:
    page = _page(texts)
    spoken = list(spoken_words(segments(page)))
    learned = {key: float(i + 1) for i, key in enumerate(_keys(spoken))}
    found = _columns(page, Words([], []), Words(learned, [[v] * 4 for v in learned.values()]))
    for i, (whole, said) in enumerate(spoken):
        assert found["text_effect"][i] == learned.get(whole, 0.0)
        assert found["weight_text"][i] == sum(learned[word] for word in (whole, *said) if word)
        if said:
            assert found["worst_word"][i] == min(learned[word] for word in said)
            assert found["best_word"][i] == max(learned[word] for word in said)


@given(st.lists(st.tuples(st.sampled_from(["class", "id", "href", "data-x"]), NAMES)))
def test_every_name_of_an_element_is_found_again(attributes: list[tuple[str, str]]) -> None:
    raw = "".join(f' {name}="{value}"' for name, value in dict(attributes).items())
    learned = {name: float(i + 1) for i, name in enumerate(dict.fromkeys(names_in(raw)))}
    names = Words(learned, [(value, 2 * value, -value) for value in learned.values()])
    found = _columns(parse(f"<p{raw}>Text</p>"), names, Words([], []))
    total = sum(learned[name] for name in names_in(raw))
    assert found["names_worst"] == [0]
    assert found["names_best"] == [max(learned.values(), default=0.0)]
    assert found["weight_names"] == [2 * total]
    assert found["weight_own_names"] == [-total]
    called = [value for name, value in dict(attributes).items() if name in ("class", "id")]
    assert names_in(raw) == [word for value in called for word in name_words(value)]


def test_many_words_are_kept_apart() -> None:
    """Tens of thousands of words: each has its own value, and no other has one."""
    learned = {f"w{i}": float(i % 97 + 1) for i in range(40_000)}
    known = Words(learned, list(learned.values()))
    rows = {word: known.row(word, 0, len(word), False) for word in learned}
    assert all(known.values[rows[word], 0] == learned[word] for word in learned)
    assert not any(known.row(f"v{i}", 0, len(f"v{i}"), False) for i in range(40_000))


def _keys(spoken: list[tuple[str, list[str]]]) -> dict[str, None]:
    return dict.fromkeys(key for whole, said in spoken for key in (whole, *said) if key)


def _text_columns(text: str, learned: Words, title: list[str]) -> dict[str, float]:
    page = parse(f"<title>{' '.join(title)}</title><p>{text}</p>")
    return {name: values[0] for name, values in _columns(page, Words([], []), learned).items()}


def _columns(page: Page, names: Words, texts: Words) -> dict[str, list[float]]:
    parts = segments(page)
    table = make_table(len(LEXICAL), len(parts))
    fill_lexical(table, page, parts, find_containers(page, parts), names, texts)
    return {name: table[row].tolist() for name, row in numbers(LEXICAL).items()}


def _page(texts: list[str]) -> Page:
    return parse("".join(f"<p>{text}</p>" for text in texts))
