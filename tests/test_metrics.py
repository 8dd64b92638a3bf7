"""Each measure on an example that can be checked by hand, and the laws that all of them keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet import metrics
from tearsheet.features.geometry import covered_area
from tearsheet.metrics import Score
from tearsheet.types import Box

MEASURES = [
    metrics.word_score,
    metrics.bag_score,
    metrics.shingle_score,
    metrics.sequence_score,
    metrics.string_score,
    metrics.rouge_score,
]
DOG = "the dog jumps over the brown fox"
FOX = "the fox jumps over the brown dog"
texts = st.text(alphabet="abc \n", max_size=40)
sizes = st.integers(0, 12)
boxes = st.lists(st.tuples(sizes, sizes, sizes, sizes), max_size=6)


@pytest.mark.parametrize("measure", MEASURES)
class TestLaws:
    @given(text=texts)
    def test_a_text_equals_itself(self, measure: Callable[[str, str], Score], text: str) -> None:
        assert measure(text, text) == Score(1.0, 1.0)

    @given(found=texts, truth=texts)
    def test_precision_is_the_recall_of_the_other_way(
        self, measure: Callable[[str, str], Score], found: str, truth: str
    ) -> None:
        if measure is metrics.rouge_score:
            return  # its union is over the lines of one side only
        there, back = measure(found, truth), measure(truth, found)
        assert there.precision == pytest.approx(back.recall)
        assert there.recall == pytest.approx(back.precision)

    @given(found=texts, truth=texts)
    def test_all_values_lie_between_0_and_1(
        self, measure: Callable[[str, str], Score], found: str, truth: str
    ) -> None:
        score = measure(found, truth)
        assert 0 <= score.precision <= 1
        assert 0 <= score.recall <= 1
        assert min(score.precision, score.recall) <= score.f1 + 1e-9
        assert score.f1 <= max(score.precision, score.recall) + 1e-9

    def test_nothing_found_is_worth_nothing(self, measure: Callable[[str, str], Score]) -> None:
        assert measure("", "some words").f1 == 0
        assert measure("some words", "").f1 == 0


def test_the_density_papers_example() -> None:
    """§5.2 prints `jumps over the brown ` for the substring, whose letters and inner spaces are 20;
    with both spaces around it the string is 22 long, and without any 17, as §5.3 counts."""
    assert metrics.string_length(DOG, FOX) == len(" jumps over the brown ") == 22
    assert metrics.string_score(DOG, FOX).recall == pytest.approx(len("jumpsoverthebrown") / 26)
    assert metrics.sequence_length(DOG, FOX) == len("the o jumps over the brown o") == 28
    assert metrics.sequence_score(DOG, FOX).recall == pytest.approx(22 / 26)


@given(a=texts, b=texts)
def test_lengths_equal_those_of_the_textbook(a: str, b: str) -> None:
    assert metrics.sequence_length(a, b) == _textbook_sequence(a, b)
    assert metrics.string_length(a, b) == _textbook_string(a, b)


@given(a=texts, b=texts)
def test_matched_positions_are_a_longest_common_subsequence(a: str, b: str) -> None:
    positions = metrics.matched_positions(a, b)[::-1]
    assert positions == sorted(set(positions))
    assert len(positions) == _textbook_sequence(a, b)
    rest = iter(b)
    assert all(a[i] in rest for i in positions)


def test_long_texts_are_measured_exactly() -> None:
    truth = "".join(f"{i * i % 9973}," for i in range(10_000))
    found = truth[:20_000] + "#" + truth[20_000:40_000]
    assert metrics.string_length(found, truth) == 20_000
    assert metrics.sequence_length(found, truth) == 40_000


def test_words_count_as_often_as_they_occur_whatever_their_case() -> None:
    assert metrics.word_score("A rose is a rose.", "a Rose") == Score(2 / 5, 1.0)


def test_bag_of_words_splits_at_spaces_only() -> None:
    assert metrics.bag_score("good-bye now", "good bye now") == Score(1 / 2, 1 / 3)


def test_urls_are_words() -> None:
    assert metrics.address_score(["/a", "/b"], ["/b"]) == Score(0.5, 1.0)
    assert metrics.address_score([], []) == Score(1.0, 1.0)


def test_shingles_are_runs_of_four_words() -> None:
    assert metrics.shingle_score("a b c d e", "a b c d f") == Score(1 / 2, 1 / 2)
    assert metrics.shingle_score("a b", "a b") == Score(1.0, 1.0)
    assert metrics.shingle_score("a b", "a b c").f1 == 0


def test_rouge_takes_the_union_over_the_found_lines() -> None:
    """Lin 2004, §3.2: w1…w5 against `w1 w2 w6 w7 w8` and `w1 w3 w8 w9 w5` has w1, w2, w3, w5."""
    score = metrics.rouge_score("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5")
    assert score == Score(4 / 10, 4 / 5)


def test_rouge_counts_a_word_no_more_often_than_it_was_found() -> None:
    assert metrics.rouge_score("one", "one\none\none") == Score(1.0, 1 / 3)


def test_area_of_two_overlapping_regions() -> None:
    found, truth = [(0.0, 0.0, 2.0, 2.0)], [(1.0, 1.0, 3.0, 2.0)]
    assert metrics.area_score(found, truth) == Score(1 / 4, 1 / 2)


def test_area_counts_doubly_covered_ground_once() -> None:
    box = (0.0, 0.0, 10.0, 10.0)
    assert metrics.area_score([box, box, (2.0, 2.0, 3.0, 3.0)], [box]) == Score(1.0, 1.0)
    assert metrics.area_score([], [box]) == Score(0.0, 0.0)


@given(found=boxes)
def test_union_area_equals_the_cells_covered(found: list[tuple[int, int, int, int]]) -> None:
    cells = {(x, y) for a, b, c, d in found for x in range(a, c) for y in range(b, d)}
    assert covered_area([_box(box) for box in found]) == len(cells)


def _box(box: Sequence[int]) -> Box:
    a, b, c, d = box
    return float(a), float(b), float(c), float(d)


def _textbook_sequence(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        above = row[:]
        for j, y in enumerate(b):
            row[j + 1] = above[j] + 1 if x == y else max(above[j + 1], row[j])
    return row[-1]


def _textbook_string(a: str, b: str) -> int:
    spans = (a[i:j] for i in range(len(a)) for j in range(i + 1, len(a) + 1))
    return max((len(span) for span in spans if span in b), default=0)
