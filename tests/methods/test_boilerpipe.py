"""Each leaf of the two published trees, and the densities they ask for."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.learn import boilerpipe_tree as learner
from tearsheet.learn.examples import LabelledPage
from tearsheet.methods import _boilerpipe, boilerpipe, boilerpipe_density, boilerpipe_tree
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

from .pages import article


@pytest.mark.parametrize(
    ("links", "words", "expected"),
    [
        ((0, 0.34, 0), (50, 50, 50), False),  # the block itself is links
        ((0, 0, 0), (4, 16, 15), False),  # short between short ones
        ((0, 0, 0), (5, 16, 15), True),
        ((0, 0, 0), (4, 16, 16), True),
        ((0, 0, 0), (4, 17, 15), True),
        ((0.6, 0, 0), (50, 40, 17), False),  # behind links a block needs more
        ((0.6, 0, 0), (50, 40, 18), True),
        ((0.6, 0, 0), (50, 41, 17), True),
    ],
)
def test_rules_by_words(links: tuple[float, ...], words: tuple[float, ...], expected: bool) -> None:
    found = boilerpipe.find_content(np.array(links), np.array(words, dtype=np.float64))
    assert found[1] == expected


@pytest.mark.parametrize(
    ("links", "density", "expected"),
    [
        ((0, 0.34, 0), (12, 12, 12), False),
        ((0, 0, 0), (4, 9, 10), False),
        ((0, 0, 0), (5, 9, 10), True),
        ((0, 0, 0), (4, 9, 11), True),
        ((0, 0, 0), (4, 10, 0), False),  # dense text with nothing after it
        ((0, 0, 0), (4, 10, 1), True),
        ((0.6, 0, 0), (12, 12, 11), False),
        ((0.6, 0, 0), (12, 12, 12), True),
    ],
)
def test_rules_by_density(
    links: tuple[float, ...], density: tuple[float, ...], expected: bool
) -> None:
    found = boilerpipe_density.find_content(np.array(links), np.array(density, dtype=np.float64))
    assert found[1] == expected


def test_density_leaves_the_last_line_out() -> None:
    """Words of 9 letters and a space: 8 fill a line of 80, so 20 words are 8 + 8 + 4."""
    text = " ".join(["ninechars"] * 20)
    assert _boilerpipe.line_density(text, 20) == 8.0


def test_a_word_longer_than_the_line_stays_whole() -> None:
    assert _boilerpipe.line_density("x" * 200 + " end", 2) == 1.0


def test_a_trained_tree_tells_the_examples_apart() -> None:
    page = parse(article())
    parts = segments(page)
    share = (parts.words > 20).astype(np.float32)
    example = LabelledPage("a", "a.example", page, parts, share)
    tree = learner.fit([example] * 40)
    chance = boilerpipe_tree.leaf_values(tree, boilerpipe_tree.features(page, parts))
    assert np.array_equal(chance >= 0.5, share >= 0.5)
