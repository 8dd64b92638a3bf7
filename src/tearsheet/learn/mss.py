"""Naive Bayes for `mss`: how much more often a trigram, or a tag above, is content than not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.learn.examples import CONTENT, Example
from tearsheet.methods.mss import spans, tokens, trigrams
from tearsheet.tags import NAMES

FEWEST_DOMAINS: Final = 6
"""Sites that must share a trigram for it to have a weight."""
LEAST_WEIGHT: Final = 0.25
"""Trigrams closer than this to one never seen (logarithm of odds) are left out of the file."""


def fit(examples: Iterable[Example]) -> dict[str, np.ndarray[Any, Any]]:
    """The weights of trigrams and tags, as logarithms of odds, and the prior's."""
    trigram, domain, tag, content = _observed(examples)
    prior = _odds(np.array([content.sum()]), np.array([len(content)]), 1.0, 1.0)[0]
    tags = np.bincount(tag, minlength=len(NAMES))
    good_tags = np.bincount(tag, weights=content, minlength=len(NAMES))
    names = np.flatnonzero(tags)
    keys, weights, unseen = _trigram_weights(trigram, domain, content)
    inside, all_tokens = float(content.sum()), float(len(content))
    tag_weight = _odds(good_tags[names], tags[names], inside, all_tokens - inside)
    return {
        "prior": np.array(prior, dtype=np.float32),
        "tag": np.array([NAMES[code] for code in names]),
        "tag_weight": tag_weight.astype(np.float32),
        "trigram": keys,
        "trigram_weight": weights,
        "unseen_weight": np.array(unseen, dtype=np.float32),
    }


def _observed(
    examples: Iterable[Example],
) -> tuple[
    npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.uint8], npt.NDArray[np.bool_]
]:
    """Trigram, domain, tag above and label of every token of every page."""
    numbers: dict[str, int] = {}
    parts = []
    for example in examples:
        found = tokens(example.page)
        domain = numbers.setdefault(example.domain, len(numbers))
        label = token_labels(example)
        parts.append((trigrams(found), np.full(len(label), domain, np.uint32), found.above, label))
    trigram, domains, above, labels = (np.concatenate(column) for column in zip(*parts))
    return trigram, domains, above, labels


def token_labels(example: Example) -> npt.NDArray[np.bool_]:
    """True for tokens of content; between two segments, where both of them are."""
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


def _trigram_weights(
    trigram: npt.NDArray[np.uint32],
    domain: npt.NDArray[np.uint32],
    content: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float16], float]:
    """Sorted hashes of the trigrams that enough sites share, their weights, that of all others."""
    pairs = np.unique(trigram.astype(np.uint64) << np.uint64(32) | domain)
    keys, sites = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_counts=True)
    keys = keys[sites >= FEWEST_DOMAINS]
    at = np.searchsorted(keys, trigram).clip(max=max(len(keys) - 1, 0))
    known = keys[at] == trigram
    total = np.bincount(at[known], minlength=len(keys))
    good = np.bincount(at[known], weights=content[known], minlength=len(keys))
    inside = float(content.sum())
    outside = len(content) - inside
    weight = _odds(good, total, inside, outside)
    rest, good_rest = np.array([(~known).sum()]), np.array([content[~known].sum()])
    unseen = float(_odds(good_rest, rest, inside, outside)[0])
    telling = np.abs(weight - unseen) >= LEAST_WEIGHT
    return keys[telling], weight[telling].astype(np.float16), unseen


def _odds(
    good: npt.NDArray[Any], total: npt.NDArray[Any], inside: float, outside: float
) -> npt.NDArray[np.float64]:
    """Logarithm of the ratio of the two likelihoods, one observation added to each side."""
    ratio = (good + 1) / (total - good + 1)
    return np.asarray(np.log(ratio * (outside + 1) / (inside + 1)))
