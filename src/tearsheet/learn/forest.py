"""Trains the default engine: vocabularies, the page's type, and both passes.

Vocabularies, types and first-pass scores that a page is trained with come from the folds its domain
is not in. The same folds give the cross-validation (`folds`). It is stacked, not nested: the
first-pass scores that the second pass of a fold is grown with come from models that have seen it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.clip import extract
from tearsheet.errors import NoArticle
from tearsheet.evaluate import datasets, metrics
from tearsheet.features import evidence
from tearsheet.features.evidence import Containers
from tearsheet.learn.examples import Example
from tearsheet.methods import forest
from tearsheet.parameters import Arrays
from tearsheet.types import PAGE_TYPES, Floats, Page, Segments

SEED: Final = 1
USES: Final = ("catboost",)
FEWEST_PAGES: Final = 100
SEES_HIDDEN: Final = True
FOLDS: Final = 5
DEPTH: Final = 6
FIRST: Final = {"iterations": 320, "learning_rate": 0.09, "rsm": 0.3, "l2_leaf_reg": 5}
SECOND: Final = {"iterations": 300, "learning_rate": 0.08, "rsm": 0.3, "l2_leaf_reg": 5}
TYPE: Final = {"iterations": 150, "learning_rate": 0.1, "rsm": 0.3, "depth": 5}
MOST_SEGMENTS: Final = 180
"""Of one page, for the trees: a page of thousands of cards would outvote all others."""
SHRINK: Final = 4
"""A word seen on so many domains counts half of what it showed."""
FEWEST_DOMAINS: Final = 3
"""Words seen on fewer domains are not kept."""
_BORDERS: Final = 48


@dataclass(slots=True, eq=False)
class Prepared:
    """A page with all that does not depend on the fold."""

    name: str
    domain: str
    fold: int
    page_type: str
    page: Page
    segments: Segments
    share: Floats
    around: Containers
    structural: Floats
    tokens: list[str]
    names: dict[str, float]
    """How much text below each class word is content, against the page's mean, in logarithms."""
    texts: dict[str, float]
    """The same for the words of short texts, as a difference."""
    types: Floats = field(default_factory=lambda: np.zeros(len(PAGE_TYPES), np.float32))
    first: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    second: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


def fit(examples: Iterable[Example]) -> Arrays:
    """The parameters, trained on all examples."""
    return folds(examples)[0]


def folds(examples: Iterable[Example]) -> list[Arrays]:
    """The parameters trained on all examples, then those trained without each of the folds."""
    pages = [prepare(example) for example in examples]
    typed = [_fit_types(pages, without) for without in (*range(FOLDS), None)]
    for page in pages:
        model = forest.model_of(typed[page.fold])
        page.types = forest.page_type(model, page.page, page.structural, page.segments.words)
    spoken = [_spoken(pages, without) for without in (*range(FOLDS), None)]
    first = [_fit_pass(pages, "first", without) for without in (*range(FOLDS), None)]
    for page in pages:
        page.first = _judged(page, "first", first[page.fold] | spoken[page.fold])
    second = [_fit_pass(pages, "second", without) for without in (*range(FOLDS), None)]
    for page in pages:
        page.second = _judged(page, "second", second[page.fold] | spoken[page.fold])
    sure = [_calibrated(pages, without) for without in (*range(FOLDS), None)]
    parts = zip(typed, spoken, first, second, sure)
    made: list[Arrays] = [a | b | c | d | e for a, b, c, d, e in parts]
    return [made[-1], *made[:-1]]


def report(pages: Sequence[datasets.Example], parts: Sequence[Arrays]) -> str:
    """Word F1 of each kind of page, judged by the parameters that never saw its domain."""
    found: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        with parameters.use("forest", parts[datasets.fold(page.domain, FOLDS)]):
            value = metrics.words(_text(page), page.text or "").f1
        kind = page.page_type if "wcxb" in page.path.parts else page.path.parts[-3]
        found[kind].append(value)
        if kind in PAGE_TYPES:
            found["all of wcxb"].append(value)
    lines = [f"{kind:16}{len(found[kind]):6}{np.mean(found[kind]):8.3f}" for kind in sorted(found)]
    return "\n".join(("cross-validated   pages      F1", *lines))


