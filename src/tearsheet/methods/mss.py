"""Maximum subsequence segmentation.

J. Pasternack, D. Roth: Extracting Article Text from the Web with Maximum Subsequence
Segmentation. WWW 2009.

The page becomes a list of tokens: tags, stemmed words, and numbers that all look alike. A naive
Bayes classifier gives each token the probability p that it belongs to the article, from two
features: the trigram that begins at it, and the tag above it. The run of tokens with the largest
sum of p - 0.5 is the article.

Deviations: 1. Trained on our data (WCXB, news, Readability's test pages), whose truth is the main
content of pages of every kind. 2. Tokens are those of the page's table: of its visible text, with
opening and closing tags; each Chinese or Japanese character is a word. 3. Only trigrams that
several sites share have a weight of their own; any other has that of its shape, in which all words
are the same. That is all there is for a page in a language without training data. 4. A segment is
kept if its middle token is in the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.features import subsequence
from tearsheet.features.porter import stem
from tearsheet.segments import rows_within, visible_rows
from tearsheet.tags import CODES, IS_VOID, NAMES, TEXT, UNSEEN
from tearsheet.types import Bools, Ints, Options, Page, Segments, Verdict
from tearsheet.writing import HAN, KANA

PARAMETERS: Final = "mss"
NEUTRAL: Final = 0.5
"""The probability that is worth nothing (§3)."""

_TOKEN: Final = re.compile(rf"[{KANA}{HAN}]|[^\W\d_]+|\d+(?:[.,:]\d+)*")
_NUMBER: Final = crc32(b"0")
_WORD: Final = crc32(b"<word>")
_OPENING: Final = np.array([crc32(f"<{name}>".encode()) for name in NAMES], dtype=np.uint32)
_CLOSING: Final = np.array([crc32(f"</{name}>".encode()) for name in NAMES], dtype=np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a page in order."""

    number: npt.NDArray[np.uint32]
    """A hash of the token."""
    shape: npt.NDArray[np.uint32]
    """The same, but every word is alike."""
    row: Ints
    """The row that it comes from; for a closing tag the row after it."""
    above: npt.NDArray[np.uint8]
    """Code of the tag above it."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the segments in the best run of tokens; scores are sums over their tokens."""
    found = tokens(page)
    value = probabilities(found) - NEUTRAL
    start, end = subsequence.find_best_run(value)
    first, last = spans(found, segments)
    total = np.concatenate(([0.0], np.cumsum(value)))
    middle = (first + last) // 2
    return Verdict(
        method="mss",
        score=(total[last] - total[first]).astype(np.float32),
        keep=(middle >= start) & (middle < end),
    )


def spans(found: Tokens, segments: Segments) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """First and one past the last token of each segment."""
    first = np.searchsorted(found.row, segments.first)
    return first, np.searchsorted(found.row, segments.last, side="right")


def probabilities(found: Tokens) -> npt.NDArray[np.float64]:
    """For each token the probability that it belongs to the article."""
    known = parameters.load(PARAMETERS)
    by_tag = np.zeros(len(NAMES))
    for name, weight in zip(known["tag"].tolist(), known["tag_weight"].tolist(), strict=True):
        if name in CODES:
            by_tag[CODES[name]] = weight
    by_trigram = np.full(len(found.number), float(known["unseen_weight"]))
    # A trigram of its own weight beats its shape, in which all words are the same.
    for kind, numbers in (("shape", found.shape), ("trigram", found.number)):
        trigram = trigrams(numbers)
        at = np.searchsorted(known[kind], trigram).clip(max=max(len(known[kind]) - 1, 0))
        seen = known[kind][at] == trigram
        by_trigram[seen] = known[f"{kind}_weight"][at[seen]]
    odds = float(known["prior"]) + by_trigram + by_tag[found.above]
    return 1 / (1 + np.exp(-odds))


def trigrams(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """For each token a hash of itself and its two successors."""
    padded = np.concatenate((numbers, np.zeros(2, dtype=np.uint32))).astype(np.uint64)
    mixed = padded[:-2] * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= padded[1:-1] * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= padded[2:] * np.uint64(0x165667B19E3779F9)
    return (mixed >> np.uint64(32)).astype(np.uint32)


def tokens(page: Page) -> Tokens:
    """Opening and closing tags, words and numbers of the page's body, in order."""
    shown = visible_rows(page)
    seen = (page.tag != TEXT) & ~rows_within(page, UNSEEN[page.tag])
    words: list[int] = []
    counts = np.zeros(len(page), dtype=np.int64)
    for row in np.flatnonzero(shown).tolist():
        found = _numbers(page.text[row])
        words += found
        counts[row] = len(found)
    return _in_order(page, np.array(words, dtype=np.uint32), counts, seen)


def _numbers(text: str) -> list[int]:
    return [_number(token) for token in _TOKEN.findall(text)]


def _number(token: str, known: dict[str, int] = {}) -> int:  # noqa: B006
    found = known.get(token)
    if found is None:
        found = _NUMBER if token[0].isdigit() else crc32(stem(token.lower()).encode())
        if len(known) < 200_000:
            known[token] = found
    return found


def _in_order(
    page: Page, words: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64], seen: Bools
) -> Tokens:
    """All tokens sorted by place: what ends before a row, the row's tag, its words."""
    rows = np.arange(len(page))
    opened = rows[seen]
    closed = rows[seen & ~IS_VOID[page.tag]]
    closed = closed[np.lexsort((-closed, page.end[closed]))]  # the innermost ends first
    above = page.tag[np.maximum(page.parent, 0)]
    row = np.concatenate((page.end[closed], opened, np.repeat(rows, counts)))
    number = np.concatenate((_CLOSING[page.tag[closed]], _OPENING[page.tag[opened]], words))
    tag = np.concatenate((above[closed], above[opened], np.repeat(above, counts)))
    shape = number.copy()
    shape[len(closed) + len(opened) :][words != _NUMBER] = _WORD
    order = np.argsort(row, kind="stable")
    return Tokens(number[order], shape[order], row[order].astype(np.int32), tag[order])
