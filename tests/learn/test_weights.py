"""The weights of words beside each other: the regression, and that it sees what the engine adds
up."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.learn import forest, weights
from tearsheet.learn.examples import LabelledPage
from tearsheet.methods.forest.columns import LEXICAL, numbers
from tearsheet.methods.forest.passes import make_table
from tearsheet.methods.forest.vocabulary import WEIGHTS, Words, fill_lexical
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Floats

pytest.importorskip("scipy", reason="training needs the extra 'train'")

PAGE = """<title>Tides</title><div class="story social"><h2>The {0} tide</h2><p>It came at night.
<p class=quiet>It went by day.</div><div class="social bar"><h3>Share</h3><p>Send<p>Print</div>"""
VOCABULARIES = {
    "names": ["bar", "quiet", "social", "story"],
    "texts": ["=send", "=share", "it", "print", "send", "tide"],
}


def _page(name: str) -> forest.TrainingPage:
    page = parse(PAGE.format(name))
    parts = segments(page)
    share = np.array([1, 1, 1, 0, 0, 0], dtype=np.float32)
    return forest.prepare(LabelledPage(name, f"{name}.example", page, parts, share))


@pytest.fixture(scope="module")
def known_words() -> tuple[list[forest.TrainingPage], weights.WordCounts]:
    pages = [_page(name) for name in ("spring", "neap", "ebb", "flood")]
    every = np.arange(6)
    return pages, weights.count_words((page, every, np.ones(6)) for page in pages)


def test_a_name_that_stands_on_both_sides_weighs_little(
    known_words: tuple[list[forest.TrainingPage], weights.WordCounts],
) -> None:
    """ "social" is on the story and on the bar: what tells them apart gets the weight."""
    names = weights.fit(known_words[1], (), VOCABULARIES)["names"]
    around = dict(zip(VOCABULARIES["names"], names[:, WEIGHTS["names"].index("around")]))
    assert around["story"] > 0.1 > abs(around["social"])
    assert around["bar"] < -0.1


def test_what_is_learned_is_what_the_engine_adds_up(
    known_words: tuple[list[forest.TrainingPage], weights.WordCounts],
) -> None:
    """The sum of a segment's words in the table of the regression is its column `weight_sum`."""
    pages, heard = known_words
    fitted = weights.fit(heard, (), VOCABULARIES)
    total = np.zeros(len(heard.column))
    for name, said in VOCABULARIES.items():
        for i, weight in enumerate(WEIGHTS[name]):
            for word, value in zip(said, fitted[name][:, i]):
                if (weight, word) in heard.column:
                    total[heard.column[weight, word]] = value
    expected = (heard.table @ total).reshape(len(pages), -1)
    for page, row in zip(pages, expected):
        np.testing.assert_allclose(_weigh(page, fitted), row, atol=1e-5)


def _weigh(
    page: forest.TrainingPage, fitted: dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]]
) -> Floats:
    names, texts = (
        Words(said, np.column_stack((np.zeros(len(said)), fitted[name])))
        for name, said in VOCABULARIES.items()
    )
    table = make_table(len(LEXICAL), len(page.segments))
    fill_lexical(table, page.page, page.segments, page.around, names, texts)
    total: Floats = table[numbers(LEXICAL)["weight_sum"]]
    return total


def test_a_fold_that_is_left_out_says_nothing(
    known_words: tuple[list[forest.TrainingPage], weights.WordCounts],
) -> None:
    """Without any page all weights are nothing."""
    folds = {page.fold for page in known_words[0]}
    fitted = weights.fit(known_words[1], folds, VOCABULARIES)
    assert not any(part.any() for part in fitted.values())