def _text(page: datasets.Example) -> str:
    try:
        return extract(page.html, page.url, method="forest").text
    except NoArticle:
        return ""


def prepare(example: Example) -> Prepared:
    """An example with its evidence."""
    page, segments = example.page, example.segments
    around = evidence.containers(page, segments)
    columns = evidence.structural(page, segments, around)
    return Prepared(
        name=example.name,
        domain=example.domain,
        fold=datasets.fold(example.domain, FOLDS),
        page_type=example.page_type,
        page=page,
        segments=segments,
        share=example.share,
        around=around,
        structural=evidence.table(columns),
        tokens=evidence.page_tokens(page),
        names=_name_effects(segments, around, example.share),
        texts=_text_effects(segments, example.share),
    )


def _name_effects(segments: Segments, around: Containers, share: Floats) -> dict[str, float]:
    words = np.concatenate(([0.0], np.cumsum(segments.words, dtype=np.float64)))
    content = np.concatenate(([0.0], np.cumsum(segments.words * share, dtype=np.float64)))
    inside: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    named = [set(evidence.name_words(name)) for name in around.names]
    for row, number in zip(around.rows.tolist(), around.called.tolist()):
        low, high = around.low[row], around.high[row]
        for word in named[number]:
            inside[word] += float(content[high] - content[low])
            total[word] += float(words[high] - words[low])
    mean = float(np.clip(content[-1] / max(words[-1], 1), 0.05, 0.95))
    return {
        word: float(_logit((inside[word] + 20 * mean) / (total[word] + 20)) - _logit(mean))
        for word in total
    }


def _logit(share: float) -> float:
    share = min(max(share, 0.01), 0.99)
    return float(np.log(share / (1 - share)))


def _text_effects(segments: Segments, share: Floats) -> dict[str, float]:
    short = np.flatnonzero(segments.words <= evidence.SHORT)
    if not len(short):
        return {}
    mean = float(share[short].mean())
    found: dict[str, list[float]] = defaultdict(list)
    for i in short.tolist():
        for word in set(evidence.text_words(segments.text[i])):
            found[word].append(float(share[i]) - mean)
    return {word: sum(values) / len(values) for word, values in found.items()}


def _spoken(pages: Sequence[Prepared], *without: int | None) -> dict[str, npt.NDArray[Any]]:
    """Both vocabularies, from the pages of all folds but these."""
    some = [page for page in pages if page.fold not in without]
    return {
        f"{kind}_{part}": stored
        for kind, effects in (
            ("names", [(page.domain, page.names) for page in some]),
            ("texts", [(page.domain, page.texts) for page in some]),
        )
        for part, stored in zip(("words", "values"), _vocabulary(effects))
    }


