"""Trains the roles of segments on pages whose roles people have labelled (`role_labels`).

The weights of words and values are a multinomial logistic regression; what a segment takes from its
containers and neighbours is learned from what that found on pages of sites that it had not seen.
The columns of a page come from an engine that was trained without its site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet import datasets, role_labels
from tearsheet.datasets import FOLDS, fold_number
from tearsheet.learn import engine_of_fold
from tearsheet.methods.forest.columns import SECOND, numbers
from tearsheet.methods.forest.model import decode_words, encode_words, load_model
from tearsheet.methods.forest.page_chrome import RestOfPage, set_aside
from tearsheet.methods.forest.passes import Judgement, judge_segments
from tearsheet.methods.forest.role_values import (
    CATEGORIES,
    MOST,
    NUMBERS,
    PAIR_VALUES,
    PAIRS,
    role_values,
)  # fmt: skip
from tearsheet.methods.forest.roles import (
    CAUSES,
    LEVELS,
    chrome_causes,
    pooled_terms,
    to_chances,
)  # fmt: skip
from tearsheet.methods.forest.vocabulary import WEIGHTS
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.parameters import Arrays
from tearsheet.segments import segments
from tearsheet.tags import HEADINGS
from tearsheet.types import ROLES, Floats, Ints, Page, Segments

SETS: Final = ("saves", "wcxb")
SEED: Final = 1
FEWEST_DOMAINS: Final = 5
"""Words on the labelled pages of fewer domains have no weight."""
MOST_SEGMENTS: Final = 250
"""Most segments of a page in the regression: a page of thousands of cards would outvote all
others."""
SHRINK: Final = 0.12
"""The cost of the squares of the weights, if a page that is all wrong costs about its root."""
STEPS: Final = 30
CURVATURE: Final = 0.1
"""How fast the cost bends with a weight, for a segment that has its word."""
FEWEST_SEGMENTS: Final = 4
"""Words and values of fewer segments have no weight."""
RARE: Final = 0.2
"""The extra weight of rare roles: their share to the power of minus this."""
POOLING_SHRINK: Final = 10.0
POOLING_STEPS: Final = 40
_BORDERS: Final = (0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.96)
"""The quantiles of a column at which its steps begin."""
_ROW: Final = numbers(SECOND)
_LONGEST_PAGE: Final = 4_000
"""Most segments of a page; longer ones are left out."""

Matrix = Any
"""A sparse matrix of SciPy."""


@dataclass(slots=True, eq=False)
class RolePage:
    """A labelled page with the data for finding roles."""

    name: str
    set: str
    fold: int
    domain: str
    kind: str
    page: Page
    segments: Segments
    rest: RestOfPage
    judged: Judgement
    roles: Ints
    """For each segment of the whole page the number of its role, or -1."""
    features: Matrix = None
    first: Floats | None = None
    """The regression's result on this page without having seen its site."""

    @property
    def roles_in_rest(self) -> Ints:
        """The roles of the segments outside page chrome."""
        return self.roles[self.rest.stays]


def read_pages(
    folder: Path,
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
    folds: Path | None = None,
) -> list[RolePage]:
    """The labelled pages of the sets in a folder, with columns of an engine that was trained
    without their fold, if `folds` has these."""
    chosen = datasets.choose_evenly(list(_labelled_pages(folder)), limit)
    found = []
    for i, (name, labels, example) in enumerate(chosen):
        progress(i, len(chosen))
        page = parse(decode(example.html), example.url)
        parts = segments(page, hidden=True)
        if 0 < len(parts) < _LONGEST_PAGE:
            roles = role_labels.LabelPaths(page).segment_roles(parts, labels)
            found.append(_prepare(folds, name, labels, example, page, parts, roles))
    progress(len(chosen), len(chosen))
    return found


def _labelled_pages(folder: Path) -> Iterator[tuple[str, role_labels.RoleLabels, datasets.Example]]:
    for name in SETS:
        labels = role_labels.read_labels(name) if (folder / name).is_dir() else {}
        known = {it.name: it for it in datasets.read_set(name, folder / name)} if labels else {}
        for key, labelled in labels.items():
            example = known.get(key.removeprefix(f"{name}-"))
            if example is not None:
                yield name, labelled, example


