"""The weight of each word in or around a segment beside all others, as log-odds of content.

A logistic regression over the words of the vocabularies: the names of the elements around a
segment, those of the innermost one that has any, the words of its text, of the heading above it,
and the first lines of its containers. Where a page says "share", "social" and "bar" at once, the
effects of the single words count the same thing three times; these weights do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.methods.forest.vocabulary import WEIGHTS, names_in, spoken_words
from tearsheet.tags import HEADINGS

if TYPE_CHECKING:
    from tearsheet.learn.forest import TrainingPage

SHRINK: Final = 1.0
"""Cost of the squares of the weights, where a page that is all wrong costs about one."""
STEPS: Final = 60
Key: TypeAlias = tuple[str, str]
"""Which weight, and of which word."""
Sample: TypeAlias = "tuple[TrainingPage, npt.NDArray[np.intp], npt.NDArray[np.float64]]"
"""A page, some of its segments, and how much each counts."""


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """The words of some segments of all pages."""

    table: Any
    """A row for each segment, a column for each key: how often it has the word (scipy's CSR)."""
    column: Mapping[Key, int]
    share: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    fold: npt.NDArray[np.int64]


def count_words(samples: Iterable[Sample]) -> WordCounts:
    """The words of these segments."""
    from scipy.sparse import csr_matrix

    column: dict[Key, int] = {}
    found: list[npt.NDArray[np.int32]] = []
    ends = [0]
    share, weight, fold = [], [], []
    for page, chosen, counts in samples:
        for keys in _keys(page, chosen.tolist()):
            numbers = [column.setdefault(key, len(column)) for key in keys]
            found.append(np.array(numbers, dtype=np.int32))
            ends.append(ends[-1] + len(numbers))
        share.append(page.share[chosen].astype(np.float64))
        weight.append(counts / counts.sum())
        fold.append(np.full(len(chosen), page.fold))
    places = np.concatenate(found)
    table = csr_matrix(
        (np.ones(len(places), dtype=np.float32), places, ends), (len(found), len(column))
    )
    table.sum_duplicates()
    return WordCounts(table, column, *(np.concatenate(part) for part in (share, weight, fold)))


def _keys(page: TrainingPage, chosen: Sequence[int]) -> Iterator[list[Key]]:
    """The words of each segment, as the columns of the engine add them up."""
    segments, around = page.segments, page.around
    spoken = [[word for word in (whole, *own) if word] for whole, own in spoken_words(segments)]
    labels = [line[0] if line and line[0].startswith("=") else "" for line in spoken]
    named = [names_in(raw) for raw in around.attrs]
    called = dict(zip(around.rows.tolist(), around.called.tolist()))
    heads = np.flatnonzero(HEADINGS[page.page.tag.take(segments.block)])
    before = np.searchsorted(heads, np.arange(len(segments))) - 1
    first = around.low.take(around.each).take(around.number[1:5])
    parent = page.page.parent.tolist()
    for i in chosen:
        keys: list[Key] = [("text", word) for word in spoken[i]]
        if before[i] >= 0:
            keys += (("heading", word) for word in spoken[heads[before[i]]])
        lines = [labels[line] for line in first[:, i].tolist() if line != i]
        keys += (("first_line", label) for label in lines if label)
        keys += _names(int(segments.first[i]), parent, called, named)
        yield keys


def _names(
    row: int, parent: Sequence[int], called: Mapping[int, int], named: Sequence[list[str]]
) -> Iterator[Key]:
    """The names on the way from a row up to the root."""
    innermost = True
    while row >= 0:
        for name in (names := named[called[row]] if row in called else []):
            yield "around", name
            if innermost:
                yield "own", name
        innermost = innermost and not names
        row = parent[row]


def fit(
    counts: WordCounts, without: Iterable[int], vocabularies: Mapping[str, Sequence[str]]
) -> dict[str, npt.NDArray[np.float64]]:
    """For each vocabulary the weights of its words, from all folds but some."""
    rows = np.flatnonzero(~np.isin(counts.fold, list(without)))
    keys = [
        (weight, word)
        for name, words in vocabularies.items()
        for weight in WEIGHTS[name]
        for word in words
    ]
    at = np.array([counts.column.get(key, -1) for key in keys])
    weights = np.zeros(len(keys))
    weights[at >= 0] = _regression(
        counts.table[rows][:, at[at >= 0]], counts.share[rows], counts.weight[rows]
    )
    sizes = [len(WEIGHTS[name]) * len(words) for name, words in vocabularies.items()]
    parts = np.split(weights, np.cumsum(sizes)[:-1])
    return {name: part.reshape(len(WEIGHTS[name]), -1).T for name, part in zip(vocabularies, parts)}


def _regression(
    table: Any, share: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The weights of the columns that predict the shares best."""
    from scipy.optimize import minimize
    from scipy.special import expit

    turned = table.T.tocsr()

    def loss(values: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        odds = table @ values[1:] + values[0]
        wrong = weight * (expit(odds) - share)
        cost = np.sum(weight * (np.logaddexp(0, odds) - share * odds))
        cost += SHRINK / 2 * np.sum(values[1:] ** 2)
        return float(cost), np.append(wrong.sum(), turned @ wrong + SHRINK * values[1:])

    start = np.zeros(table.shape[1] + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    best: npt.NDArray[np.float64] = found.x[1:]
    return best