def _vocabulary(
    effects: Sequence[tuple[str, dict[str, float]]],
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Words with their mean effect; each domain speaks once."""
    by_domain: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for domain, found in effects:
        for word, value in found.items():
            by_domain[word][domain].append(value)
    kept = sorted(word for word, found in by_domain.items() if len(found) >= FEWEST_DOMAINS)
    values = [
        sum(sum(seen) / len(seen) for seen in by_domain[word].values())
        / (len(by_domain[word]) + SHRINK)
        for word in kept
    ]
    return _stored(kept), np.array(values, dtype=np.float16)


def _stored(words: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _fit_types(pages: Sequence[Prepared], without: int | None) -> dict[str, npt.NDArray[Any]]:
    """The trees that tell the page's type, and the tokens that they are told."""
    from catboost import CatBoost

    some = [page for page in pages if page.fold != without]
    rows = np.zeros((len(some), len(PAGE_TYPES) + len(some[0].structural)), dtype=np.float32)
    for held in range(FOLDS):
        tokens = _tokens([page for page in some if page.fold != held])
        model = forest.model_of(tokens | _NO_WORDS)
        for i, page in enumerate(some):
            if page.fold == held:
                said = forest.declared(model, page.page)
                means = forest.page_means(page.structural, page.segments.words)
                rows[i] = np.concatenate((said, means))
    trees = CatBoost({**_COMMON, **TYPE, "loss_function": "MultiClass"})
    kinds = [PAGE_TYPES.index(page.page_type) for page in some]
    trees.fit(rows, kinds)
    made = _trees("type", trees, len(set(kinds)))
    return _for_all_types(made, sorted(set(kinds))) | _tokens(some) | _NO_WORDS


def _for_all_types(
    trees: dict[str, npt.NDArray[Any]], kinds: Sequence[int]
) -> dict[str, npt.NDArray[Any]]:
    """Types that no page of a small set has are never told."""
    leaves = np.zeros((*trees["type_leaves"].shape[:2], len(PAGE_TYPES)), dtype=np.float32)
    leaves[:, :, kinds] = trees["type_leaves"]
    bias = np.full(len(PAGE_TYPES), -100.0)
    bias[kinds] = trees["type_bias"]
    return trees | {"type_leaves": leaves, "type_bias": bias}


def _tokens(pages: Sequence[Prepared]) -> dict[str, npt.NDArray[Any]]:
    """For each token the logarithm of how much more often each type has it."""
    counts: dict[str, npt.NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(PAGE_TYPES)))
    domains: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        for token in page.tokens:
            counts[token][PAGE_TYPES.index(page.page_type)] += 1
            domains[token].add(page.domain)
    kinds = [PAGE_TYPES.index(page.page_type) for page in pages]
    often = (np.bincount(kinds, minlength=len(PAGE_TYPES)) + 1) / (len(pages) + len(PAGE_TYPES))
    kept = sorted(token for token in counts if len(domains[token]) >= FEWEST_DOMAINS)
    values = [np.log((counts[t] + 2 * often) / (counts[t].sum() + 2) / often) for t in kept]
    return {"tokens_words": _stored(kept), "tokens_values": np.array(values, dtype=np.float16)}


_NO_WORDS: Final[dict[str, npt.NDArray[Any]]] = {
    f"{kind}_{part}": np.zeros(0, dtype=np.uint8)
    for kind in ("names", "texts")
    for part in ("words", "values")
}
_COMMON: Final[dict[str, Any]] = {
    "depth": DEPTH,
    "border_count": _BORDERS,
    "random_seed": SEED,
    "thread_count": 2,
    "verbose": 0,
    "leaf_estimation_iterations": 1,
    "allow_writing_files": False,
}


def _fit_pass(
    pages: Sequence[Prepared], name: str, without: int | None
) -> dict[str, npt.NDArray[Any]]:
    """The trees of one pass, from all folds but one."""
    from catboost import CatBoost, Pool

    random = np.random.default_rng(SEED)
    some = [page for page in pages if page.fold != without]
    columns, shares, weights = [], [], []
    for page, table in _tables(pages, some, name, without):
        chosen, weight = _sampled(page, random)
        columns.append(table[:, chosen].T)
        shares.append(page.share[chosen])
        weights.append(weight)
    pool = Pool(np.concatenate(columns), np.concatenate(shares), weight=np.concatenate(weights))
    settings = FIRST if name == "first" else SECOND
    trees = CatBoost({**_COMMON, **settings, "loss_function": "CrossEntropy"})
    trees.fit(pool)
    return _trees(name, trees, 1)


def _tables(
    pages: Sequence[Prepared], some: Sequence[Prepared], name: str, without: int | None
) -> Iterator[tuple[Prepared, Floats]]:
    """Each page with its columns; its vocabulary comes from the folds it is not in."""
    for held in range(FOLDS):
        if held != without:
            words = _spoken(pages, held, without)
            model = forest.model_of(words | _NO_TOKENS)
            for page in some:
                if page.fold == held:
                    yield page, _columns(page, name, model)