def _prepare(
    folds: Path | None, name: str, labels: role_labels.RoleLabels, example: datasets.Example,
    page: Page, parts: Segments, roles: Ints,
) -> RolePage:  # fmt: skip
    rest = set_aside(page, parts)
    judged = judge_segments(load_model(), rest.page, rest.segments)
    with engine_of_fold(fold_number(example.domain), folds):
        elsewhere = judge_segments(load_model(), rest.page, rest.segments)
    return RolePage(
        name=example.name,
        set=name,
        fold=fold_number(example.domain),
        domain=example.domain,
        kind=labels.kind,
        page=page,
        segments=parts,
        rest=rest,
        judged=elsewhere._replace(words=judged.words),  # rows of one vocabulary
        roles=roles,
    )


class RoleColumns:
    """Where the weights of each word and value are in the regression."""

    def __init__(self, pages: Sequence[RolePage]) -> None:
        model = load_model()
        self.words = {name: decode_words(model.arrays[f"{name}_words"]) for name in WEIGHTS}
        self.chosen = {name: _choose_words(pages, name) for name in WEIGHTS}
        self.place: dict[str, Ints] = {}
        at = 0
        for name, places in WEIGHTS.items():
            for place in places:
                self.place[place] = np.full(len(self.words[name]) + 1, -1, dtype=np.int64)
                self.place[place][self.chosen[name]] = at + np.arange(len(self.chosen[name]))
                at += len(self.chosen[name])
        self.borders = [_find_borders(pages, name) for name in NUMBERS]
        sizes = [len(part) + 1 for part in self.borders]
        sizes += [MOST] * len(CATEGORIES) + [PAIR_VALUES] * PAIRS
        self.starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        self.values = at
        self.width = at + int(self.starts[-1])

    def features(self, page: RolePage) -> Matrix:
        """A row for each segment that is not page chrome, a column for each weight."""
        from scipy.sparse import csr_matrix

        rows: list[npt.NDArray[Any]] = []
        columns: list[npt.NDArray[Any]] = []
        for place, items in _words_by_place(page).items():
            for i, words in enumerate(items):
                at = self.place[place][words]
                at = at[at >= 0]
                rows.append(np.full(len(at), i))
                columns.append(at)
        values = self._values(page)
        rows.append(np.tile(np.arange(values.shape[1]), len(values)))
        columns.append(values.ravel())
        row, column = np.concatenate(rows), np.concatenate(columns)
        shape = (values.shape[1], self.width)
        table = csr_matrix((np.ones(len(row), dtype=np.float32), (row, column)), shape)
        table.sum_duplicates()
        return table

    def _values(self, page: RolePage) -> npt.NDArray[np.int64]:
        table = page.judged.table
        bins = np.stack([
            np.searchsorted(borders, table[_ROW[name]], side="right")
            for name, borders in zip(NUMBERS, self.borders)
        ]).astype(np.int32)  # fmt: skip
        found = role_values(table, bins).astype(np.int64)
        ends = self.starts[1:, None] - self.starts[:-1, None] - 1
        found = np.minimum(np.maximum(found, 0), ends)
        places: npt.NDArray[np.int64] = found + self.starts[:-1, None] + self.values
        return places


def _choose_words(pages: Sequence[RolePage], name: str) -> Ints:
    """The rows of the words that pages of enough domains have."""
    seen: dict[int, set[str]] = defaultdict(set)
    for page in pages:
        found = page.judged.words
        rows = (
            found.names[: found.name_ends[0, -1]]
            if name == "names"
            else found.texts[: found.text_ends[0, -1]]
        )
        labels = found.text_ends[1] if name == "texts" else rows[:0]
        for row in {*rows.tolist(), *labels.tolist()} - {0}:
            seen[row].add(page.domain)
    return np.array(
        sorted(row for row, domains in seen.items() if len(domains) >= FEWEST_DOMAINS),
        dtype=np.int32,
    )


def _find_borders(pages: Sequence[RolePage], name: str) -> Floats:
    row = _ROW[name]
    values = np.concatenate([page.judged.table[row] for page in pages])
    return np.unique(np.quantile(values, _BORDERS).astype(np.float32))


def _words_by_place(page: RolePage) -> dict[str, list[Ints]]:
    """For each place of a word, the words of each segment, as the core adds them up."""
    rest, around, found = page.rest, page.judged.around, page.judged.words
    attrs = _split(found.names, found.name_ends[0])
    texts = _split(found.texts, found.text_ends[0])
    labels = found.text_ends[1]
    whole = [np.append(words, label) for words, label in zip(texts, labels)]
    names = _names_around(rest, around, attrs, found.name_ends[1])
    heads = HEADINGS.take(rest.page.tag.take(rest.segments.block))
    above, heading = np.zeros(0, dtype=np.int32), []
    for i, words in enumerate(whole):
        heading.append(above)
        above = words if heads[i] else above
    lines = around.low.take(around.top[1 : LEVELS + 1])
    first_line = [
        labels.take([line for line in lines[:, i].tolist() if line != i]) for i in range(len(whole))
    ]
    return {**names, "text": whole, "heading": heading, "first_line": first_line}


