"""Labels of nodes for the models of the CLG paper (§5): the nodes that a user would select and
deselect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet import metrics
from tearsheet.features import subtrees
from tearsheet.features.nodes import Measures, adjusted_values, measures, relative_values
from tearsheet.learn.examples import LabelledPage
from tearsheet.segments import rows_within
from tearsheet.tags import NAMES
from tearsheet.types import Bools, Box, Page

POSITIVE, NEUTRAL, NEGATIVE = 1, 0, -1
COVERS: Final = 0.95
"""The deepest node with at least this share of the true characters is selected."""
NOISE: Final = 0.2
"""A node inside it with a smaller share of true characters is deselected …"""
WORTH_CUTTING: Final = 0.05
"""… if its characters are at least this share of the true ones: nobody cuts out small labels."""
RARE: Final = 200
"""Nodes of a tag with which its own share counts as much as that of all tags."""

Column = npt.NDArray[np.float64]


def label_nodes(
    page: Page, selected: Sequence[int], deselected: Sequence[int]
) -> npt.NDArray[np.int8]:
    """Positive, neutral or negative for every row, by the rules a to e of §5."""
    chosen, cut = _mask(page, selected), _mask(page, deselected)
    below_chosen, negative = rows_within(page, chosen), rows_within(page, cut)  # rules a, b
    holds_cut = subtrees.sums(page, cut) > 0
    positive = below_chosen & ~negative & ~holds_cut  # rule c
    holds_chosen = subtrees.sums(page, chosen) > 0
    neutral = (below_chosen | holds_chosen) & ~negative & ~positive  # rule d
    label = np.full(len(page), NEGATIVE, dtype=np.int8)  # rule e
    label[neutral] = NEUTRAL
    label[positive] = POSITIVE
    return label


def _mask(page: Page, rows: Sequence[int]) -> Bools:
    found = np.zeros(len(page), dtype=np.bool_)
    found[list(rows)] = True
    return found


def selection(example: LabelledPage) -> tuple[list[int], list[int]]:
    """The nodes that a user would select to get the truth, and those that the user would deselect
    inside them."""
    page, by_hand = example.page, set(example.selected)
    wanted, noise = _wanted_nodes(example)
    dropped = {*noise, *example.deselected} - by_hand
    selected, cut = _mask(page, [*by_hand]), _mask(page, [*dropped])
    near = subtrees.nearest(page, selected | cut)  # of nested marks the inner one
    cut = (near >= 0) & cut[near] & (subtrees.sums(page, selected) == 0)
    return sorted({*wanted, *by_hand}), subtrees.topmost_rows(page, cut).tolist()


def _wanted_nodes(example: LabelledPage) -> tuple[list[int], list[int]]:
    """The node that contains the truth, and the nodes in it that do not belong to the truth."""
    page, parts = example.page, example.segments
    chars = parts.chars.astype(np.float64)
    all_chars = subtrees.sums(page, np.bincount(parts.first, chars, len(page)))
    true_chars = subtrees.sums(page, np.bincount(parts.first, chars * example.share, len(page)))
    if true_chars[0] <= 0:
        return [], []
    node = int(np.flatnonzero(true_chars >= COVERS * true_chars[0])[-1])
    inside = np.zeros(len(page), dtype=np.bool_)
    inside[node + 1 : int(page.end[node])] = True
    noise = inside & (all_chars >= WORTH_CUTTING * true_chars[0])
    noise &= true_chars < NOISE * all_chars
    return [node], subtrees.topmost_rows(page, noise).tolist()


def top_nodes(page: Page, label: npt.NDArray[np.int8]) -> npt.NDArray[np.intp]:
    """The positive nodes whose parent is not positive."""
    return subtrees.topmost_rows(page, label == POSITIVE)


def true_boxes(example: LabelledPage) -> list[Box]:
    """The boxes of the topmost nodes that a user wants as a whole."""
    return metrics.boxes(example.page, top_nodes(example.page, _labels(example)).tolist())


def perfect_values(
    examples: Iterable[LabelledPage],
) -> tuple[dict[str, npt.NDArray[Any]], Column, Bools]:
    """The best mean values (§4.1, §4.3), the features of all nodes, and which are positive."""
    seen = [(example.page, _measure(example.page), _labels(example)) for example in examples]
    best, tags = [], np.zeros((2, len(NAMES)))
    for page, found, label in seen:
        top = top_nodes(page, label)
        best.append(relative_values(page, found)[top[found.node[top]]])
        for i, chosen in enumerate((found.node, found.node & (label == POSITIVE))):
            tags[i] += np.bincount(page.tag[chosen], minlength=len(NAMES))
    known = np.flatnonzero(tags[0])
    values = {
        "best": np.concatenate(best).mean(axis=0).astype(np.float32),
        "tag": np.array([NAMES[code] for code in known]),
        "tag_score": _smooth(tags[1][known], tags[0][known]).astype(np.float32),
    }
    rows = [adjusted_values(page, found, values)[found.node] for page, found, _ in seen]
    positive = [(label == POSITIVE)[found.node] for _, found, label in seen]
    return values, np.concatenate(rows), np.concatenate(positive)


def _smooth(positive: Column, all_nodes: Column) -> Column:
    """The share of positive nodes, drawn to the mean of all tags where there are few nodes."""
    usual = positive.sum() / max(all_nodes.sum(), 1)
    return np.asarray((positive + RARE * usual) / (all_nodes + RARE))


@lru_cache(1_024)
def _measure(page: Page) -> Measures:
    """The measures of a page, which every fold needs again."""
    return measures(page)


def _labels(example: LabelledPage) -> npt.NDArray[np.int8]:
    return label_nodes(example.page, *selection(example))


def unscale(
    weights: Column, intercept: float, mean: Column, scale: Column
) -> dict[str, npt.NDArray[Any]]:
    """A linear model of standardised features as a model of the features themselves."""
    plain = weights / scale
    return {
        "weights": plain.astype(np.float32),
        "intercept": np.array(intercept - float(plain @ mean), dtype=np.float32),
    }


def standardise(rows: Column) -> tuple[Column, Column, Column]:
    """The features with mean 0 and deviation 1, and the mean and deviation they had."""
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    return (rows - mean) / scale, mean, scale
