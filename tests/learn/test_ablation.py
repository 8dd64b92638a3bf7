"""The worth of groups of columns: the table, and what it is made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tearsheet.errors import UnknownName
from tearsheet.learn import ablate, forest
from tearsheet.learn.examples import LabelledPage
from tearsheet.methods.forest import columns
from tearsheet.methods.forest.model import make_model
from tearsheet.page.parsed import parse
from tearsheet.segments import segments

pytest.importorskip("scipy", reason="training needs the extra 'train'")


_PARTS = ("words", "values")


def _prepare_page() -> forest.TrainingPage:
    page = parse("<div class=story><h1>The ferry</h1><p>It sailed at dawn.</p></div>")
    parts = segments(page)
    share = np.ones(len(parts), dtype=np.float32)
    return forest.prepare(LabelledPage("a", "a.example", page, parts, share))


def test_an_unknown_group_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="score_page"):
        forest.ablate([], [], ["nonsense"])


def test_other_methods_have_no_groups() -> None:
    with pytest.raises(UnknownName, match="forest"):
        ablate("mss", Path(), ["names"])


@pytest.mark.parametrize("group", columns.GROUPS)
def test_columns_of_a_group_that_is_left_out_say_nothing(group: str) -> None:
    """They are zero in training, so no tree can ask for them; all others are as ever."""
    page = _prepare_page()
    full, without = forest.ModelParts([page]), forest.ModelParts([page], without=group)
    for fits in (full, without):
        no_words = np.zeros(0, dtype=np.uint8)
        fits._models[frozenset()] = make_model(
            {f"{kind}_{part}": no_words for kind in ("names", "texts", "tokens") for part in _PARTS}
        )
        fits._types[page, frozenset()] = np.full(7, 1 / 7, dtype=np.float32)
        fits._scores[page, "first", frozenset()] = np.full(2, 0.5, dtype=np.float32)
    usual = full._columns(page, "second", frozenset())
    other = without._columns(page, "second", frozenset())
    inside = np.array([column.group == group for column in columns.SECOND])
    assert not other[inside].any()
    np.testing.assert_array_equal(other[~inside], usual[~inside])


def test_the_table_has_the_change_of_each_group() -> None:
    found = {"": {"article": [0.5, 1.0]}, "names": {"article": [0.5, 0.8]}}
    table = [line.split() for line in forest._ablation_table(found).splitlines()]
    assert table == [
        ["without", "article"], ["(pages)", "2"], ["nothing", "0.7500"], ["names", "-0.1000"],
    ]  # fmt: skip
