"""Which segments of a page are in its truth text: the share of each segment's words.

The page's words and the truth's words are aligned as sequences (longest common subsequence), so
that a short segment ("Share", "2 comments") counts where it stands and not wherever its words
occur. Long segments that the truth has in another order are found by their word trigrams.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tearsheet.types import Floats, Segments

_WORD: Final = re.compile(r"\w+")
_MOST_CELLS: Final = 6_000_000_000  # of the alignment's bit matrix: under a gigabyte
_TRIGRAMS_FROM: Final = 6
"""Segments of so many words may also be recognised out of order."""


def labels(segments: Segments, truth: str) -> Floats:
    """For each segment the share (0 to 1) of its words that belong to the truth.

    A segment without words (bullets, arrows) takes the mean of its neighbours.
    """
    words = [_WORD.findall(text.lower()) for text in segments.text]
    wanted = _WORD.findall(truth.lower())
    counts = np.array([len(line) for line in words])
    if not wanted or not counts.sum():
        return np.zeros(len(words), dtype=np.float32)
    found = np.maximum(_in_order(words, counts, wanted), _by_trigrams(words, wanted))
    return _filled(found / np.maximum(counts, 1), counts > 0)


def _in_order(
    words: list[list[str]], counts: np.ndarray[tuple[int], np.dtype[np.int64]], wanted: list[str]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many words of each segment lie on a longest common subsequence with the truth."""
    from rapidfuzz.distance import LCSseq

    page = [word for line in words for word in line]
    if len(page) * len(wanted) > _MOST_CELLS:
        return np.zeros(len(words), dtype=np.int64)
    numbers = {word: i for i, word in enumerate(dict.fromkeys(page + wanted))}
    blocks = LCSseq.editops(
        [numbers[word] for word in page], [numbers[word] for word in wanted]
    ).as_matching_blocks()
    matched = np.zeros(len(page) + 1, dtype=np.int64)
    for block in blocks:
        matched[block.a : block.a + block.size] = 1
    ends = np.cumsum(counts)
    total = np.concatenate(([0], np.cumsum(matched[:-1])))
    return np.asarray(total[ends] - total[ends - counts])


def _by_trigrams(
    words: list[list[str]], wanted: list[str]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many words of each longer segment lie in a trigram of the truth."""
    known = set(zip(wanted, wanted[1:], wanted[2:]))
    return np.array([_covered(line, known) for line in words], dtype=np.int64)


def _covered(line: list[str], known: set[tuple[str, str, str]]) -> int:
    if len(line) < _TRIGRAMS_FROM:
        return 0
    inside: set[int] = set()
    for i, trigram in enumerate(zip(line, line[1:], line[2:])):
        if trigram in known:
            inside.update((i, i + 1, i + 2))
    return len(inside)


def _filled(
    share: np.ndarray[tuple[int], np.dtype[np.float64]],
    has_words: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Floats:
    places = np.arange(len(share))
    return np.interp(places, places[has_words], share[has_words]).astype(np.float32)
