"""Which segments of a page are in its true text: the share of each segment's words.

The words of the page and of the truth are aligned as sequences (longest common subsequence), so
that a short segment ("Share", "2 comments") counts by its position, not wherever its words occur.
Long segments that the truth has in another order are found by their word trigrams.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, TypeAlias

import numpy as np

from tearsheet.types import Floats, Segments

_Counts: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
_WORD: Final = re.compile(r"\w+")
_MOST_CELLS: Final = 6_000_000_000  # of the alignment's bit matrix: under a gigabyte
_TRIGRAMS_FROM: Final = 6
"""Segments with at least this many words are also recognised out of order."""


def labels(segments: Segments, truth: str) -> Floats:
    """For each segment the share (0 to 1) of its words that belong to the truth.

    What the page repeats counts only as often as the truth has it. A segment without words
    (bullets, arrows) gets a value between those of its neighbours.
    """
    words = [_WORD.findall(text.lower()) for text in segments.text]
    wanted = _WORD.findall(truth.lower())
    counts = np.array([len(line) for line in words])
    if not wanted or not counts.sum():
        return np.zeros(len(words), dtype=np.float32)
    lines = {" ".join(_WORD.findall(line.lower())) for line in truth.splitlines()}
    found, free = _match_in_order(words, counts, wanted, lines)
    found += _match_out_of_order(words, found, wanted, free)
    return _fill(np.minimum(found / np.maximum(counts, 1), 1), counts > 0)


def _match_in_order(
    words: list[list[str]], counts: _Counts, wanted: list[str], lines: set[str]
) -> tuple[_Counts, list[bool]]:
    """How many words of each segment are in a longest common subsequence with the truth, and which
    words of the truth are not. A single word counts only if it is a line of the truth."""
    from rapidfuzz.distance import LCSseq

    page = [word for line in words for word in line]
    free = [True] * len(wanted)
    if len(page) * len(wanted) > _MOST_CELLS:
        return np.zeros(len(words), dtype=np.int64), free
    numbers = {word: i for i, word in enumerate(dict.fromkeys(page + wanted))}
    blocks = LCSseq.editops(
        [numbers[word] for word in page], [numbers[word] for word in wanted]
    ).as_matching_blocks()
    matched = np.zeros(len(page) + 1, dtype=np.int64)
    for block in blocks:
        if block.size > 1 or (block.size == 1 and wanted[block.b] in lines):
            matched[block.a : block.a + block.size] = 1
            free[block.b : block.b + block.size] = [False] * block.size
    ends = np.cumsum(counts)
    total = np.concatenate(([0], np.cumsum(matched[:-1])))
    return np.asarray(total[ends] - total[ends - counts]), free


def _match_out_of_order(
    words: list[list[str]], found: _Counts, wanted: list[str], free: list[bool]
) -> _Counts:
    """How many words of longer segments out of order are in trigrams that the truth still has."""
    left = Counter(
        (wanted[i], wanted[i + 1], wanted[i + 2])
        for i in range(len(wanted) - 2)
        if free[i] and free[i + 1] and free[i + 2]
    )
    more = np.zeros(len(words), dtype=np.int64)
    for i, line in enumerate(words):
        if len(line) >= _TRIGRAMS_FROM and 2 * found[i] < len(line):
            more[i] = _use_trigrams(line, left)
    return more


def _use_trigrams(line: list[str], left: Counter[tuple[str, str, str]]) -> int:
    """How many words of the line are in trigrams that are left; these are used up."""
    inside: set[int] = set()
    for i, trigram in enumerate(zip(line, line[1:], line[2:])):
        if left[trigram] > 0:
            left[trigram] -= 1
            inside.update((i, i + 1, i + 2))
    return len(inside)


def _fill(
    share: np.ndarray[tuple[int], np.dtype[np.float64]],
    has_words: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Floats:
    places = np.arange(len(share))
    return np.interp(places, places[has_words], share[has_words]).astype(np.float32)
