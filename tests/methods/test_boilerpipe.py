"""Each leaf of the two published trees, and the densities they ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tearsheet import parameters
from tearsheet.learn import blocks
from tearsheet.learn import boilerpipe_svm as svm_learner
from tearsheet.learn import boilerpipe_tree as learner
from tearsheet.learn.examples import LabelledPage
from tearsheet.methods import (
    _boilerpipe,
    boilerpipe,
    boilerpipe_density,
    boilerpipe_svm,
    boilerpipe_tree,
)
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Options

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


@pytest.mark.parametrize("method", [boilerpipe, boilerpipe_density])
def test_by_the_letter_bold_words_cut_a_sentence_into_short_blocks(method: Any) -> None:
    """Deviation 1: here a block is a segment, there it ends at every tag but `a`."""
    words = " ".join(f"word <b>{n}</b> of" for n in range(30))
    page = parse(f"<p>{words}</p>" * 3)
    parts = segments(page)
    assert method.score(page, parts, Options()).keep.tolist()[1]
    assert not method.score(page, parts, Options(faithful=True)).keep.any()


def test_density_leaves_the_last_line_out() -> None:
    """Words of 9 letters and a space: 8 fill a line of 80, so 20 words are 8 + 8 + 4."""
    text = " ".join(["ninechars"] * 20)
    assert _boilerpipe.line_density(text, 20) == 8.0


def test_a_word_longer_than_the_line_stays_whole() -> None:
    assert _boilerpipe.line_density("x" * 200 + " end", 2) == 1.0


def label_page(domain: str = "a.example") -> LabelledPage:
    page = parse(article())
    parts = segments(page)
    share = (parts.words > 20).astype(np.float32)
    return LabelledPage("a", domain, page, parts, share)


def test_a_trained_tree_tells_the_examples_apart() -> None:
    example = label_page()
    tree = learner.fit([example] * 40)
    rows = _boilerpipe.features(example.page, example.segments, tree)
    chance = boilerpipe_tree.leaf_values(tree, rows)
    assert np.array_equal(chance >= 0.5, example.share >= 0.5)


def test_a_trained_machine_tells_the_examples_apart() -> None:
    example = label_page()
    with parameters.use("boilerpipe_svm", svm_learner.fit([example] * 10)):
        verdict = boilerpipe_svm.score(example.page, example.segments, Options())
    assert np.array_equal(verdict.keep, example.share >= 0.5)


def feature(html: str, number: int) -> list[float]:
    page = parse(html)
    none: parameters.Arrays = {"line": np.zeros(0, np.uint32), "line_sites": np.zeros(0)}
    found: list[float] = _boilerpipe.features(page, segments(page), none)[:, number].tolist()
    return found


def test_capitals_dates_and_links_are_features() -> None:
    """Columns are (before, own, after) of seven numbers, then word length, two places, five tags
    and the corpus frequency."""
    html = "<p>NASA said so on 12:30</p><p>On 3 May 2021 it rained</p><a href=/>More</a>"
    assert feature(html, 16) == pytest.approx([1 / 5, 0, 0])  # NASA
    assert feature(html, 19) == pytest.approx([1 / 5, 2 / 6, 0])  # 12:30; May and 2021
    assert feature(html, 28) == [0, 0, 1]  # in a link


def test_a_line_that_several_sites_have_is_frequent() -> None:
    """Its own site does not count: else each line of a page would be frequent in training."""
    pages = [label_page(f"{n}.example") for n in range(4)]
    sites = blocks.count_sites(pages)
    lines = len(set(_boilerpipe.line_hashes(pages[0].segments).tolist()) - {0})
    assert len(blocks.make_corpus(sites)["line"]) == lines
    assert set(blocks.make_corpus(sites, pages[0])["line_sites"].tolist()) == {3}
    assert not len(blocks.make_corpus(blocks.count_sites(pages[:2]))["line"])


def test_by_the_letter_every_tag_but_a_ends_a_block() -> None:
    page = parse("<p>One two <b>three</b> four <a href=/>five six</a> seven</p>")
    found = _boilerpipe.find_blocks(page, segments(page))
    assert found.words.tolist() == [2, 1, 4]
    assert found.links.tolist() == [0, 0, 0.5]
    keep = _boilerpipe.keep_segments(found, np.array([False, False, True]), 1)
    assert keep.tolist() == [True]
