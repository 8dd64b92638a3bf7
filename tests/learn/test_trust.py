"""A truth that has nothing in common with what the first pass finds counts little."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("rapidfuzz", reason="training needs the extra 'train'")

from tearsheet.learn import forest
from tearsheet.learn.examples import LabelledPage
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

PAGE = parse("<p>One two three four<div>Five six seven eight</div><h2>Nine ten</h2>")


def trust(share: list[float], score: list[float]) -> float:
    parts = segments(PAGE)
    example = LabelledPage("a", "a.example", PAGE, parts, np.array(share, dtype=np.float32))
    return forest.trust_in(forest.prepare(example), np.array(score, dtype=np.float32))


def test_by_what_both_say() -> None:
    assert trust([1, 1, 0], [0.9, 0.9, 0.1]) == 1
    assert trust([0, 0, 1], [0.9, 0.9, 0.1]) == forest.STRANGE
    # Two of ten words are right: F1 is a third, and from a half on a truth is believed.
    half = trust([0, 0, 1], [0.9, 0.9, 0.9])
    assert half == pytest.approx(forest.STRANGE + (1 - forest.STRANGE) * (4 / 12) / forest.CREDIBLE)


def test_a_page_without_content_is_strange() -> None:
    assert trust([0, 0, 0], [0.9, 0.9, 0.9]) == forest.STRANGE
