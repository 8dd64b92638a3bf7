"""The columns of the second pass, and the choice for the page: what the first pass said of the
neighbours, the containers, the copies, the segments of the same make and the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.features.containers import (
    LEVELS,
    Column,
    Containers,
    beyond,
    bounds,
    last_head,
    sections,
    shifted,
    summed_real,
)
from tearsheet.features.subsequence import maximum
from tearsheet.features.vocabulary import CHIEF
from tearsheet.types import Bools, Floats, Ints, Page, Segments


def context(page: Page, segments: Segments, around: Containers, score: Floats) -> dict[str, Column]:
    """The columns of the second pass: what the first one said of the neighbours, the containers,
    the segments of the same make, and the page."""
    words = segments.words.astype(np.float64)
    columns: dict[str, Column] = {"score": score}
    columns |= {f"score_at_{step}": shifted(score, step) for step in (-3, -2, -1, 1, 2, 3)}
    low, high = bounds(len(score), np.array(_WIDTHS)[:, None])
    columns |= _said_before("near", _WIDTHS, score, words, low, high)
    low, high = around.low[around.top], around.high[around.top]
    columns |= _said_before("in", range(LEVELS), score, words, low, high)
    for level in (0, 1, 2):
        columns[f"score_alike_{level}"] = _mean_by(around.family[around.top[level]], score, words)
    kind = around.kind[around.bottom[:2]].astype(np.int64)
    for name, group in (("kind", kind[0]), ("kind_in", kind[0] << 32 | kind[1])):
        columns[f"score_{name}"] = _mean_by(np.unique(group, return_inverse=True)[1], score)
    section = sections(page, segments)
    columns["score_section"] = _mean_by(section, score)
    columns["kept_section"] = _mean_by(section, score, words)
    columns |= _among_copies(around.copy, score)
    columns |= _against_page(score, words)
    columns["score_head"] = np.append(score, -1.0)[last_head(page, segments)[0]]
    columns["score_chief"] = np.append(score, -1.0)[last_head(page, segments, CHIEF)[0]]
    first = score[around.low[around.top[1:4]]]
    return columns | {f"score_first_{level}": row for level, row in enumerate(first, 1)}


def _among_copies(copy: Ints, score: Floats) -> dict[str, Column]:
    """The best score of all segments with the same text, and the place of this one among them."""
    order = np.lexsort((-score, copy))
    starts = np.flatnonzero(np.diff(copy[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    best, place = np.empty(len(order)), np.empty(len(order))
    best[order] = np.repeat(score[order[starts]], sizes)
    place[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    return {"copies_best": best, "copies_place": place}


_WIDTHS: Final = (2, 5, 12)


def _said_before(
    place: str, names: Iterable[int], score: Floats, words: Column, low: Column, high: Column
) -> dict[str, Column]:
    """The mean score over some ranges of segments: weighted by words, and not."""
    total_words, total_score = summed_real(words), summed_real(score)
    total_kept = summed_real(words * score)
    kept = (total_kept[high] - total_kept[low]) / np.maximum(
        total_words[high] - total_words[low], 1
    )
    mean = (total_score[high] - total_score[low]) / np.maximum(high - low, 1)
    columns = {f"kept_{place}_{name}": row for name, row in zip(names, kept)}
    return columns | {f"score_{place}_{name}": row for name, row in zip(names, mean)}


def choose(score: Column, words: Column, beta: float = 1.0) -> tuple[Bools, float]:
    """The segments that maximise the expected F-measure, and its expectation.

    With p the share of a segment's words that are content, keeping the segments with the highest p
    is best; how many is found by trying all. (For F1 the border is half of the result.)

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10]))[0].tolist()
    [True, False, True]
    """
    order = np.argsort(-score, kind="stable")
    right = np.cumsum((score * words)[order])
    taken = np.cumsum(words[order])
    gain = (1 + beta**2) * right / np.maximum(taken + beta**2 * right[-1], 1e-9)
    best = int(np.argmax(gain))
    keep = np.zeros(len(score), dtype=np.bool_)
    keep[order[: best + 1]] = True
    return keep, float(gain[best])


def _against_page(score: Floats, words: Column) -> dict[str, Column]:
    size = len(score)
    kept, expected = choose(score, words)
    order = np.arange(size)
    chosen = np.flatnonzero(kept)
    low, high = maximum((score - expected / 2) * words)
    rank = np.empty(size)
    rank[np.argsort(-score, kind="stable")] = order
    return {
        "expected": np.full(size, expected),
        "over": score - expected / 2,
        "mass": np.full(size, (score * words).sum() / max(words.sum(), 1)),
        "kept": np.full(size, kept.mean()),
        "from_kept": beyond(order, int(chosen[0]), int(chosen[-1]) + 1) / size,
        "in_best": (order >= low) & (order < high),
        "from_best": beyond(order, low, high),
        "rank": rank / size,
        "from_peak": order - int(np.argmax(score * words)),
    }


def _mean_by(
    group: Column, score: Floats, words: npt.NDArray[np.float64] | None = None
) -> npt.NDArray[np.float64]:
    """For each segment the mean score of the segments in its group; groups are small numbers."""
    weight = np.ones(len(score)) if words is None else words
    total = np.maximum(np.bincount(group, weights=weight), 1)
    means: Column = (np.bincount(group, weights=score * weight) / total)[group]
    return means
