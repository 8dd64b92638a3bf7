"""How close a found text is to the true one, by the measures of several papers.

Every measure returns precision and recall; F1 follows from them. If both texts are empty, both are
1; if one of them is empty, both are 0.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.features.geometry import covered_area
from tearsheet.types import Box, Page, Segments, Verdict

_WORD: Final = re.compile(r"\w+")
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
"""Base of the rolling hash: odd, so that it has an inverse modulo 2^64."""
_INVERSE: Final = np.uint64(pow(int(_BASE), -1, 2**64))

Hashes: TypeAlias = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of one page."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def word_score(found: str, truth: str) -> Score:
    r"""Word F1 of WCXB (Foley 2026): `\w+` in lower case, as a multiset.

    >>> word_score("The dog barks", "the dog sleeps here")
    Score(precision=0.6666666666666666, recall=0.5)
    """
    return _bags(_WORD.findall(found.lower()), _WORD.findall(truth.lower()))


def bag_score(found: str, truth: str) -> Score:
    """|Wp ∩ WL| over |Wp| and over |WL| (Article Clipper, §3), words by white space."""
    return _bags(found.split(), truth.split())


def address_score(found: Iterable[str], truth: Iterable[str]) -> Score:
    """Each address is a word (Article Clipper, §3)."""
    return _bags(list(found), list(truth))


def shingle_score(found: str, truth: str, size: int = 4) -> Score:
    """F1 of the runs of `size` words, as multisets; a shorter text is one run."""
    return _bags(word_runs(found, size), word_runs(truth, size))


def word_runs(text: str, size: int) -> list[tuple[str, ...]]:
    """The runs of `size` words, in order; a shorter text is one run."""
    tokens = _WORD.findall(text.lower())
    count = max(len(tokens) - size + 1, 1 if tokens else 0)
    return [tuple(tokens[i : i + size]) for i in range(count)]


def _bags(found: Sequence[Hashable], truth: Sequence[Hashable]) -> Score:
    return _score((Counter(found) & Counter(truth)).total(), len(found), len(truth))


def _score(common: float, found: float, truth: float) -> Score:
    if not found and not truth:
        return Score(1.0, 1.0)
    return Score(common / found if found else 0.0, common / truth if truth else 0.0)


def sequence_score(found: str, truth: str) -> Score:
    """Longest common subsequence of characters, spaces ignored (Arias et al., §5.2 and §5.3)."""
    a, b = _spaceless(found), _spaceless(truth)
    return _score(sequence_length(a, b), len(a), len(b))


def string_score(found: str, truth: str) -> Score:
    """Longest common substring of characters, spaces ignored (Arias et al., §5.2 and §5.3)."""
    a, b = _spaceless(found), _spaceless(truth)
    return _score(string_length(a, b), len(a), len(b))


def _spaceless(text: str) -> str:
    return "".join(text.split())


def sequence_length(a: str, b: str) -> int:
    """Length of the longest common subsequence, bit-parallel (Hyyrö 2004) on Python's integers.

    >>> sequence_length("the dog jumps over the brown fox", "the fox jumps over the brown dog")
    28
    """
    start = _common_start(a, b)
    a, b = a[start:], b[start:]
    stop = _common_start(a[::-1], b[::-1])
    a, b = a[: len(a) - stop], b[: len(b) - stop]
    a, b = sorted((a, b), key=len)
    last = deque(_states(a, b), maxlen=1).pop()
    return start + stop + len(a) - last.bit_count()


def _states(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[int]:
    """After each item of `b`: a number whose bit i is 0 if the longest common subsequence grows
    with `a[i]`."""
    masks: dict[Hashable, int] = {}
    for i, item in enumerate(a):
        masks[item] = masks.get(item, 0) | 1 << i
    full = state = (1 << len(a)) - 1
    yield state
    for item in b:
        if mask := masks.get(item):
            hit = state & mask
            state = ((state + hit) | (state - hit)) & full
            yield state


def _common_start(a: str, b: str) -> int:
    """Length of the common beginning of two strings."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