def _split(rows: Ints, ends: Ints) -> list[Ints]:
    return np.split(rows[: ends[-1]], ends[:-1]) if len(ends) else []


def _names_around(
    rest: RestOfPage, around: Any, attrs: list[Ints], counts: Ints
) -> dict[str, list[Ints]]:
    called = dict(zip(around.rows.tolist(), around.called.tolist()))
    parent = rest.page.parent.tolist()
    found: dict[str, list[Ints]] = {"around": [], "own": []}
    nothing = np.zeros(0, dtype=np.int32)
    for row in rest.segments.first.tolist():
        chain = []
        while row >= 0:
            if row in called and counts[called[row]]:
                chain.append(attrs[called[row]])
            row = parent[row]
        found["around"].append(np.concatenate(chain) if chain else nothing)
        found["own"].append(chain[0] if chain else nothing)
    return found


def folds(pages: Sequence[RolePage]) -> list[Arrays]:
    """The parameters trained on all pages, then those trained without each of the folds."""
    layout = RoleColumns(pages)
    for page in pages:
        page.features = layout.features(page)
    weights = []
    for held in range(FOLDS):
        weights.append(_fit_weights([page for page in pages if page.fold != held], layout))
        for page in pages:
            if page.fold == held:
                page.first = _first_chances(page, weights[-1])
    weights.insert(0, _fit_weights(pages, layout))
    made: list[Arrays] = []
    for number, part in enumerate(weights):
        some = [page for page in pages if page.fold != number - 1]
        more = {"pooling": _fit_pooling(some), "chrome": _count_chrome(some)}
        made.append(_store(layout, part) | more)
    return made


def _first_chances(page: RolePage, weights: npt.NDArray[np.float32]) -> Floats:
    odds = page.features @ weights[:-1] + weights[-1]
    return to_chances(odds.astype(np.float32))


def _sample(page: RolePage) -> npt.NDArray[np.intp]:
    """Some labelled segments of a page."""
    known = np.flatnonzero(page.roles_in_rest >= 0)
    if len(known) > MOST_SEGMENTS:
        random = np.random.default_rng(SEED + len(known))
        known = np.sort(random.choice(known, MOST_SEGMENTS, replace=False))
    return known


