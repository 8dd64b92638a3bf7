"""The columns of the second pass, and the choice for the page: what the first pass said of the
neighbours, the containers, the copies, the segments of the same make and the page.

Each group of columns has its names, and below them what fills its part of the table.
`second_pass.pxd` gives the loops machine types.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.features.containers import LEVELS, Column, Containers, beyond, ints
from tearsheet.features.subsequence import maximum
from tearsheet.features.vocabulary import CHIEF
from tearsheet.tags import HEADINGS
from tearsheet.types import Bools, Floats, Ints, Page, Segments

Reals = npt.NDArray[np.float64]


def context(
    page: Page, segments: Segments, around: Containers, score: Floats, out: Floats | None = None
) -> Floats:
    """The columns of the second pass, what the first one said of the neighbours, the containers,
    the segments of the same make, and the page: a row for each name in `CONTEXT`; in `out` where
    that is given."""
    table = out if out is not None else np.empty((len(CONTEXT), len(segments)), np.float32)
    words = segments.words.astype(np.float64)
    order = np.argsort(-score, kind="stable")
    near, within, alike, copies, whole, heads = np.split(table, _STARTS)
    sums = np.zeros((3, len(score) + 1))
    _sum(sums.data, score.data, words.data)
    _near(near.data, score.data, sums.data)
    _within(within, around, sums)
    _alike(alike, page, segments, around, score, words)
    _copies(copies, around, score, order)
    _against_page(whole, score, words, order)
    _heads(heads, page, segments, around, score)
    return table


def _sum(sums: Any, score: Any, words: Any) -> None:
    """The words, the scores, and the expected words of content before each segment."""
    for i in range(score.shape[0]):
        sums[0, i + 1] = sums[0, i] + words[i]
        sums[1, i + 1] = sums[1, i] + score[i]
        sums[2, i + 1] = sums[2, i] + words[i] * score[i]


_STEPS: Final = (-3, -2, -1, 1, 2, 3)
_WIDTHS: Final = (2, 5, 12)
_NEAR: Final = (
    "score",
    *(f"score_at_{step}" for step in _STEPS),
    *(f"{name}_near_{width}" for name in ("kept", "score") for width in _WIDTHS),
)


def _near(out: Any, score: Any, sums: Any) -> None:
    """The scores of the neighbours, -1 beyond the ends; the mean score some places to both sides,
    weighted by words, and not."""
    size = score.shape[0]
    for i in range(size):
        out[0, i] = score[i]
    for place in range(6):
        step = _STEPS[place]
        for i in range(size):
            out[1 + place, i] = score[i + step] if 0 <= i + step < size else -1.0
    for place in range(3):
        width = _WIDTHS[place]
        for i in range(size):
            low, high = max(i - width, 0), min(i + width + 1, size)
            out[7 + place, i] = kept(sums, low, high)
            out[10 + place, i] = (sums[1, high] - sums[1, low]) / (high - low)


def kept(sums: Any, low: int, high: int) -> float:
    """The share of content that is expected among the words from `low` to `high`."""
    share: float = (sums[2, high] - sums[2, low]) / max(sums[0, high] - sums[0, low], 1.0)
    return share


_WITHIN: Final = tuple(
    f"{name}_in_{level}" for name in ("kept", "score") for level in range(LEVELS)
)


def _within(out: Floats, around: Containers, sums: Reals) -> None:
    """The mean score in each container: weighted by words, and not."""
    held = np.empty((2, len(around.each)), dtype=np.float32)
    _average(
        held.data, around.low.take(around.each).data, around.high.take(around.each).data, sums.data
    )
    np.take(held, around.number, axis=1, out=out.reshape(2, *around.number.shape), mode="clip")


def _average(held: Any, low: Any, high: Any, sums: Any) -> None:
    for i in range(low.shape[0]):
        held[0, i] = kept(sums, low[i], high[i])
        held[1, i] = (sums[1, high[i]] - sums[1, low[i]]) / max(high[i] - low[i], 1)


_ALIKE: Final = (
    "score_alike_0", "score_alike_1", "score_alike_2", "score_kind", "score_kind_in",
    "score_section", "kept_section",
)  # fmt: skip


def _alike(
    out: Floats, page: Page, segments: Segments, around: Containers, score: Floats, words: Reals
) -> None:
    """The mean score of the segments in elements of the same family, in elements of the same kind,
    in elements of the same kind within the same kind, and in the same section."""
    for level in range(3):
        _mean_by(out[level], around.family.take(around.top[level]), around.families, score, words)
    own, home = around.kind.take(around.bottom[:2])
    once = np.ones(len(score))
    _mean_by(out[3], own, around.kinds, score, once)
    pairs = np.empty(len(score), dtype=np.int32)
    _mean_by(out[4], pairs, _number_pairs(pairs.data, own.data, home.data), score, once)
    section = np.cumsum(HEADINGS[page.tag[segments.block]], dtype=np.int32)
    _mean_by(out[5], section, len(score) + 1, score, once)
    _mean_by(out[6], section, len(score) + 1, score, words)


def _number_pairs(numbers: Any, first: Any, second: Any) -> int:
    """Gives each different pair a number; returns how many there are."""
    known: dict[int, int] = {}
    for i in range(numbers.shape[0]):
        pair = first[i]
        pair = pair << 32 | second[i]
        numbers[i] = known.setdefault(pair, len(known))
    return len(known)


def _mean_by(out: Floats, group: Ints, groups: int, score: Floats, weight: Reals) -> None:
    """For each segment the mean score of the segments in its group."""
    sums = np.zeros((2, groups))
    _fill_means(out.data, group.data, sums.data, score.data, weight.data)


def _fill_means(out: Any, group: Any, sums: Any, score: Any, weight: Any) -> None:
    for i in range(score.shape[0]):
        sums[0, group[i]] += weight[i]
        sums[1, group[i]] += score[i] * weight[i]
    for i in range(score.shape[0]):
        out[i] = sums[1, group[i]] / max(sums[0, group[i]], 1.0)


_COPIES: Final = ("copies_best", "copies_place")


def _copies(out: Floats, around: Containers, score: Floats, order: npt.NDArray[np.intp]) -> None:
    """The best score of all segments with the same text, and the place of this one among them."""
    best, count = np.zeros(len(score), dtype=np.float32), np.zeros(len(score), dtype=np.int32)
    _fill_copies(out.data, ints(order), around.copy.data, score.data, best.data, count.data)


def _fill_copies(out: Any, order: Any, copy: Any, score: Any, best: Any, count: Any) -> None:
    for place in range(order.shape[0]):
        i = order[place]
        number = copy[i]
        if not count[number]:
            best[number] = score[i]
        out[0, i], out[1, i] = best[number], count[number]
        count[number] += 1


_PAGE: Final = (
    "expected", "over", "mass", "kept", "from_kept", "in_best", "from_best", "rank", "from_peak",
)  # fmt: skip


def _against_page(out: Floats, score: Floats, words: Reals, order: npt.NDArray[np.intp]) -> None:
    """How a segment stands against the best choice for the page, and against its best run."""
    size, places = len(score), np.arange(len(score))
    share = score * words
    taken, expected = _best(ints(order), share.data, words.data, 1.0)
    chosen = order[:taken]
    over = score - expected / 2
    low, high = maximum(over * words)
    out[0], out[1] = expected, over
    out[2] = share.sum() / max(words.sum(), 1)
    out[3] = taken / size
    out[4] = beyond(size, int(chosen.min()), int(chosen.max()) + 1) / size
    out[5] = 0
    out[5, low:high] = 1
    out[6] = beyond(size, low, high)
    out[7, order] = places / size
    out[8] = places - np.argmax(share)


def choose(score: Column, words: Column, beta: float = 1.0) -> tuple[Bools, float]:
    """The segments that maximise the expected F-measure, and its expectation.

    With p the share of a segment's words that are content, keeping the segments with the highest p
    is best; how many is found by trying all. (For F1 the border is half of the result.)

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10]))[0].tolist()
    [True, False, True]
    """
    order = np.argsort(-score, kind="stable")
    size = words.astype(np.float64)
    taken, expected = _best(ints(order), (score * size).data, size.data, beta)
    keep = np.zeros(len(score), dtype=np.bool_)
    keep[order[:taken]] = True
    return keep, expected


def _best(order: Any, share: Any, words: Any, beta: float) -> tuple[int, float]:
    """How many of the segments in this order to keep, and the expected F-measure of that."""
    whole = right = taken = best = 0.0
    count, squared = 0, beta * beta
    for place in range(order.shape[0]):
        whole += share[order[place]]
    for place in range(order.shape[0]):
        right += share[order[place]]
        taken += words[order[place]]
        gain = (1 + squared) * right / max(taken + squared * whole, 1e-9)
        if gain > best or not count:
            best, count = gain, place + 1
    return count, best


_HEADS: Final = ("score_head", "score_chief", "score_first_1", "score_first_2", "score_first_3")


def _heads(out: Floats, page: Page, segments: Segments, around: Containers, score: Floats) -> None:
    """What the first pass said of the headings before a segment, -1 where there is none, and of
    the first line of the containers around it."""
    tag = page.tag[segments.block]
    for row, heads in zip(out, (HEADINGS[tag], CHIEF[tag])):
        _carry(row.data, score.data, heads.view(np.uint8).data)
    out[2:] = score.take(around.low.take(around.each)).take(around.number[1:4])


def _carry(out: Any, score: Any, heads: Any) -> None:
    """For each segment the score of the last head before it."""
    last = -1.0
    for i in range(score.shape[0]):
        out[i] = last
        if heads[i]:
            last = score[i]


_GROUPS: Final = (_NEAR, _WITHIN, _ALIKE, _COPIES, _PAGE, _HEADS)
_STARTS: Final = np.cumsum([len(group) for group in _GROUPS[:-1]])
CONTEXT: Final = tuple(name for group in _GROUPS for name in group)
"""The names of the columns."""
