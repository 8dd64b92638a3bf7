"""Naive Bayes for `mss`: how much more often a trigram, or a tag above it, is content than not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.learn.examples import CONTENT, LabelledPage
from tearsheet.methods.mss import spans, tokens, trigrams
from tearsheet.tags import NAMES

FEWEST_DOMAINS: Final = 6
"""A trigram gets a weight if at least this many sites have it."""


Hashes = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class _TokenColumns:
    """Every token of every page: trigram, trigram of its shape, site, tag above, and label."""

    trigram: Hashes
    shape: Hashes
    domain: Hashes
    above: npt.NDArray[np.uint8]
    content: npt.NDArray[np.bool_]


def fit(examples: Iterable[LabelledPage]) -> dict[str, np.ndarray[Any, Any]]:
    """The log-odds of trigrams and tags, and of the prior."""
    seen = _read_tokens(examples)
    inside = float(seen.content.sum())
    outside = len(seen.content) - inside
    trigram, weight = _weights(seen.trigram, seen, inside, outside)
    rest = ~np.isin(seen.trigram, trigram)
    shape, shape_weight = _weights(np.where(rest, seen.shape, 0), seen, inside, outside)
    rest &= ~np.isin(seen.shape, shape)
    unseen = _odds(seen.content[rest].sum(), rest.sum(), inside, outside)
    tags = np.bincount(seen.above, minlength=len(NAMES))
    good_tags = np.bincount(seen.above, weights=seen.content, minlength=len(NAMES))
    names = np.flatnonzero(tags)
    return {
        "prior": _odds(inside, inside + outside, 1.0, 1.0).astype(np.float32),
        "tag": np.array([NAMES[code] for code in names]),
        "tag_weight": _odds(good_tags[names], tags[names], inside, outside).astype(np.float32),
        "trigram": trigram,
        "trigram_weight": weight,
        "shape": shape,
        "shape_weight": shape_weight,
        "unseen_weight": unseen.astype(np.float32),
    }


def _read_tokens(examples: Iterable[LabelledPage]) -> _TokenColumns:
    numbers: dict[str, int] = {}
    parts = []
    for example in examples:
        found = tokens(example.page)
        domain = numbers.setdefault(example.domain, len(numbers))
        domains = np.full(len(found.number), domain, np.uint32)
        label = token_labels(example)
        parts.append((trigrams(found.number), trigrams(found.shape), domains, found.above, label))
    return _TokenColumns(*(np.concatenate(column) for column in zip(*parts)))


def token_labels(example: LabelledPage) -> npt.NDArray[np.bool_]:
    """True for tokens of content, and for tokens between two segments that both are content."""
    found = tokens(example.page)
    first, last = spans(found, example.segments)
    content = example.share >= CONTENT
    label = np.zeros(len(found.row), dtype=np.bool_)
    joined = np.concatenate((content[:-1] & content[1:], [False]))
    ends = np.concatenate((first[1:], [len(label)]))
    for start, stop, end, inside, bridge in zip(first, last, ends, content, joined, strict=True):
        label[start:stop] = inside
        label[stop:end] = bridge
    return label


def _weights(
    keys: Hashes, seen: _TokenColumns, inside: float, outside: float
) -> tuple[Hashes, npt.NDArray[np.float16]]:
    """Sorted hashes of the trigrams that enough sites share, and their weights; 0 is no trigram."""
    pairs = np.unique(keys.astype(np.uint64) << np.uint64(32) | seen.domain)
    known, sites = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_counts=True)
    known = np.append(np.uint32(0), known[(sites >= FEWEST_DOMAINS) & (known > 0)])
    at = np.searchsorted(known, keys).clip(max=max(len(known) - 1, 0))
    here = known[at] == keys
    total = np.bincount(at[here], minlength=len(known))
    good = np.bincount(at[here], weights=seen.content[here], minlength=len(known))
    weights = _odds(good, total, inside, outside)
    weights[0] = 0.0
    return known, weights.astype(np.float16)


def _odds(
    good: npt.ArrayLike, total: npt.ArrayLike, inside: float, outside: float
) -> npt.NDArray[np.float64]:
    """Logarithm of the ratio of the two likelihoods, one observation added to each side."""
    right, wrong = np.asarray(good) + 1.0, np.asarray(total) - np.asarray(good) + 1.0
    return np.asarray(np.log(right / wrong * (outside + 1) / (inside + 1)))
