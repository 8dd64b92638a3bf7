"""Tokens, stems, the classifier's arithmetic and the maximum subsequence, checked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet import parameters
from tearsheet.features.porter import stem
from tearsheet.features.subsequence import find_best_run
from tearsheet.learn import mss as learner
from tearsheet.learn.examples import LabelledPage
from tearsheet.methods import mss
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Options

from .pages import article

PORTER = {  # the examples of Porter's paper
    "caresses": "caress", "ponies": "poni", "cats": "cat", "feed": "feed", "agreed": "agre",
    "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing",
    "conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop",
    "falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file",
    "happy": "happi", "sky": "sky", "relational": "relat", "conditional": "condit",
    "rational": "ration", "digitizer": "digit", "vietnamization": "vietnam",
    "operator": "oper", "sensibiliti": "sensibl", "triplicate": "triplic", "hopeful": "hope",
    "goodness": "good", "revival": "reviv", "adjustable": "adjust", "replacement": "replac",
    "adoption": "adopt", "homologous": "homolog", "effective": "effect", "probate": "probat",
    "rate": "rate", "cease": "ceas", "controll": "control", "roll": "roll",
}  # fmt: skip


@pytest.mark.parametrize(("word", "root"), PORTER.items())
def test_stems_as_in_porters_paper(word: str, root: str) -> None:
    assert stem(word) == root


def test_tokens_are_tags_words_and_numbers_in_order() -> None:
    found = mss.tokens(parse("<p>Walking 12 <b>miles</b></p>"))
    one = mss.tokens(parse("<p>walked 7,500 <b>mile</b></p>"))
    # html body p · walk · 0 · b · mile · /b /p /body /html
    assert len(found.number) == 11
    assert found.number.tolist() == one.number.tolist()


def test_the_run_of_given_scores() -> None:
    assert find_best_run([-1, 2, 3, -4, 5, -9, 4]) == (1, 5)
    assert find_best_run([-3, -1, -2]) == (1, 2)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40).filter(lambda v: max(v) > 0))
def test_no_other_run_has_a_larger_sum(values: list[int]) -> None:
    start, end = find_best_run(values)
    runs = (sum(values[i:j]) for i in range(len(values)) for j in range(i + 1, len(values) + 1))
    assert sum(values[start:end]) == max(runs)


def test_the_probability_is_naive_bayes() -> None:
    """Prior 0, trigram +1, tag -3: odds of e⁻², so p = 1 / (1 + e²)."""
    found = mss.tokens(parse("<p>word</p>"))
    word = int(np.flatnonzero(found.row == 4)[0])  # html, head, body, p, text
    known = {
        "prior": np.array(0.0),
        "tag": np.array(["p"]),
        "tag_weight": np.array([-3.0]),
        "trigram": mss.trigrams(found.number)[word : word + 1],
        "trigram_weight": np.array([1.0]),
        "shape": np.array([1], dtype=np.uint32),
        "shape_weight": np.array([7.0]),
        "unseen_weight": np.array(0.25),
    }
    with parameters.use("mss", known):
        chance = mss.probabilities(found)
    assert chance[word] == pytest.approx(1 / (1 + np.exp(2)))


def test_what_was_learned_is_found_again() -> None:
    page = parse(article())
    parts = segments(page)
    share = (parts.words > 20).astype(np.float32)
    examples = [LabelledPage(str(i), f"{i}.example", page, parts, share) for i in range(8)]
    with parameters.use("mss", learner.fit(examples)):
        verdict = mss.score(page, parts, Options())
    assert np.array_equal(verdict.keep, share >= 0.5)
