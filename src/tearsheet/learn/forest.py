"""Trains the default engine: vocabularies, the page's type, and both passes.

The vocabularies, types and first-pass scores that a page is trained with come from models that have
not seen the fold of its domain: its columns are made once. The same folds give the cross-validation
(`folds`): all parts of a model that judges a fold (words, types, both passes) were trained without
the pages of that fold. Only the columns of the other folds' pages, on which its trees were grown,
hold values of words and first-pass scores that were learned with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet import datasets, metrics, parameters
from tearsheet.clip import extract
from tearsheet.datasets import FOLDS, fold_number
from tearsheet.errors import NoArticle, UnknownName
from tearsheet.learn import augment, weights
from tearsheet.learn.examples import LabelledPage
from tearsheet.methods.forest import columns
from tearsheet.methods.forest.choice import choose, even_out
from tearsheet.methods.forest.containers import Containers, find_containers
from tearsheet.methods.forest.context_features import fill_context
from tearsheet.methods.forest.evidence import fill_structural
from tearsheet.methods.forest.model import Model, encode_words, make_model, stored_columns
from tearsheet.methods.forest.page_chrome import set_aside
from tearsheet.methods.forest.page_type import column_means, declared_types, find_page_type
from tearsheet.methods.forest.passes import make_table, to_share
from tearsheet.methods.forest.trees import score_rows
from tearsheet.methods.forest.vocabulary import fill_lexical, names_in, page_tokens, spoken_words
from tearsheet.parameters import Arrays
from tearsheet.types import PAGE_TYPES, Bools, Floats, Page, Segments

SEED: Final = 1
USES: Final = ("catboost",)
FEWEST_PAGES: Final = 100
SEES_HIDDEN: Final = True
DEPTH: Final = 6
FIRST: Final = {"iterations": 400, "learning_rate": 0.08, "rsm": 0.2, "l2_leaf_reg": 6}
SECOND: Final = {"iterations": 600, "learning_rate": 0.06, "rsm": 0.2, "l2_leaf_reg": 6}
TYPE: Final = {
    "iterations": 150, "learning_rate": 0.1, "rsm": 0.3, "depth": 5, "boosting_type": "Plain",
}  # fmt: skip
MOST_SEGMENTS: Final = 180
"""Most segments of a page for the trees: a page of thousands of cards would outvote all others."""
MOST_FOR_WORDS: Final = 100
"""The same for the weights of words."""
MOST_OF_COPY: Final = 60
"""The same for a changed copy of a page …"""
COPY_WEIGHT: Final = 0.5
"""… and the weight of a copy beside that of a page."""
SHRINK: Final = 4
"""A word seen on so many domains has half of its measured effect."""
FEWEST_DOMAINS: Final = 3
"""Words seen on fewer domains are not kept."""
CREDIBLE: Final = 0.5
"""F1 of the first pass from which a truth counts in full in the second …"""
STRANGE: Final = 0.1
"""… and the weight of a truth that has nothing in common with the first pass."""
_BORDERS: Final = 48


@dataclass(slots=True, eq=False)
class TrainingPage:
    """A page with everything that does not depend on the fold."""

    name: str
    domain: str
    fold: int
    page_type: str
    page: Page
    segments: Segments
    share: Floats
    known: Bools
    """Per segment: whether its share of content is known."""
    around: Containers
    structural: Floats
    tokens: list[str]
    copied: bool
    """Whether it is a changed copy of a page: words are not learned from it."""
    names: dict[str, float]
    """The share of content below each word of a class, against the page's mean, as log-odds."""
    texts: dict[str, float]
    """The same for the words of texts, as a difference."""
    second: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


Part: TypeAlias = dict[str, npt.NDArray[Any]]
"""Some of the model's arrays."""
LeftOutFolds: TypeAlias = frozenset[int]
"""The folds that a model was trained without."""


def fit(examples: Iterable[LabelledPage]) -> Arrays:
    """The parameters, trained on all examples."""
    return folds(examples)[0]


def folds(examples: Iterable[LabelledPage]) -> list[Arrays]:
    """The parameters trained on all examples, then those trained without each of the folds."""
    fits = ModelParts(prepare_all(examples))
    real = [page for page in fits.pages if not page.copied]
    for page in real:
        page.second = fits.score_page(page, "second", frozenset((page.fold,)))
    return [
        fits.parts(held) | _calibrate([page for page in real if page.fold not in held])
        for held in _OUTER
    ]


