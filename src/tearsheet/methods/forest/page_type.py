"""A page's type (article, forum, product …), from what it says of itself and the means of its
columns."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods.forest.model import Model
from tearsheet.methods.forest.trees import score_rows
from tearsheet.methods.forest.vocabulary import page_tokens
from tearsheet.types import PAGE_TYPES, Floats, Page


def find_page_type(model: Model, page: Page, structural: Floats, words: npt.NDArray[Any]) -> Floats:
    """The probability of each of `PAGE_TYPES`."""
    columns = np.concatenate((declared_types(model, page), column_means(structural, words)))
    raw = score_rows(model.arrays, "type", columns.astype(np.float32)[:, None])[0]
    chance = np.exp(raw - raw.max())
    types: Floats = (chance / chance.sum()).astype(np.float32)
    return types


ARTICLE: Final = PAGE_TYPES.index("article")
LEAN: Final = 3.0
"""The bonus of articles in doubt: they are what people clip, and short ones look like listings."""


def lean_to_article(types: Floats, kind: str) -> Floats:
    """The probabilities of the types by which the page is judged: in doubt an article; always one
    if the options say so."""
    chances = types.copy()
    chances[ARTICLE] *= LEAN
    if kind == "article":
        chances[:] = np.arange(len(types)) == ARTICLE
    leaning: Floats = chances / chances.sum()
    return leaning


def column_means(structural: Floats, words: npt.NDArray[Any]) -> Floats:
    """The mean of each column over the page's words."""
    weights = (words / words.sum()).astype(np.float32)
    # Not `@`: it wakes the threads of BLAS, which cost more than they save.
    means: Floats = np.einsum("ij,j->i", structural, weights)
    return means


def declared_types(model: Model, page: Page) -> npt.NDArray[np.float64]:
    """The evidence for each type in the page's own words about itself, in logarithms."""
    found = [model.tokens[token] for token in page_tokens(page) if token in model.tokens]
    if not found:
        return np.zeros(len(PAGE_TYPES))
    total: npt.NDArray[np.float64] = model.token_values.take(found, axis=0).sum(axis=0)
    return np.minimum(np.maximum(total, -12), 12)
