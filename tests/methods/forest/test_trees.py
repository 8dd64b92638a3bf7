"""Sums of symmetric trees against a walk by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.methods.forest import trees

Trees = dict[str, npt.NDArray[Any]]


def _walk(arrays: Trees, row: npt.NDArray[Any]) -> float:
    """The score of one row, question by question."""
    total = float(arrays["t_bias"][0])
    for feature, border, leaves in zip(arrays["t_feature"], arrays["t_border"], arrays["t_leaves"]):
        leaf = sum(int(row[f] > b) << level for level, (f, b) in enumerate(zip(feature, border)))
        total += float(leaves[leaf, 0])
    return total


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_scores_equal_a_walk_down_each_tree(seed: int, depth: int, rows: int) -> None:
    """Bits of the answers number the leaves, whatever the depth."""
    random = np.random.default_rng(seed)
    arrays: Trees = {
        "t_feature": random.integers(0, 4, (5, depth)).astype(np.int16),
        "t_border": random.normal(size=(5, depth)).astype(np.float32),
        "t_leaves": random.normal(size=(5, 1 << depth, 1)).astype(np.float32),
        "t_bias": np.array([0.25]),
    }
    columns = random.normal(size=(4, rows)).astype(np.float32)
    found = trees.score_rows(arrays, "t", columns)
    assert np.allclose(found, [_walk(arrays, row) for row in columns.T], atol=1e-5)


def test_several_outputs_are_summed_apart() -> None:
    """A tree of depth 1 with two outputs gives the leaf of the answer."""
    arrays: Trees = {
        "t_feature": np.array([[0]], dtype=np.int16),
        "t_border": np.array([[0.5]], dtype=np.float32),
        "t_leaves": np.array([[[1.0, 2.0], [3.0, 4.0]]], dtype=np.float32),
        "t_bias": np.array([0.0, 10.0]),
    }
    found = trees.score_rows(arrays, "t", np.array([[0.0, 1.0]], dtype=np.float32))
    assert found.tolist() == [[1.0, 12.0], [3.0, 14.0]]


def test_a_page_of_many_segments_is_scored_in_pieces() -> None:
    """More rows than are scored at once give the same as each alone."""
    arrays: Trees = {
        "t_feature": np.zeros((1, 1), dtype=np.int16),
        "t_border": np.zeros((1, 1), dtype=np.float32),
        "t_leaves": np.array([[[-1.0], [1.0]]], dtype=np.float32),
        "t_bias": np.array([0.0]),
    }
    columns = np.resize(np.array([-1.0, 1.0], dtype=np.float32), (1, 10_001))
    assert (
        trees.score_rows(arrays, "t", columns).tolist() == np.resize([-1.0, 1.0], 10_001).tolist()
    )


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([1, 7, 40]), st.integers(1, 300)
)
def test_every_bit_is_that_of_the_same_sum_over_arrays(
    seed: int, depth: int, count: int, rows: int
) -> None:
    """Whatever the rows and trees that are taken together; what is no number is above no border."""
    random = np.random.default_rng(seed)
    arrays: Trees = {
        "t_feature": random.integers(0, 4, (count, depth)).astype(np.int16),
        "t_border": random.integers(0, 3, (count, depth)).astype(np.float32),
        "t_leaves": random.normal(size=(count, 1 << depth, random.integers(1, 3))).astype("f4"),
        "t_bias": np.array([0.25, 0.0]),
    }
    arrays["t_bias"] = arrays["t_bias"][: arrays["t_leaves"].shape[2]]
    values = [-1, 0, 1, 2, 3, np.nan, np.inf, -np.inf]
    columns = random.choice(values, (4, rows)).astype(np.float32)
    assert (
        trees.score_rows(arrays, "t", columns).tobytes() == _sum_leaves(arrays, columns).tobytes()
    )


def _sum_leaves(arrays: Trees, columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
    total = np.zeros((columns.shape[1], arrays["t_leaves"].shape[2]))
    for feature, border, leaves in zip(arrays["t_feature"], arrays["t_border"], arrays["t_leaves"]):
        bits = columns[feature] > border[:, None]
        total += leaves[(bits << np.arange(len(feature))[:, None]).sum(axis=0)]
    total += arrays["t_bias"]
    return total[:, 0] if total.shape[1] == 1 else np.asfortranarray(total)


def test_trees_that_ask_for_more_columns_are_refused() -> None:
    arrays: Trees = {
        "t_feature": np.array([[3]], dtype=np.int16),
        "t_border": np.zeros((1, 1), dtype=np.float32),
        "t_leaves": np.zeros((1, 2, 1), dtype=np.float32),
        "t_bias": np.array([0.0]),
    }
    with pytest.raises(ValueError, match="more columns than the 3"):
        trees.score_rows(arrays, "t", np.zeros((3, 1), dtype=np.float32))


@given(st.integers(0, 2**32 - 1))
def test_effects_of_columns_belong_to_the_questions_asked(seed: int) -> None:
    """A column that no tree asks for has no effect; with one question each, all effects and the
    mean leaves add up to the score."""
    random = np.random.default_rng(seed)
    arrays: Trees = {
        "t_feature": random.integers(0, 3, (9, 1)).astype(np.int16),
        "t_border": np.zeros((9, 1), dtype=np.float32),
        "t_leaves": random.normal(size=(9, 2, 1)).astype(np.float32),
        "t_bias": np.array([0.5]),
    }
    row = random.normal(size=4).astype(np.float32)
    effects = trees.column_effects(arrays, "t", row)
    assert effects[3] == 0
    mean = float(arrays["t_leaves"].mean(axis=1).sum()) + 0.5
    score = trees.score_rows(arrays, "t", row[:, None])[0]
    assert effects.sum() + mean == pytest.approx(score, abs=1e-5)


def test_importance_is_the_share_of_what_answers_change() -> None:
    arrays: Trees = {
        "t_feature": np.array([[0, 2]], dtype=np.int16),
        "t_leaves": np.array([[[0.0], [1.0], [3.0], [4.0]]], dtype=np.float32),
    }
    assert trees.column_importance(arrays, "t", 3).tolist() == pytest.approx([0.1, 0, 0.9])
