# cython: wraparound=False
"""The columns of the second pass, and the choice for the page: what the first pass said of the
neighbours, the containers, the copies, the segments of the same make and the page.

Each group of columns has its names; the method of `_Context` that is called like it fills its part
of the table. `second_pass.pxd` gives the loops machine types.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tearsheet.features.containers import LEVELS, Column, Containers, ints
from tearsheet.features.subsequence import maximum
from tearsheet.features.vocabulary import CHIEF
from tearsheet.tags import HEADINGS
from tearsheet.types import Bools, Floats, Page, Segments
from tearsheet.views import view

_STEPS: Final = (-3, -2, -1, 1, 2, 3)
_WIDTHS: Final = (2, 5, 12)
_NEAR: Final = (
    "score",
    *(f"score_at_{step}" for step in _STEPS),
    *(f"{name}_near_{width}" for name in ("kept", "score") for width in _WIDTHS),
)
_WITHIN: Final = tuple(
    f"{name}_in_{level}" for name in ("kept", "score") for level in range(LEVELS)
)
_ALIKE: Final = (
    "score_alike_0", "score_alike_1", "score_alike_2", "score_kind", "score_kind_in",
    "score_section", "kept_section",
)  # fmt: skip
_COPIES: Final = ("copies_best", "copies_place")
_PAGE: Final = (
    "expected", "over", "mass", "kept", "from_kept", "in_best", "from_best", "rank", "from_peak",
)  # fmt: skip
_HEADS: Final = ("score_head", "score_chief", "score_first_1", "score_first_2", "score_first_3")
CONTEXT: Final = (*_NEAR, *_WITHIN, *_ALIKE, *_COPIES, *_PAGE, *_HEADS)
"""The names of the columns."""
_IS_HEADING, _IS_CHIEF = HEADINGS.astype(np.uint8).data, CHIEF.astype(np.uint8).data


def context(
    page: Page, segments: Segments, around: Containers, score: Floats, out: Floats | None = None
) -> Floats:
    """The columns of the second pass, what the first one said of the neighbours, the containers,
    the segments of the same make, and the page: a row for each name in `CONTEXT`; in `out` where
    that is given."""
    table = out if out is not None else np.empty((len(CONTEXT), len(segments)), np.float32)
    _Context(page, segments, around, score, table).fill()
    return table


class _Context:
    """A page, what the first pass said of it, and the table."""

    def __init__(
        self, page: Page, segments: Segments, around: Containers, score: Floats, out: Floats
    ) -> None:
        self.out: Any = view(out)
        self.size = len(segments)
        self.score: Any = view(score)
        self.words: Any = view(segments.words.astype(np.float64))
        self.order: Any = ints(np.argsort(-score, kind="stable"))
        """The segments from the best score to the worst."""
        self.tag: Any = view(np.ascontiguousarray(page.tag))
        self.block: Any = ints(segments.block)
        self.each: Any = view(around.each)
        self.number: Any = view(around.number)
        self.top: Any = view(around.top)
        self.bottom: Any = view(around.bottom)
        self.low: Any = view(around.low)
        self.high: Any = view(around.high)
        self.kind: Any = view(around.kind)
        self.family: Any = view(around.family)
        self.copy: Any = view(around.copy)
        self.sums: Any = view(np.zeros((3, self.size + 1)))
        """The words, the scores, and the expected words of content before each segment."""
        self.group: Any = view(np.zeros(self.size, dtype=np.int32))
        """The group of each segment, when means over groups are taken."""
        groups = max(around.families, around.kinds, self.size + 1)
        self.totals: Any = view(np.zeros((2, groups)))
        """The weights and the weighted scores of each group."""

    def fill(self) -> None:
        self.sum()
        self.near(0)
        self.within(len(_NEAR))
        at = len(_NEAR) + len(_WITHIN)
        self.alike(at)
        self.copies(at + len(_ALIKE))
        at += len(_ALIKE) + len(_COPIES)
        self.against_page(at)
        self.heads(at + len(_PAGE))

    def sum(self) -> None:
        sums, score, words = self.sums, self.score, self.words
        for i in range(self.size):
            sums[0, i + 1] = sums[0, i] + words[i]
            sums[1, i + 1] = sums[1, i] + score[i]
            sums[2, i + 1] = sums[2, i] + words[i] * score[i]

    def kept(self, low: int, high: int) -> float:
        """The share of content that is expected among the words from `low` to `high`."""
        words: float = max(self.sums[0, high] - self.sums[0, low], 1.0)
        right: float = self.sums[2, high] - self.sums[2, low]
        return right / words

    def mean(self, low: int, high: int) -> float:
        """The mean score from `low` to `high`."""
        total: float = self.sums[1, high] - self.sums[1, low]
        return total / max(high - low, 1)

    def near(self, at: int) -> None:
        """The scores of the neighbours, -1 beyond the ends; the mean score some places to both
        sides, weighted by words, and not."""
        out, score, size = self.out, self.score, self.size
        for i in range(size):
            out[at, i] = score[i]
        for place in range(len(_STEPS)):
            step = _STEPS[place]
            for i in range(size):
                out[at + 1 + place, i] = score[i + step] if 0 <= i + step < size else -1.0
        at += 1 + len(_STEPS)
        for place in range(len(_WIDTHS)):
            width = _WIDTHS[place]
            for i in range(size):
                low, high = max(i - width, 0), min(i + width + 1, size)
                out[at + place, i] = self.kept(low, high)
                out[at + len(_WIDTHS) + place, i] = self.mean(low, high)

    def within(self, at: int) -> None:
        """The mean score in each container: weighted by words, and not."""
        out, number, each, levels = self.out, self.number, self.each, LEVELS
        held: Any = view(np.empty((2, each.shape[0]), dtype=np.float32))
        for i in range(each.shape[0]):
            low, high = self.low[each[i]], self.high[each[i]]
            held[0, i], held[1, i] = self.kept(low, high), self.mean(low, high)
        for level in range(levels):
            for i in range(self.size):
                out[at + level, i] = held[0, number[level, i]]
                out[at + levels + level, i] = held[1, number[level, i]]

    def alike(self, at: int) -> None:
        """The mean score of the segments in elements of the same family, in elements of the same
        kind, in elements of the same kind within the same kind, and in the same section."""
        group, section = self.group, 0
        for level in range(3):
            for i in range(self.size):
                group[i] = self.family[self.top[level, i]]
            self.mean_by(at + level, True)
        for i in range(self.size):
            group[i] = self.kind[self.bottom[0, i]]
        self.mean_by(at + 3, False)
        _refine(group, self.kind, self.bottom, 1)
        self.mean_by(at + 4, False)
        for i in range(self.size):
            section += _IS_HEADING[self.tag[self.block[i]]]
            group[i] = section
        self.mean_by(at + 5, False)
        self.mean_by(at + 6, True)

    def mean_by(self, at: int, by_words: bool) -> None:
        """For each segment the mean score of the segments in its group."""
        group, totals, score = self.group, self.totals, self.score
        for i in range(self.size):
            totals[0, group[i]] = totals[1, group[i]] = 0.0
        for i in range(self.size):
            weight = self.words[i] if by_words else 1.0
            totals[0, group[i]] += weight
            totals[1, group[i]] += score[i] * weight
        for i in range(self.size):
            self.out[at, i] = totals[1, group[i]] / max(totals[0, group[i]], 1.0)

    def copies(self, at: int) -> None:
        """The best score of all segments with the same text, and the place of this one among
        them."""
        out, copy = self.out, self.copy
        best = view(np.zeros(self.size, dtype=np.float32))
        count = view(np.zeros(self.size, dtype=np.int32))
        for place in range(self.size):
            i = self.order[place]
            number = copy[i]
            if not count[number]:
                best[number] = self.score[i]
            out[at, i], out[at + 1, i] = best[number], count[number]
            count[number] += 1

    def against_page(self, at: int) -> None:
        """How a segment stands against the best choice for the page, and against its best run."""
        out, size, score, words = self.out, self.size, self.score, self.words
        share, gains = np.empty(size), np.empty(size)
        expected_words, gain = view(share), view(gains)
        peak, begin, stop = 0, size, 0
        for i in range(size):
            expected_words[i] = score[i] * words[i]
            if expected_words[i] > expected_words[peak]:
                peak = i
        taken, expected = _best(self.order, expected_words, words, 1.0)
        for place in range(taken):
            begin, stop = min(begin, self.order[place]), max(stop, self.order[place] + 1)
        for i in range(size):
            out[at + 1, i] = score[i] - expected / 2
            gain[i] = out[at + 1, i] * words[i]
        low, high = maximum(gains)
        for i in range(size):
            out[at, i] = expected
            out[at + 2, i] = self.sums[2, size] / max(self.sums[0, size], 1.0)
            out[at + 3, i] = taken / size
            out[at + 4, i] = _beyond(i, begin, stop) / size
            out[at + 5, i] = low <= i < high
            out[at + 6, i] = _beyond(i, low, high)
            out[at + 7, self.order[i]] = i / size
            out[at + 8, i] = i - peak

    def heads(self, at: int) -> None:
        """What the first pass said of the headings before a segment, -1 where there is none, and
        of the first line of the containers around it."""
        out, head, chief = self.out, -1.0, -1.0
        for i in range(self.size):
            out[at, i], out[at + 1, i] = head, chief
            code = self.tag[self.block[i]]
            if _IS_HEADING[code]:
                head = self.score[i]
            if _IS_CHIEF[code]:
                chief = self.score[i]
        for level in range(3):
            for i in range(self.size):
                out[at + 2 + level, i] = self.score[self.low[self.top[level + 1, i]]]


_MIX, _ALL = 0x9E3779B97F4A7C15, (1 << 64) - 1


def _refine(group: Any, kind: Any, bottom: Any, level: int) -> None:
    """Numbers groups anew: two segments are in one if they were, and if the elements around them
    on this level are of the same kind."""
    size, bits, count = group.shape[0], 4, 0
    while 1 << bits < 2 * size:
        bits += 1
    last = (1 << bits) - 1
    pairs, numbers = view(np.zeros(last + 1, dtype=np.uint64)), view(np.zeros(last + 1, np.int32))
    for i in range(size):
        pair = group[i]
        pair = (pair << 32 | kind[bottom[level, i]]) + 1
        slot = (pair * _MIX & _ALL) >> 64 - bits
        while pairs[slot] and pairs[slot] != pair:
            slot = slot + 1 & last
        if not pairs[slot]:
            pairs[slot], numbers[slot] = pair, count
            count += 1
        group[i] = numbers[slot]


def _beyond(place: int, low: int, high: int) -> int:
    """How far a place is outside of low:high; negative before it."""
    if place < low:
        return place - low
    return place - high + 1 if place >= high else 0


def evened(score: Floats, words: Column, around: Containers) -> Floats:
    """The scores, each halfway to the mean of its make: of the segments that stand in elements of
    the same kind, these in the same kind, and these in the same kind again.

    What one post of a thread or one card of a listing is, all are.
    """
    group = around.kind.take(around.bottom[0])
    for level in (1, 2):
        _refine(view(group), view(around.kind), view(around.bottom), level)
    even: Floats = np.empty(len(score), dtype=np.float32)
    _fill_even(view(even), view(score), ints(words), view(group))
    return even


def _fill_even(out: Any, score: Any, words: Any, group: Any) -> None:
    size = group.shape[0]
    length, right = view(np.zeros(size)), view(np.zeros(size))
    for i in range(size):
        length[group[i]] += words[i]
        right[group[i]] += words[i] * score[i]
    for i in range(size):
        out[i] = (score[i] + right[group[i]] / max(length[group[i]], 1e-9)) / 2


def choose(score: Column, words: Column, beta: float = 1.0) -> tuple[Bools, float]:
    """The segments that maximise the expected F-measure, and its expectation.

    With p the share of a segment's words that are content, keeping the segments with the highest p
    is best; how many is found by trying all. (For F1 the border is half of the result.)

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10]))[0].tolist()
    [True, False, True]
    """
    order = np.argsort(-score, kind="stable")
    size = words.astype(np.float64)
    taken, expected = _best(ints(order), view(score * size), view(size), beta)
    return _first(order, taken), expected


def _first(order: Column, count: int) -> Bools:
    """True for the first segments in this order."""
    keep = np.zeros(len(order), dtype=np.bool_)
    keep[order[:count]] = True
    return keep


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


READINGS: Final = ((-2.0, 0.3), (0.0, 0.4), (2.0, 0.3))
"""From which score on (as log-odds) a segment is content in each reading, and how likely it is."""
SHARPER = 3.0
"""How much surer a reading is than the scores are."""
_AGAINST = np.array([math.exp(SHARPER * border) for border, _ in READINGS]).data
_CHANCE = np.array([chance for _, chance in READINGS]).data


def choose_for_readings(score: Column, words: Column, beta: float = 1.0) -> Bools:
    """The segments that maximise the expected F-measure over three readings of the page.

    The errors of a page go together: a section is content or not, with all of its segments. So the
    scores are read three times, with all that is likely, with what is more likely than not, and
    with nothing but what is certain as content, and one choice has to serve all of them.

    >>> choose_for_readings(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10])).tolist()
    [True, False, True]
    """
    order = np.argsort(-score, kind="stable")
    shares = np.empty((len(READINGS), len(order)))
    numbers = score.astype(np.float64), words.astype(np.float64)
    count = _best_for_readings(ints(order), view(numbers[0]), view(numbers[1]), view(shares), beta)
    return _first(order, count)


def _best_for_readings(order: Any, score: Any, words: Any, shares: Any, beta: float) -> int:
    """How many of the segments in this order to keep; `shares` is room for the expected words."""
    whole = view(np.zeros(shares.shape[0]))
    right = view(np.zeros(shares.shape[0]))
    taken = best = 0.0
    count = 0
    for i in range(order.shape[0]):
        sure = min(max(score[i], 1e-4), 1 - 1e-4)
        odds = ((1 - sure) / sure) ** SHARPER
        for reading in range(shares.shape[0]):
            shares[reading, i] = words[i] / (1 + _AGAINST[reading] * odds)
            whole[reading] += shares[reading, i]
    for place in range(order.shape[0]):
        i = order[place]
        taken += words[i]
        gain = 0.0
        for reading in range(shares.shape[0]):
            right[reading] += shares[reading, i]
            all_words = max(taken + beta * beta * whole[reading], 1e-9)
            gain += _CHANCE[reading] * right[reading] / all_words
        if gain > best or not count:
            best, count = gain, place + 1
    return count