_NO_TOKENS: Final[dict[str, npt.NDArray[Any]]] = {
    "tokens_words": np.zeros(0, dtype=np.uint8),
    "tokens_values": np.zeros((0, len(PAGE_TYPES))),
}


def _columns(page: Prepared, name: str, model: forest.Model) -> Floats:
    lexical = evidence.lexical(page.page, page.segments, page.around, model.names, model.texts)
    wide = np.broadcast_to(page.types[:, None], (len(PAGE_TYPES), len(page.segments)))
    parts = [page.structural, evidence.table(lexical), wide]
    if name == "second":
        context = evidence.context(page.page, page.segments, page.around, page.first)
        parts.append(evidence.table(context))
    return np.concatenate(parts)


def _sampled(
    page: Prepared, random: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Some segments of a page and their weights; every page has the same weight."""
    weight = (page.segments.words + 1.0) ** 0.7
    chosen = np.arange(len(weight))
    if len(weight) > MOST_SEGMENTS:
        chance = np.sqrt(weight) / np.sqrt(weight).sum()
        chosen = np.sort(random.choice(len(weight), MOST_SEGMENTS, replace=False, p=chance))
    return chosen, 100 * weight[chosen] / weight[chosen].sum()


def _judged(page: Prepared, name: str, arrays: dict[str, npt.NDArray[Any]]) -> Floats:
    """The scores of a page by trees that never saw its domain."""
    from tearsheet.features import trees

    model = forest.model_of(arrays | _NO_TOKENS)
    return forest.share_of(trees.score(arrays, name, _columns(page, name, model)))


def _trees(name: str, trained: Any, outputs: int) -> dict[str, npt.NDArray[Any]]:
    """CatBoost's symmetric trees as arrays."""
    import json
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trees.json"
        trained.save_model(str(path), format="json")
        stored = json.loads(path.read_text())
    count = len(stored["oblivious_trees"])
    depth = max(len(tree["splits"] or ()) for tree in stored["oblivious_trees"])
    feature = np.zeros((count, depth), dtype=np.int16)
    border = np.full((count, depth), np.inf, dtype=np.float32)  # a missing question: never
    leaves = np.zeros((count, 1 << depth, outputs), dtype=np.float32)
    for i, tree in enumerate(stored["oblivious_trees"]):
        for level, split in enumerate(tree["splits"] or ()):
            feature[i, level] = split["float_feature_index"]
            border[i, level] = split["border"]
        values = np.array(tree["leaf_values"], dtype=np.float32).reshape(-1, outputs)
        leaves[i, : len(values)] = values
    scale, bias = stored["scale_and_bias"]
    return {
        f"{name}_feature": feature,
        f"{name}_border": border,
        f"{name}_leaves": leaves * np.float32(scale),
        f"{name}_bias": np.array(bias, dtype=np.float64),
    }


def _calibrated(pages: Sequence[Prepared], without: int | None) -> dict[str, npt.NDArray[Any]]:
    """What F1 was found where which was expected, rising, in twenty steps.

    Both from scores by trees that never saw the page's domain.
    """
    from sklearn.isotonic import IsotonicRegression

    some = [page for page in pages if page.fold != without]
    expected, found = np.array([_expected_and_found(page) for page in some]).T
    steps = np.quantile(expected, np.linspace(0, 1, 20))
    model = IsotonicRegression(out_of_bounds="clip").fit(expected, found)
    return {
        "confidence_expected": steps.astype(np.float32),
        "confidence_found": model.predict(steps).astype(np.float32),
    }


def _expected_and_found(page: Prepared) -> tuple[float, float]:
    words = page.segments.words.astype(np.float64)
    keep, expected = evidence.choose(page.second, words)
    right = (words * page.share)[keep].sum()
    return expected, float(2 * right / max(words[keep].sum() + (words * page.share).sum(), 1))
