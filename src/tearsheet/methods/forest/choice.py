"""Scores → kept segments: evens scores out among segments of the same make, makes the choice with
the best expected F-measure, and leaves doubles, hidden copies and buttons out of it."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet._core import sequence as core
from tearsheet.methods.forest.buttons import find_actions
from tearsheet.methods.forest.containers import Containers, to_bits, to_ints
from tearsheet.types import PAGE_TYPES, Bools, Floats, Page, Segments

BETA: Final = {"balanced": 1.0, "precision": 0.5, "recall": 2.0}
"""The F-measure that is maximised: below 1 it asks for precision, above 1 for recall."""
LEANING: Final = {"article": 0.85, "documentation": 1.4}
"""A factor on it for each type of page: doubtful text mostly stands around an article, while a
reference should be complete."""
_LEANINGS: Final = np.log([LEANING.get(kind, 1.0) for kind in PAGE_TYPES])
WITH_THREADS: Final = frozenset(("article", "service", "collection", "listing"))
"""The types of page whose comments are not their text."""
NO_FORUM: Final = 0.07
"""Comments are left out if a forum is this much less likely than the page's type."""
INSIDE: Final = 0.3
"""How much surer (as log-odds) a segment of an article is if it is in the article's element …"""
OUTSIDE: Final = 1.0
"""… and how much less sure if it is not."""
LEAST: Final = 30
"""Fewest words that must remain: a text without its comments has more."""
_FORUM: Final = PAGE_TYPES.index("forum")
LABEL: Final = 3
"""Fewest words of a repeated text; shorter ones are labels."""
CERTAIN: Final = 0.7
"""Share of content from which a text repeats on purpose."""
AGREEMENT: Final = 0.4
"""Expected F1 below which the three readings of a page agree on no text."""
MOSTLY: Final = 0.8
"""Share of shown words among the kept ones from which hidden words are left out."""
MAKE_LEVELS: Final = 3
"""How many elements around a segment, from the innermost, define its make."""
READINGS: Final = ((-2.0, 0.3), (0.0, 0.4), (2.0, 0.3))
"""For each reading: the score (log-odds) from which a segment is content, and the probability of
the reading."""
SHARPER: Final = 3.0
"""How much more certain a reading is than the scores."""
_BORDERS: Final = np.array([math.exp(SHARPER * border) for border, _ in READINGS])
_CHANCES: Final = np.array([chance for _, chance in READINGS])


def even_out(score: Floats, words: npt.NDArray[Any], around: Containers) -> Floats:
    """The scores, each moved halfway to the mean of its make: the segments whose innermost
    elements, the elements around these, and those around them are of the same kinds. All posts of a
    thread are alike, and so are all cards of a listing.
    """
    group = around.kind.take(around.bottom[0])
    core.group_by_make(group, around.kind, around.bottom, MAKE_LEVELS)
    even: Floats = np.empty(len(score), dtype=np.float32)
    core.even_out(even, score, to_ints(words), group)
    return even


def choose_segments(
    page: Page, segments: Segments, around: Containers, share: Floats, types: Floats, favor: str
) -> tuple[Bools, float]:
    """The segments to keep of a page that is of each type with some probability, and the expected
    F1 of the plain choice."""
    kind = PAGE_TYPES[types.argmax()]
    beta = BETA[favor] * math.exp(float((types * _LEANINGS).sum()))
    keep, expected = choose(share, segments.words)
    if kind == "article":
        share = lean_to_root(share, segments.words, around, float(types.max()))
    if kind != "documentation" and expected >= AGREEMENT:
        keep = choose_for_readings(share, segments.words, beta)
    elif beta != 1:
        keep, _ = choose(share, segments.words, beta)
    if kind != "documentation":  # references are whole, and repeat by right
        keep &= ~find_doubles(keep, share, segments, around)
    keep = leave_out_hidden(keep, segments, around, whole=kind == "article")
    keep[find_actions(page, segments, keep)] = False
    return keep, expected