def _fit_weights(pages: Sequence[RolePage], layout: RoleColumns) -> npt.NDArray[np.float32]:
    """A row of weights for each column, and the bias as the last."""
    from scipy.sparse import vstack

    chosen = [_sample(page) for page in pages]
    table = vstack([page.features[some] for page, some in zip(pages, chosen)]).tocsr()
    role = np.concatenate([page.roles_in_rest[some] for page, some in zip(pages, chosen)])
    weight = np.concatenate([np.full(len(some), max(len(some), 1) ** -0.5) for some in chosen])
    weight *= _role_weights(role, weight)[role]
    used = np.flatnonzero(np.bincount(table.indices, minlength=layout.width) >= FEWEST_SEGMENTS)
    table = table[:, used].tocsr()
    turned = table.T.tocsr()
    # The steps are as long as each column can bear: without this, rare words would need hundreds.
    seen = np.append(turned.multiply(turned) @ weight, weight.sum())
    scale = (1 / np.sqrt(CURVATURE * seen + SHRINK))[:, None].astype(np.float32)

    def loss(values: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        flat = values.reshape(-1, len(ROLES)).astype(np.float32) * scale
        odds = table @ flat[:-1] + flat[-1]
        cost, wrong = _cross_entropy(odds, role, weight)
        cost += SHRINK / 2 * float((flat[:-1].astype(np.float64) ** 2).sum())
        slope = np.vstack((turned @ wrong + SHRINK * flat[:-1], wrong.sum(axis=0))) * scale
        return cost, slope.ravel().astype(np.float64)

    found = _minimise(loss, np.zeros((len(used) + 1, len(ROLES))), STEPS) * scale
    weights = np.zeros((layout.width + 1, len(ROLES)), dtype=np.float32)
    weights[used], weights[-1] = found[:-1], found[-1]
    return weights


def _role_weights(
    role: npt.NDArray[Any], weight: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The weight of a segment of each role: rare roles count more than their share."""
    share = np.bincount(role, weight, minlength=len(ROLES)) / weight.sum()
    found: npt.NDArray[np.float64] = np.maximum(share * len(ROLES), 0.05) ** -RARE
    return found


def _cross_entropy(
    odds: Floats, role: npt.NDArray[Any], weight: npt.NDArray[Any]
) -> tuple[float, Floats]:
    """The cost of log-odds, and how it changes with each of them."""
    odds = odds - odds.max(axis=1, keepdims=True)
    total = np.log(np.exp(odds).sum(axis=1))
    places = np.arange(len(role))
    cost = float((weight * (total - odds[places, role])).sum())
    wrong = np.exp(odds - total[:, None])
    wrong[places, role] -= 1
    wrong *= weight[:, None]
    return cost, wrong.astype(np.float32)


def _minimise(
    loss: Callable[..., Any], start: npt.NDArray[np.float64], steps: int
) -> npt.NDArray[np.float64]:
    from scipy.optimize import minimize

    found = minimize(loss, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    best: npt.NDArray[np.float64] = found.x.reshape(start.shape)
    return best


def _fit_pooling(pages: Sequence[RolePage]) -> npt.NDArray[np.float32]:
    """For each role the weights of its own odds, of its containers' and of its neighbours'."""
    terms, role, weight = [], [], []
    for page in pages:
        assert page.first is not None
        some = np.flatnonzero(page.roles_in_rest >= 0)
        found = pooled_terms(page.first, page.judged.around)[:, some]
        terms.append(found)
        role.append(page.roles_in_rest[some])
        weight.append(np.full(len(some), max(len(some), 1) ** -0.5))
    table = np.concatenate(terms, axis=1)
    roles, counts = np.concatenate(role), np.concatenate(weight)
    start = np.zeros((len(table) + 1, len(ROLES)))
    start[0] = 1

    def loss(values: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        flat = values.reshape(start.shape)
        odds = np.einsum("tsr,tr->sr", table, flat[:-1].astype(np.float32)) + flat[-1]
        cost, wrong = _cross_entropy(odds, roles, counts)
        away = flat - start
        slope = np.vstack((np.einsum("tsr,sr->tr", table, wrong), wrong.sum(axis=0)))
        cost += POOLING_SHRINK / 2 * float((away**2).sum())
        return cost, (slope + POOLING_SHRINK * away).ravel()

    return _minimise(loss, start, POOLING_STEPS).astype(np.float32)


def _count_chrome(pages: Sequence[RolePage]) -> npt.NDArray[np.float32]:
    """The share of each role among the chrome of each cause; each page counts as one."""
    counts = np.zeros((CAUSES, len(ROLES)))
    for page in pages:
        some = np.flatnonzero((page.roles >= 0) & ~page.rest.stays)
        causes = chrome_causes(page.page, page.segments)[some]
        np.add.at(counts, (causes, page.roles[some]), max(len(some), 1) ** -0.5)
    usual = counts.sum(axis=0) + 0.01
    counts += usual / usual.sum()
    shares: npt.NDArray[np.float32] = (counts / counts.sum(axis=1, keepdims=True)).astype(
        np.float32
    )
    return shares


def _store(layout: RoleColumns, weights: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[Any]]:
    found: dict[str, npt.NDArray[Any]] = {
        "roles": encode_words(ROLES),
        "columns": encode_words((*NUMBERS, *CATEGORIES)),
        "borders": np.concatenate(layout.borders).astype(np.float32),
        "border_ends": np.cumsum([len(part) for part in layout.borders]).astype(np.int32),
        "value_weights": weights[layout.values : -1].astype(np.float16),
        "value_starts": layout.starts,
        "bias": weights[-1],
    }
    for name, places in WEIGHTS.items():
        chosen = layout.chosen[name]
        found[f"{name}_words"] = encode_words([layout.words[name][row - 1] for row in chosen])
        for place in places:
            at = layout.place[place][chosen]
            found[f"{place}_weights"] = weights[at].astype(np.float16)
    return found


def count_pages(pages: Sequence[RolePage]) -> Mapping[str, int]:
    """How many pages of each set there are."""
    return {name: sum(page.set == name for page in pages) for name in SETS}


def report(pages: Sequence[RolePage], parts: Sequence[Arrays]) -> str:
    """How well roles are found on the saves, by parameters that never saw the site."""
    from tearsheet.learn.role_scores import judge_pages, score_table

    saves = [page for page in pages if page.set == "saves"]
    return score_table(judge_pages(saves, parts))