_OUTER: Final = (frozenset[int](), *(frozenset((fold,)) for fold in range(FOLDS)))


def ablate(
    examples: Iterable[LabelledPage],
    pages: Sequence[datasets.Example],
    groups: Sequence[str],
    judged: int = FOLDS,
) -> str:
    """A table of word F1 with all columns and without each group of columns.

    The engine is trained again for each group; the pages of the first `judged` folds are judged by
    models that have not seen their fold.
    """
    for group in groups:
        if group not in columns.GROUPS:
            raise UnknownName("group of columns", group, columns.GROUPS)
    prepared = prepare_all(examples)
    some = [page for page in pages if fold_number(page.domain) < judged]
    found: dict[str, dict[str, list[float]]] = {}
    full = ModelParts(prepared)
    for group in ("", *groups):
        fits = ModelParts(prepared, without=group, words=full) if group else full
        parts = [fits.parts(frozenset((fold,))) | _NO_CALIBRATION for fold in range(judged)]
        found[group] = _judge_pages(some, parts)
    return _ablation_table(found)


_NO_CALIBRATION: Final = {
    "confidence_expected": np.array([0, 1], dtype=np.float32),
    "confidence_found": np.array([0, 1], dtype=np.float32),
}


def _ablation_table(found: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    kinds = sorted(found[""])
    lines = [f"{'without':20}" + "".join(f"{kind:>16}" for kind in kinds)]
    lines.append(f"{'(pages)':20}" + "".join(f"{len(found[''][kind]):16}" for kind in kinds))
    full = {kind: float(np.mean(values)) for kind, values in found[""].items()}
    lines.append(f"{'nothing':20}" + "".join(f"{full[kind]:16.4f}" for kind in kinds))
    for group, values in found.items():
        if group:
            changes = (float(np.mean(values[kind])) - full[kind] for kind in kinds)
            lines.append(f"{group:20}" + "".join(f"{change:+16.4f}" for change in changes))
    return "\n".join(lines)


class ModelParts:
    """The parts of the model, each trained without some folds, and each once.

    `without` names a group of columns that is zero in training, so no tree asks for it. `words`
    are other fits of the same pages, whose vocabularies are the same.
    """

    def __init__(
        self, pages: Sequence[TrainingPage], without: str = "", words: ModelParts | None = None
    ) -> None:
        self.pages = pages
        self._vocabularies = words
        self._left_out = {
            name: np.array([i for i, column in enumerate(some) if column.group == without], int)
            for name, some in columns.PASSES.items()
        }
        random = np.random.default_rng(SEED)
        if words is None:
            self._counts = weights.count_words(
                (page, *_sample_segments(page, random, MOST_FOR_WORDS))
                for page in pages
                if not page.copied
            )
        self._samples = {
            page: _sample_segments(page, random, MOST_OF_COPY if page.copied else MOST_SEGMENTS)
            for page in pages
        }
        self._parts: dict[tuple[str, LeftOutFolds], Part] = {}
        self._models: dict[LeftOutFolds, Model] = {}
        self._types: dict[tuple[TrainingPage, LeftOutFolds], Floats] = {}
        self._scores: dict[tuple[TrainingPage, str, LeftOutFolds], Floats] = {}
        self._rows: dict[tuple[TrainingPage, str], Floats] = {}

    def parts(self, held: LeftOutFolds) -> Part:
        """All trained parts without the held folds."""
        return (
            self.part("words", held)
            | self.part("types", held)
            | self.part("first", held)
            | self.part("second", held)
        )

    def part(self, name: str, held: LeftOutFolds) -> Part:
        """A part (words, types, first or second) without the held folds."""
        key = (name, held)
        if key not in self._parts:
            some = [page for page in self.pages if page.fold not in held]
            if name == "words":
                self._parts[key] = self._fit_words(some, held)
            elif name == "types":
                self._parts[key] = _fit_types(some, self._left_out["type"])
            else:
                self._parts[key] = self._fit_pass(name, some)
        return self._parts[key]

    def _fit_pass(self, name: str, some: Sequence[TrainingPage]) -> Part:
        """The trees of one pass. The columns of a page come from models that never saw its fold. In
        the second pass, a page with a strange truth counts less."""
        from catboost import CatBoost, Pool

        rows, shares, counts = [], [], []
        for page in some:
            chosen, weight = self._samples[page]
            rows.append(self._sampled_rows(page, name))
            shares.append(page.share[chosen])
            counts.append(weight * (self._trust(page) if name == "second" else 1.0))
        pool = Pool(np.concatenate(rows), np.concatenate(shares), weight=np.concatenate(counts))
        settings = FIRST if name == "first" else SECOND
        grown = CatBoost({**COMMON, **settings, **_SAMPLING, "loss_function": "CrossEntropy"})
        grown.fit(pool)
        return store_trees(name, grown, 1) | stored_columns(name)

    def _sampled_rows(self, page: TrainingPage, name: str) -> Floats:
        """A row of columns for each chosen segment of a page, by models that never saw its fold."""
        if (page, name) not in self._rows:
            table = self._columns(page, name, frozenset((page.fold,)))
            self._rows[page, name] = table[:, self._samples[page][0]].T.copy()
        return self._rows[page, name]

    def _trust(self, page: TrainingPage) -> float:
        return trust_in(page, self.score_page(page, "first", frozenset((page.fold,))))

    def _fit_words(self, some: Sequence[TrainingPage], held: LeftOutFolds) -> Part:
        """Both vocabularies: the words, and for each its effect and its weights."""
        if self._vocabularies is not None:
            return self._vocabularies.part("words", held)
        effects = {
            "names": _fit_vocabulary([(page.domain, page.names) for page in some if page.names]),
            "texts": _fit_vocabulary([(page.domain, page.texts) for page in some if page.texts]),
        }
        words = {name: known for name, (known, _) in effects.items()}
        added = weights.fit(self._counts, held, words)
        part: Part = {}
        for name, (known, effect) in effects.items():
            part[f"{name}_words"] = encode_words(known)
            part[f"{name}_values"] = np.column_stack((effect, added[name])).astype(np.float16)
        return part

    def score_page(self, page: TrainingPage, name: str, held: LeftOutFolds) -> Floats:
        """The scores of a page in one pass, by models that never saw the held folds."""
        key = (page, name, held)
        if key not in self._scores:
            raw = score_rows(self.part(name, held), name, self._columns(page, name, held))
            self._scores[key] = to_share(raw)
        return self._scores[key]

    def _columns(self, page: TrainingPage, name: str, held: LeftOutFolds) -> Floats:
        model, size = self._model(held), len(page.segments)
        lexical = make_table(len(columns.LEXICAL), size)
        fill_lexical(lexical, page.page, page.segments, page.around, model.names, model.texts)
        types = np.broadcast_to(self._type(page, held)[:, None], (len(PAGE_TYPES), size))
        parts = [page.structural, lexical, types]
        if name == "second":
            context = make_table(len(columns.CONTEXT), size)
            first = self.score_page(page, "first", held)
            fill_context(context, page.page, page.segments, page.around, first)
            parts.append(context)
        table = np.concatenate(parts)
        table[self._left_out[name]] = 0
        return table

    def _type(self, page: TrainingPage, held: LeftOutFolds) -> Floats:
        key = (page, held)
        if key not in self._types:
            self._types[key] = find_page_type(
                self._model(held), page.page, page.structural, page.segments.words
            )
        return self._types[key]

    def _model(self, held: LeftOutFolds) -> Model:
        if held not in self._models:
            self._models[held] = make_model(self.part("words", held) | self.part("types", held))
        return self._models[held]


def report(pages: Sequence[datasets.Example], parts: Sequence[Arrays]) -> str:
    """Word F1 of each kind of page, judged by the parameters that never saw its domain."""
    found = _judge_pages(pages, parts)
    lines = [f"{kind:16}{len(found[kind]):6}{np.mean(found[kind]):8.3f}" for kind in sorted(found)]
    return "\n".join(("cross-validated   pages      F1", *lines))


def _judge_pages(
    pages: Sequence[datasets.Example], parts: Sequence[Arrays]
) -> dict[str, list[float]]:
    """The word F1 of each page, by kind."""
    found: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        with parameters.use("forest", parts[fold_number(page.domain)]):
            value = metrics.word_score(_extract_text(page), page.text or "").f1
        kind = page.page_type if "wcxb" in page.path.parts else page.path.parts[-3]
        found[kind].append(value)
        if kind in PAGE_TYPES:
            found["all of wcxb"].append(value)
    return found


def _extract_text(page: datasets.Example) -> str:
    try:
        return extract(page.html, page.url, method="forest").text
    except NoArticle:
        return ""


def prepare_all(examples: Iterable[LabelledPage]) -> list[TrainingPage]:
    """The examples and a changed copy of each (`augment`), with their evidence."""
    pages = list(examples)
    real = [prepare(page) for page in pages]
    return real + [prepare(copy, copied=True) for copy in augment.make_copies(pages)]


def prepare(example: LabelledPage, *, copied: bool = False) -> TrainingPage:
    """An example with its evidence. Words are learned from the whole page, and trees from the part
    that is not surely page chrome: other pages have the same menus without calling them so."""
    rest = set_aside(example.page, example.segments, only_sure=True)
    page, segments, share = rest.page, rest.segments, example.share[rest.stays]
    known = _known_segments(example)
    around = find_containers(page, segments)
    structural = make_table(len(columns.STRUCTURAL), len(segments))
    fill_structural(structural, page, segments, around)
    return TrainingPage(
        name=example.name,
        domain=example.domain,
        fold=fold_number(example.domain),
        page_type=example.page_type,
        page=page,
        segments=segments,
        share=share,
        known=known[rest.stays],
        around=around,
        structural=structural,
        tokens=page_tokens(page),
        copied=copied,
        names={} if copied else _name_effects(example, known),
        texts={} if copied else _text_effects(example, known),
    )


def _known_segments(example: LabelledPage) -> Bools:
    """Per segment: whether the truth covers it."""
    if example.open is None:
        return np.ones(len(example.segments), dtype=np.bool_)
    return ~example.open


def _name_effects(example: LabelledPage, known: Bools) -> dict[str, float]:
    around = find_containers(example.page, example.segments)
    words = example.segments.words * known
    length = np.concatenate(([0.0], np.cumsum(words, dtype=np.float64)))
    content = np.concatenate(([0.0], np.cumsum(words * example.share, dtype=np.float64)))
    inside: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    named = [set(names_in(raw)) for raw in around.attrs]
    for row, number in zip(around.rows.tolist(), around.called.tolist()):
        low, high = around.low[row], around.high[row]
        for word in named[number]:
            inside[word] += float(content[high] - content[low])
            total[word] += float(length[high] - length[low])
    mean = float(np.clip(content[-1] / max(length[-1], 1), 0.05, 0.95))
    return {
        word: float(_logit((inside[word] + 20 * mean) / (total[word] + 20)) - _logit(mean))
        for word in total
    }


def _logit(share: float) -> float:
    share = min(max(share, 0.01), 0.99)
    return float(np.log(share / (1 - share)))


def _text_effects(example: LabelledPage, known: Bools) -> dict[str, float]:
    """For each word, the share of content in segments that have it, less that in others as long."""
    every = zip(spoken_words(example.segments), known.tolist())
    spoken = [line for line, is_known in every if is_known]
    short, share = np.array([whole != "" for whole, _ in spoken]), example.share[known]
    mean = {kind: float(share[short == kind].mean()) for kind in set(short.tolist())}
    found: dict[str, list[float]] = defaultdict(list)
    for (whole, words), value in zip(spoken, share.tolist()):
        for word in {whole, *words} - {""}:
            found[word].append(value - mean[whole != ""])
    return {word: sum(values) / len(values) for word, values in found.items()}


def _fit_vocabulary(
    effects: Sequence[tuple[str, dict[str, float]]],
) -> tuple[list[str], list[float]]:
    """Words with their mean effect; each domain counts once."""
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
    return kept, values


def _fit_types(some: Sequence[TrainingPage], left_out: npt.NDArray[Any]) -> Part:
    """The trees that find the page's type, and the tokens that they see."""
    from catboost import CatBoost

    real = [page for page in some if not page.copied]
    rows = np.zeros((len(some), len(columns.PAGE)), dtype=np.float32)
    for held in range(FOLDS):
        tokens = _fit_tokens([page for page in real if page.fold != held])
        model = make_model(tokens | _NO_WORDS)
        for i, page in enumerate(some):
            if page.fold == held:
                declared = declared_types(model, page.page)
                means = column_means(page.structural, page.segments.words)
                rows[i] = np.concatenate((declared, means))
    rows[:, left_out] = 0
    grown = CatBoost({**COMMON, **TYPE, "loss_function": "MultiClass"})
    kinds = [PAGE_TYPES.index(page.page_type) for page in some]
    grown.fit(rows, kinds, sample_weight=[COPY_WEIGHT if it.copied else 1.0 for it in some])
    part = store_trees("type", grown, len(set(kinds))) | stored_columns("type")
    return _add_missing_types(part, sorted(set(kinds))) | _fit_tokens(real)


def _add_missing_types(part: Part, kinds: Sequence[int]) -> Part:
    """The trees with outputs for all types; types that no page of a small set has are never
    found."""
    leaves = np.zeros((*part["type_leaves"].shape[:2], len(PAGE_TYPES)), dtype=np.float32)
    leaves[:, :, kinds] = part["type_leaves"]
    bias = np.full(len(PAGE_TYPES), -100.0)
    bias[kinds] = part["type_bias"]
    return part | {"type_leaves": leaves, "type_bias": bias}


def _fit_tokens(pages: Sequence[TrainingPage]) -> Part:
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
    return {"tokens_words": encode_words(kept), "tokens_values": np.array(values, dtype=np.float16)}


_NO_WORDS: Final[Part] = {
    f"{kind}_{part}": np.zeros(0, dtype=np.uint8)
    for kind in ("names", "texts")
    for part in ("words", "values")
}
_SAMPLING: Final = {"bootstrap_type": "MVS", "subsample": 0.6}
COMMON: Final[dict[str, Any]] = {
    "depth": DEPTH,
    "border_count": _BORDERS,
    "random_seed": SEED,
    "thread_count": 2,
    "verbose": 0,
    "leaf_estimation_iterations": 1,
    "allow_writing_files": False,
}


def trust_in(page: TrainingPage, score: Floats) -> float:
    """How much a page counts in the second pass. A truth that has little in common with what the
    first pass finds, without having seen the page, is more often strange than right."""
    words = page.segments.words * page.known
    keep, _ = choose(even_out(score, page.segments.words, page.around), words)
    right = float((words * page.share)[keep].sum())
    f1 = 2 * right / max(float(words[keep].sum() + (words * page.share).sum()), 1)
    return min(1.0, STRANGE + (1 - STRANGE) * f1 / CREDIBLE)


def _sample_segments(
    page: TrainingPage, random: np.random.Generator, most: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Some segments of a page and their weights; every page has the same weight, and every copy."""
    weight = (page.segments.words + 1.0) ** 0.7
    chosen = np.flatnonzero(page.known)
    if len(chosen) > most:
        chance = np.sqrt(weight[chosen])
        chosen = np.sort(random.choice(chosen, most, replace=False, p=chance / chance.sum()))
    size = 100 * (COPY_WEIGHT if page.copied else 1.0)
    return chosen, size * weight[chosen] / weight[chosen].sum()


def store_trees(name: str, trained: Any, outputs: int) -> Part:
    """CatBoost's symmetric trees as arrays, without the names of their columns."""
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


def _calibrate(some: Sequence[TrainingPage]) -> Part:
    """The F1 reached for each expected F1, rising, in twenty steps; both from scores of trees that
    never saw the page's domain."""
    from sklearn.isotonic import IsotonicRegression

    expected, found = np.array([_expected_and_found(page) for page in some]).T
    steps = np.quantile(expected, np.linspace(0, 1, 20))
    model = IsotonicRegression(out_of_bounds="clip").fit(expected, found)
    return {
        "confidence_expected": steps.astype(np.float32),
        "confidence_found": model.predict(steps).astype(np.float32),
    }


def _expected_and_found(page: TrainingPage) -> tuple[float, float]:
    words = (page.segments.words * page.known).astype(np.float64)
    keep, expected = choose(even_out(page.second, page.segments.words, page.around), words)
    right = (words * page.share)[keep].sum()
    return expected, float(2 * right / max(words[keep].sum() + (words * page.share).sum(), 1))
