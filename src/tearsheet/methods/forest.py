"""The default engine: trees over all the evidence, in two passes, then one choice for the page.

It unites the papers: features of segments and their containers (Kohlschütter et al. 2010; Wu et
al. 2015, "CLG"), learning first and grouping after (CLG), a global optimum over the page's
sequence (Pasternack & Roth 2009; Fan et al. 2011), class names and containers (Readability).

0. What the page itself calls its furniture is set aside (`features/furniture.py`).
1. The page's type is told from what the page says of itself and from its means.
2. The first pass scores each segment by its own evidence (`features/evidence.py`).
3. The second pass sees, too, what the first one said of the neighbours, the containers, the
   segments of the same make and the page.
4. Scores are evened out among segments of the same make: the posts of a thread, the cards of a
   listing.
5. Each score is the expected share of content among the segment's words, so the expected F1 of any
   choice is known; the best choice is kept, and its expectation, calibrated on pages never trained
   on, is the confidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.errors import NoArticle
from tearsheet.features import (
    buttons,
    containers,
    embedded_text,
    evidence,
    paywall,
    second_pass,
    trees,
    vocabulary,
)
from tearsheet.features.containers import Containers, bits, ints
from tearsheet.features.furniture import Rest, set_aside
from tearsheet.features.words import Words
from tearsheet.parameters import Arrays
from tearsheet.types import PAGE_TYPES, Bools, Floats, Options, Page, Segments, Verdict
from tearsheet.views import view

SEES_HIDDEN = True
READS_DATA = True
BETA: Final = {"balanced": 1.0, "precision": 0.5, "recall": 2.0}
"""The F-measure that is maximised: below 1 it asks for precision, above 1 for recall."""
LEANING: Final = {"article": 0.85, "documentation": 1.4}
"""By what that is multiplied for a kind of page: what is doubtful in an article more often stands
around it, and a reference is whole."""
LABEL = 3
"""Words from which a repeated text is text twice, and no label."""
CERTAIN = 0.7
"""Share of content from which a repeated text is meant to be there twice."""
AGREED: Final = 0.4
"""Expected F1 below which a page has no text that all its readings would agree on."""
MOSTLY: Final = 0.8
"""Share of the kept words that are shown from which the hidden ones are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Trained parameters, ready for use."""

    arrays: Arrays
    names: Words
    texts: Words
    tokens: Mapping[str, int]
    """The row of `token_values` of each."""
    token_values: npt.NDArray[np.float64]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the segments that maximise the expected F1 of the page."""
    if not len(segments):
        return _of_data(page)
    model = _model(parameters.load("forest"))
    rest = set_aside(page, segments)
    judged = _judge(model, rest, options.favor)
    share, keep = rest.among_all(judged.share), rest.among_all(judged.keep)
    confidence = _confidence(model, judged.likely)
    keep, extra = _with_embedded_text(page, segments, keep)
    return Verdict(
        method="forest",
        score=share,
        keep=keep,
        extra_text=extra,
        confidence=confidence,
        reasons=(
            *_reasons(segments, keep, judged.types, confidence),
            *paywall.find_walls(page, segments, keep),
        ),
        page_type=dict(zip(PAGE_TYPES, judged.types.tolist())),
        why=lambda i: _why(rest, judged, i),
    )


class _Judged(NamedTuple):
    """What is found of the segments of a page."""

    said: Floats
    """What the second pass said of each."""
    share: Floats
    """The same, evened out."""
    keep: Bools
    likely: float
    """The expected F1."""
    types: Floats
    lexical: Floats
    context: Floats


def _judge(model: Model, rest: Rest, favor: str) -> _Judged:
    page, segments = rest.page, rest.segments
    around = containers.containers(page, segments)
    table = _zeros(FIRST + len(second_pass.CONTEXT), len(segments))
    columns, lexical, types = first_columns(model, page, segments, around, table[:FIRST])
    first = share_of(trees.score(model.arrays, "first", columns))
    context = second_pass.context(page, segments, around, first, table[FIRST:])
    said = share_of(trees.score(model.arrays, "second", table))
    share = second_pass.evened(said, segments.words, around)
    kind = PAGE_TYPES[int(np.argmax(types))]
    beta = BETA[favor] * LEANING.get(kind, 1.0)
    keep, likely = second_pass.choose(share, segments.words)
    if kind != "documentation" and likely >= AGREED:
        keep = second_pass.choose_for_readings(share, segments.words, beta)
    elif beta != 1:
        keep, _ = second_pass.choose(share, segments.words, beta)
    if kind != "documentation":  # references are whole, and repeat by right
        keep &= ~_doubled(keep, share, segments, around)
    keep = _shown(keep, segments, around, whole=kind == "article")
    keep[buttons.actions(page, segments, keep)] = False
    return _Judged(said, share, keep, likely, types, lexical, context)