def lean_to_root(
    share: Floats, words: npt.NDArray[Any], around: Containers, chance: float
) -> Floats:
    """The scores of a page that is an article with this chance: higher in the element that is the
    article, lower around it. That element is the one whose whole text has the best expected F1."""
    size, content = np.zeros((2, len(words) + 1))
    np.cumsum(words, out=size[1:])
    np.cumsum(words * share, out=content[1:])
    low, high = around.low.take(around.each), around.high.take(around.each)
    inside, length = content.take(high) - content.take(low), size.take(high) - size.take(low)
    root = (inside / np.maximum(length + content[-1], 1)).argmax()
    odds = np.full(len(share), math.exp(-OUTSIDE * chance))
    odds[low[root] : high[root]] = math.exp(INSIDE * chance)
    leaning: Floats = (share * odds / (share * odds + 1 - share)).astype(np.float32)
    return leaning


def leave_out_threads(keep: Bools, threads: Bools, words: npt.NDArray[Any], types: Floats) -> Bools:
    """The selection without what the page calls comments, unless the page may be a forum or has
    little other text."""
    best = int(types.argmax())
    if PAGE_TYPES[best] not in WITH_THREADS or types[_FORUM] > NO_FORUM * types[best]:
        return keep
    left: Bools = keep & ~threads
    return left if words[left].sum() >= LEAST else keep


def choose(
    score: npt.NDArray[Any], words: npt.NDArray[Any], beta: float = 1.0
) -> tuple[Bools, float]:
    """The segments that maximise the expected F-measure, and its expectation.

    With p the share of a segment's words that are content, keeping the segments with the highest p
    is best; how many is found by trying all. (For F1 the border is half of the result.)

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10]))[0].tolist()
    [True, False, True]
    """
    order = (-score).argsort(kind="stable")
    size = words.astype(np.float64)
    count, expected = core.best_count(to_ints(order), score * size, size, beta)
    return _keep_first(order, count), expected


def choose_for_readings(
    score: npt.NDArray[Any], words: npt.NDArray[Any], beta: float = 1.0
) -> Bools:
    """The segments that maximise the expected F-measure over three readings of the page.

    The errors of a page go together: a section is content or not, with all of its segments. So the
    scores are read three times: everything likely is content, or what is more likely than not, or
    only what is certain; and one choice has to serve all three.

    >>> choose_for_readings(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10])).tolist()
    [True, False, True]
    """
    order = (-score).argsort(kind="stable")
    count = core.best_count_for_readings(
        to_ints(order), score.astype(np.float64), words.astype(np.float64),
        _BORDERS, _CHANCES, SHARPER, beta,
    )  # fmt: skip
    return _keep_first(order, count)


def _keep_first(order: npt.NDArray[Any], count: int) -> Bools:
    """True for the first segments in this order."""
    keep = np.zeros(len(order), dtype=np.bool_)
    keep[order[:count]] = True
    return keep


def find_doubles(keep: Bools, share: Floats, segments: Segments, around: Containers) -> Bools:
    """Kept segments whose text was kept before: quoted posts, the same card for the phone."""
    doubled: Bools = np.zeros(len(keep), dtype=np.bool_)
    core.mark_doubles(
        to_bits(keep), share, to_ints(segments.words), around.copy, LABEL, CERTAIN,
        to_bits(doubled),
    )  # fmt: skip
    return doubled


def leave_out_hidden(keep: Bools, segments: Segments, around: Containers, *, whole: bool) -> Bools:
    """The selection without hidden copies of shown text. If the page is one text and shows most of
    it, all hidden text goes; on other pages it may be the closed tabs of a product."""
    hidden = keep & segments.hidden
    if not hidden.any():
        return keep
    shown: Bools = keep & ~hidden
    if whole and segments.words[shown].sum() >= MOSTLY * segments.words[keep].sum():
        return shown
    are_shown = np.zeros(len(keep), dtype=np.bool_)
    are_shown[around.copy[shown]] = True  # the numbers of their texts
    return keep & ~(hidden & are_shown.take(around.copy))