def string_length(a: str, b: str) -> int:
    """Length of the longest common substring: the longest window that both have, by binary search.
    Windows are compared by a rolling hash (Karp, Rabin 1987), a match by its characters.

    >>> string_length("the dog jumps over the brown fox", "the fox jumps over the brown dog")
    22
    """
    hashes = _prefix_hashes(a), _prefix_hashes(b)
    low, high = 0, min(len(a), len(b))
    while low < high:
        size = (low + high + 1) // 2
        low, high = (size, high) if _share(a, b, hashes, size) else (low, size - 1)
    return low


def _prefix_hashes(text: str) -> Hashes:
    """hash(text[:i]) / BASE^i for each i, modulo 2^64."""
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    terms = (letters + np.uint64(1)) * _powers(_INVERSE, len(text))
    return np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))


def _powers(base: np.uint64, count: int) -> Hashes:
    return np.cumprod(np.full(count, base, dtype=np.uint64), dtype=np.uint64)


def _share(a: str, b: str, hashes: tuple[Hashes, Hashes], size: int) -> bool:
    """Whether the two strings have a common window of this size."""
    ours, theirs = (_windows(prefix, size) for prefix in hashes)
    shared = np.isin(theirs, ours)
    hit = int(shared.argmax())
    if not shared[hit]:
        return False
    start = int((ours == theirs[hit]).argmax())
    return a[start : start + size] == b[hit : hit + size]


def _windows(prefix: Hashes, size: int) -> Hashes:
    """The hash of each window of this size."""
    sums = prefix[size:] - prefix[:-size]
    return sums * _powers(_BASE, len(sums))


def rouge_score(found: str, truth: str) -> Score:
    """ROUGE-L over a whole summary (Lin 2004, §3.2): for each line of the truth the union of its
    longest common subsequences with every found line; no word is counted more often than it occurs.
    """
    found_lines = [line for raw in found.splitlines() if (line := _WORD.findall(raw.lower()))]
    truth_lines = [line for raw in truth.splitlines() if (line := _WORD.findall(raw.lower()))]
    left = Counter(word for line in found_lines for word in line)
    known = {tuple(line) for line in found_lines}
    hits = 0
    for line in truth_lines:
        matched = range(len(line)) if tuple(line) in known else _union(line, found_lines)
        for word in (line[i] for i in matched):
            if left[word] > 0:
                left[word] -= 1
                hits += 1
    return _score(hits, sum(map(len, found_lines)), sum(map(len, truth_lines)))


def _union(line: list[str], others: list[list[str]]) -> set[int]:
    """The positions of `line` that belong to a longest common subsequence with any of the
    others."""
    own = set(line)
    shared = (other for other in others if not own.isdisjoint(other))
    return {i for other in shared for i in matched_positions(line, other)}


def matched_positions(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[int]:
    """The positions of `a` that make one longest common subsequence with `b`, last one first."""
    states = list(_states(a, b))
    found = []
    i, j = len(a) - 1, len(states) - 1
    while i >= 0 and j > 0:
        if states[j] >> i & 1:  # the subsequence is no longer with this word than without it
            i -= 1
        else:
            j -= 1
            if j == 0 or states[j] >> i & 1:
                found.append(i)
                i -= 1
    return found


def area_score(found: Sequence[Box], truth: Sequence[Box]) -> Score:
    """Overlap over predicted and over true area, each the exact union of its boxes (CLG, §7.1)."""
    size_found, size_truth = covered_area(found), covered_area(truth)
    common = size_found + size_truth - covered_area([*found, *truth])
    return _score(max(common, 0.0), size_found, size_truth)


def chosen_boxes(page: Page, segments: Segments, verdict: Verdict) -> list[Box]:
    """On a rendered page: the boxes of the nodes that a method chose, or else of the blocks of the
    segments that it kept."""
    return boxes(page, verdict.rows or segments.block[verdict.keep].tolist())


def boxes(page: Page, rows: Iterable[int]) -> list[Box]:
    """The boxes of these rows of a rendered page, each once; rows that are not drawn have none."""
    found = (page.box(row) for row in dict.fromkeys(rows))
    return [box for box in found if box is not None]