def _zeros(columns: int, rows: int) -> Floats:
    """An empty table in ordinary memory: for a long page NumPy would ask for huge pages, and a
    machine that has run for a while must move others out of their way."""
    return np.frombuffer(bytearray(4 * columns * rows), dtype=np.float32).reshape(columns, rows)


FIRST: Final = len(evidence.STRUCTURAL) + len(vocabulary.LEXICAL) + len(PAGE_TYPES)
"""How many columns the first pass has."""


def first_columns(
    model: Model, page: Page, segments: Segments, around: Containers, out: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """The columns of the first pass, shape (columns, segments); those from words; the type. They
    are in `out` where that is given, which is zero before."""
    columns = out if out is not None else np.zeros((FIRST, len(segments)), np.float32)
    cut = len(evidence.STRUCTURAL)
    structural, rest = columns[:cut], columns[cut:]
    lexical, wide = rest[: len(vocabulary.LEXICAL)], rest[len(vocabulary.LEXICAL) :]
    evidence.structural(page, segments, around, structural)
    vocabulary.lexical(page, segments, around, model.names, model.texts, lexical)
    types = page_type(model, page, structural, segments.words)
    wide[:] = types[:, None]
    return columns, lexical, types


def page_type(model: Model, page: Page, structural: Floats, words: npt.NDArray[Any]) -> Floats:
    """The probability of each of `PAGE_TYPES`."""
    columns = np.concatenate((declared(model, page), page_means(structural, words)))
    raw = trees.score(model.arrays, "type", columns.astype(np.float32)[:, None])[0]
    chance = np.exp(raw - raw.max())
    types: Floats = (chance / chance.sum()).astype(np.float32)
    return types


def page_means(structural: Floats, words: npt.NDArray[Any]) -> Floats:
    """The mean of each column over the page's words."""
    weights = (words / words.sum()).astype(np.float32)
    # Not `@`: it wakes the threads of BLAS, which cost more than they save.
    means: Floats = np.einsum("ij,j->i", structural, weights)
    return means


def declared(model: Model, page: Page) -> npt.NDArray[np.float64]:
    """How much what the page says of itself speaks for each type, in logarithms."""
    found = [model.tokens[t] for t in vocabulary.page_tokens(page) if t in model.tokens]
    if not found:
        return np.zeros(len(PAGE_TYPES))
    total: npt.NDArray[np.float64] = model.token_values.take(found, axis=0).sum(axis=0)
    return np.minimum(np.maximum(total, -12), 12)


def model_of(arrays: Arrays) -> Model:
    """Arrays as they are stored → vocabularies that can be asked."""
    return Model(
        arrays=arrays,
        names=Words(words_of(arrays["names_words"]), arrays["names_values"]),
        texts=Words(words_of(arrays["texts_words"]), arrays["texts_values"]),
        tokens={word: i for i, word in enumerate(words_of(arrays["tokens_words"]))},
        token_values=arrays["tokens_values"].astype(np.float64),
    )


def words_of(stored: npt.NDArray[Any]) -> list[str]:
    """The words of a vocabulary, stored as UTF-8 with a line each."""
    return stored.tobytes().decode().split("\n")


_READY: dict[int, Model] = {}


def _model(arrays: Arrays) -> Model:
    """The model of these arrays, made once."""
    ready = _READY.get(id(arrays))
    if ready is None or ready.arrays is not arrays:
        _READY.clear()  # cross-validation uses one after the other
        ready = _READY[id(arrays)] = model_of(arrays)
    return ready


def share_of(raw: npt.NDArray[np.float64]) -> Floats:
    return (1 / (1 + np.exp(-raw))).astype(np.float32)


def _shown(keep: Bools, segments: Segments, around: Containers, *, whole: bool) -> Bools:
    """Without the hidden copies of what is shown; without all that is hidden, where a page is one
    whole and shows most of it: elsewhere that is the closed tabs of the thing itself."""
    hidden = keep & segments.hidden
    if not hidden.any():
        return keep
    shown: Bools = keep & ~hidden
    if whole and segments.words[shown].sum() >= MOSTLY * segments.words[keep].sum():
        return shown
    twice: Bools = np.isin(around.copy, around.copy[shown])
    return keep & ~(hidden & twice)


def _doubled(keep: Bools, share: Floats, segments: Segments, around: Containers) -> Bools:
    """Kept segments whose text was kept before: quoted posts, the same card for the phone."""
    doubled: Bools = np.zeros(len(keep), dtype=np.bool_)
    seen = np.zeros(len(keep), dtype=np.uint8)
    _double(
        bits(keep), view(share), ints(segments.words), view(around.copy), view(seen),
        bits(doubled),
    )  # fmt: skip
    return doubled


def _double(keep: Any, share: Any, words: Any, copy: Any, seen: Any, doubled: Any) -> None:
    """Marks what was kept before; `seen` is room for the texts that were."""
    for i in range(keep.shape[0]):
        if keep[i]:
            doubled[i] = seen[copy[i]] and words[i] >= LABEL and share[i] < CERTAIN
            seen[copy[i]] = 1


def _with_embedded_text(
    page: Page, segments: Segments, keep: Bools
) -> tuple[Bools, tuple[str, ...]]:
    """With the text that the page has only as data, where it shows much less than that."""
    body = embedded_text.find_hidden_text(
        page, int(segments.words[keep].sum()), int(segments.words.sum())
    )
    if not body:
        return keep, ()
    whole = " ".join(body)
    stub = np.array([text in whole for text in segments.text], dtype=np.bool_)
    return keep & ~stub, tuple(body)


def _of_data(page: Page) -> Verdict:
    """The verdict on a page that shows nothing before its scripts run."""
    body = embedded_text.find_hidden_text(page, kept=0, visible=0)
    if not body:
        raise NoArticle("the page has no visible text")
    nothing = np.zeros(0, dtype=np.float32)
    reasons = ("no visible text: what there is was found in the page's data",)
    keep = nothing.astype(np.bool_)
    return Verdict("forest", nothing, keep, extra_text=tuple(body), reasons=reasons)


def _confidence(model: Model, expected: float) -> float:
    """The expected F1, as it turned out on pages with the same expectation."""
    arrays = model.arrays
    return float(np.interp(expected, arrays["confidence_expected"], arrays["confidence_found"]))


def _reasons(segments: Segments, keep: Bools, types: Floats, confidence: float) -> tuple[str, ...]:
    """Why the confidence is low, where it is."""
    reasons = []
    words, kept = int(segments.words.sum()), int(segments.words[keep].sum())
    if words < embedded_text.LITTLE_TEXT:
        reasons.append(f"little text: {words} words; the page may be built by scripts")
    kind = PAGE_TYPES[int(np.argmax(types))]
    if kind != "article":
        reasons.append(f"a {kind} page rather than an article ({types.max():.0%})")
    if confidence < 0.7 and kept < words / 10:
        reasons.append("most of the page's text was left out")
    if confidence < 0.7 and not reasons:
        reasons.append("content and surroundings look alike here")
    return tuple(reasons)


def _why(rest: Rest, judged: _Judged, i: int) -> tuple[str, ...]:
    """The evidence for one segment of the page, in words."""
    at = rest.place(i)
    if at < 0:
        return ("in what the page itself calls navigation, footer, dialog or cookie banner",)
    segments = rest.segments
    words = int(segments.words[at])
    linked = segments.link_chars[at] / max(int(segments.chars[at]), 1)
    hidden = ", hidden when the page opens" if segments.hidden[at] else ""
    said = dict(zip(vocabulary.LEXICAL, judged.lexical[:, at])) | dict(
        zip(second_pass.CONTEXT, judged.context[:, at])
    )
    alike = 2 * judged.share[at] - judged.said[at]
    return (
        f"{words} word{'s' * (words != 1)}, {linked:.0%} of it links{hidden}",
        f"names around it: {said['names_best']:+.1f} for, {said['names_worst']:+.1f} against",
        f"on its own {said['score']:.2f}; its container {said['kept_in_1']:.2f}; "
        f"all that is made like it {alike:.2f}",
    )
