"""Page, Segments → the share of content in each segment, by two passes of trees."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.methods.forest.choice import even_out
from tearsheet.methods.forest.columns import FIRST, LEXICAL, SECOND, STRUCTURAL
from tearsheet.methods.forest.containers import Containers, find_containers
from tearsheet.methods.forest.context_features import fill_context
from tearsheet.methods.forest.evidence import fill_structural
from tearsheet.methods.forest.model import Model
from tearsheet.methods.forest.page_type import find_page_type, lean_to_article
from tearsheet.methods.forest.trees import score_rows
from tearsheet.methods.forest.vocabulary import WordsFound, fill_lexical
from tearsheet.types import Floats, Page, Segments

_STRUCTURAL: Final = len(STRUCTURAL)
_WORDED: Final = _STRUCTURAL + len(LEXICAL)


class Judgement(NamedTuple):
    """The result of the passes over the segments of a page."""

    around: Containers
    table: Floats
    """All columns, as `columns.SECOND` names them: shape (columns, segments)."""
    types: Floats
    """The probability of each type of page."""
    score: Floats
    """The scores of the second pass."""
    share: Floats
    """The expected share of content: the scores, evened out among segments of the same make."""
    words: WordsFound
    """The known words of names and texts."""


def judge_segments(model: Model, page: Page, segments: Segments, kind: str = "auto") -> Judgement:
    """Scores the segments twice: by their own evidence, then also by the first scores around them.
    If the options ask for an article, both passes take the page for one."""
    around = find_containers(page, segments)
    table = make_table(len(SECOND), len(segments))
    types, words = fill_first(table, model, page, segments, around)
    if kind == "article":
        table[_WORDED : len(FIRST)] = lean_to_article(types, kind)[:, None]
    first = to_share(score_rows(model.arrays, "first", table[: len(FIRST)]))
    fill_context(table[len(FIRST) :], page, segments, around, first)
    score = to_share(score_rows(model.arrays, "second", table))
    return Judgement(around, table, types, score, even_out(score, segments.words, around), words)


def make_table(columns: int, rows: int) -> Floats:
    """A table of zeros in ordinary memory. For a long page NumPy would ask for huge pages, and a
    machine that has run for a while must move others out of their way."""
    return np.frombuffer(bytearray(4 * columns * rows), dtype=np.float32).reshape(columns, rows)


def fill_first(
    table: Floats, model: Model, page: Page, segments: Segments, around: Containers
) -> tuple[Floats, WordsFound]:
    """Fills the columns of the first pass, which are zero before; returns the page's type and the
    words that were found."""
    structural, lexical = table[:_STRUCTURAL], table[_STRUCTURAL:_WORDED]
    fill_structural(structural, page, segments, around)
    words = fill_lexical(lexical, page, segments, around, model.names, model.texts)
    types = find_page_type(model, page, structural, segments.words)
    table[_WORDED : len(FIRST)] = types[:, None]
    return types, words


def to_share(raw: npt.NDArray[Any]) -> Floats:
    """Log-odds → the expected share of content."""
    share: Floats = (1 / (1 + np.exp(-raw))).astype(np.float32)
    return share
