"""Page, Segments → the probability of each role for each segment.

A role is a sum of weights, one for each word and each value of a segment (a multinomial logistic
regression): of the names of the elements around it, of the words in it, in the heading above it and
in the first lines of its containers, and of the values of some columns of the second pass, alone
and in pairs. Then each segment looks at what was found for the containers around it and for its
neighbours: the lines of a comment have few words that say so, and many beside them have.

`tearsheet train roles` makes the weights (`learn/roles`). They are stored by the names of words and
columns, so they fit any model of the engine that has these columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tearsheet import parameters
from tearsheet._core import roles as core
from tearsheet.errors import ModelMismatch
from tearsheet.methods.forest.columns import SECOND, names, numbers
from tearsheet.methods.forest.containers import Containers, to_ints
from tearsheet.methods.forest.model import Model, decode_words
from tearsheet.methods.forest.page_chrome import RestOfPage
from tearsheet.methods.forest.passes import Judgement
from tearsheet.methods.forest.role_values import CATEGORIES, NUMBERS, role_values
from tearsheet.methods.forest.vocabulary import WEIGHTS, WordsFound
from tearsheet.parameters import Arrays
from tearsheet.segments import find_texts, rows_within
from tearsheet.tags import CODES, HEADINGS
from tearsheet.types import ROLES, Bools, Floats, Ints, Page, Segments

LEVELS: Final = 4
"""Containers around a segment whose first lines count."""
POOLED: Final = slice(1, 3)
"""Levels of the containers whose mean a segment sees."""
LEAST: Final = 1e-3
"""Probabilities below this count as zero."""
_ROW: Final = numbers(SECOND)


@dataclass(frozen=True, slots=True, eq=False)
class RoleModel:
    """The weights of roles, by the rows of the engine's vocabularies and columns."""

    words: Mapping[str, core.WordWeights]
    """For each place of a word: the weights of the words of its vocabulary."""
    columns: Ints
    """The rows of `NUMBERS` in the table."""
    borders: Floats
    border_ends: Ints
    values: Floats
    """A row of weights for each value of each column and pair …"""
    starts: Ints
    """… and where the values of each begin."""
    bias: Floats
    pooling: Floats
    """For each role the weights of its own odds, of its containers' and of its neighbours'."""
    chrome: Floats
    """The probability of each role for each cause of page chrome."""


_READY: dict[tuple[int, int], tuple[Model, Arrays, RoleModel]] = {}


def load_roles(model: Model) -> RoleModel:
    """The weights in use for a model of the engine, made once."""
    arrays = parameters.load("roles")
    key = id(model), id(arrays)
    ready = _READY.get(key)
    if ready is None or ready[0] is not model or ready[1] is not arrays:
        _READY.clear()  # cross-validation uses one after the other
        ready = _READY[key] = model, arrays, make_roles(model, arrays)
    return ready[2]


def make_roles(model: Model, arrays: Arrays) -> RoleModel:
    """Stored arrays → weights; raises `ModelMismatch` if they belong to other columns."""
    check_roles(arrays)
    words: dict[str, core.WordWeights] = {}
    for name, places in WEIGHTS.items():
        rows = _align_words(model, arrays, name)
        for place in places:
            stored = arrays[f"{place}_weights"].astype(np.float32)
            words[place] = core.WordWeights(
                np.concatenate((np.zeros_like(stored[:1]), stored)), rows
            )
    return RoleModel(
        words=words,
        columns=np.array([_ROW[name] for name in NUMBERS], dtype=np.int32),
        borders=arrays["borders"],
        border_ends=arrays["border_ends"],
        values=arrays["value_weights"].astype(np.float32),
        starts=arrays["value_starts"],
        bias=arrays["bias"].astype(np.float32),
        pooling=arrays["pooling"].astype(np.float32),
        chrome=arrays["chrome"].astype(np.float32),
    )


def check_roles(arrays: Arrays) -> None:
    """Raises `ModelMismatch` unless the weights are of these roles and columns."""
    wanted = {"roles": ROLES, "columns": (*NUMBERS, *CATEGORIES)}
    for name, declared in wanted.items():
        if decode_words(arrays[name]) != list(declared):
            raise ModelMismatch("roles", f"its {name} are not those of this version")
    missing = {*NUMBERS, *CATEGORIES} - {*names(SECOND)}
    if missing:
        raise ModelMismatch("roles", f"the engine has no column '{min(missing)}'")


def _align_words(model: Model, arrays: Arrays, name: str) -> Ints:
    """For each word of the engine's vocabulary the number of the same stored word; 0 if it is not
    stored. Both count from 1."""
    known = decode_words(model.arrays[f"{name}_words"])
    number = {word: i for i, word in enumerate(decode_words(arrays[f"{name}_words"]), 1)}
    return np.array([0, *(number.get(word, 0) for word in known)], dtype=np.int32)


def find_roles(
    model: RoleModel, page: Page, segments: Segments, around: Containers, table: Floats,
    found: WordsFound,
) -> Floats:  # fmt: skip
    """The probability of each of `ROLES` for each segment: shape (segments, roles)."""
    odds = np.repeat(model.bias[None], len(segments), axis=0)
    core.add_names(
        odds, model.words["around"], model.words["own"], found.names, found.name_ends,
        to_ints(page.parent), around.rows, around.called, to_ints(segments.first),
    )  # fmt: skip
    core.add_texts(
        odds, model.words["text"], model.words["heading"], model.words["first_line"],
        found.texts, found.text_ends, HEADINGS.take(page.tag.take(segments.block)).view(np.uint8),
        around.low, around.top, LEVELS,
    )  # fmt: skip
    values = role_values(table, find_bins(model, table))
    core.add_values(odds, model.values, values, model.starts)
    core.to_chances(odds)
    return pool(odds, around, model.pooling)


def find_bins(model: RoleModel, table: Floats) -> Ints:
    """The values of `NUMBERS`, in steps."""
    bins = np.empty((len(NUMBERS), table.shape[1]), dtype=np.int32)
    core.find_bins(bins, table, model.columns, model.borders, model.border_ends)
    return bins


def to_chances(odds: Floats) -> Floats:
    """Log-odds → probabilities that add up to one."""
    chance: Floats = np.array(odds, dtype=np.float32, order="C")
    core.to_chances(chance)
    return chance


def pool(chance: Floats, around: Containers, weights: Floats) -> Floats:
    """The probabilities after each segment has looked at its containers and its neighbours."""
    odds = np.empty_like(chance)
    core.add_terms(odds, pooled_terms(chance, around), weights)
    core.to_chances(odds)
    return odds


def pooled_terms(chance: Floats, around: Containers) -> Floats:
    """Logarithms of a segment's own probabilities, of their means in the containers around it, and
    of the probabilities of the segments before and after it."""
    terms = np.empty((POOLED.stop - POOLED.start + 3, *chance.shape), dtype=np.float32)
    core.fill_terms(terms, chance, around.number[POOLED], len(around.each), LEAST)
    return terms


def leave_out_roles(keep: Bools, roles: Floats, words: Ints) -> Bools:
    """The selection of an article without lines that surely do not belong to its text: byline and
    date (which are metadata), comments, tools and links to other pages. If these are most of the
    text, the roles must be wrong, and nothing is left out."""
    byline, date = _METADATA
    foreign = roles[:, byline] + roles[:, date] > LIKELY
    for role in _FOREIGN:
        foreign |= roles[:, role] > SURE
    left: Bools = keep & ~foreign
    return left if 2 * words.dot(left) >= words.dot(keep) else keep


_METADATA: Final = [ROLES.index(name) for name in ("byline", "date")]
_FOREIGN: Final = [
    ROLES.index(name) for name in ("comment", "share", "tags", "related", "advertisement")
]
LIKELY: Final = 0.6
"""Probability from which a line is taken for a byline or a date."""
SURE: Final = 0.9
"""Probability of a role from which the choice follows it against the share of content."""

_CHROME_TAGS: Final = tuple(CODES[name] for name in ("nav", "footer", "header"))
_CHROME_NAMES: Final = (("cookie", "consent", "dialog"), ("related", "complementary"))
CAUSES: Final = 1 << len(_CHROME_TAGS) + len(_CHROME_NAMES)
"""How many causes of page chrome there are."""


def chrome_causes(page: Page, segments: Segments) -> Ints:
    """For each segment the reasons to take it for page chrome: a bit for each kind of element
    around it."""
    found = np.zeros(len(segments), dtype=np.int32)
    for bit, rows in enumerate(_cause_rows(page)):
        if rows.any():
            found |= rows_within(page, rows)[segments.first].astype(np.int32) << bit
    return found


def _cause_rows(page: Page) -> Iterator[Bools]:
    """The elements of each kind that page chrome is known by."""
    for tag in _CHROME_TAGS:
        yield page.tag == tag
    for words in _CHROME_NAMES:
        named = np.zeros(len(page.all_attrs), dtype=np.bool_)
        named[find_texts(page.all_attrs, words, any_case=True)] = True
        yield named.take(page.attrs_at)


class PageRoles(Mapping[str, Floats]):
    """The roles of all segments of a page, by name; found when they are asked for."""

    def __init__(
        self, model: RoleModel, page: Page, segments: Segments, rest: RestOfPage, judged: Judgement
    ) -> None:
        self._model, self._page, self._segments = model, page, segments
        self._rest, self._judged = rest, judged

    @cached_property
    def in_rest(self) -> Floats:
        """The roles of the segments outside page chrome: shape (segments, roles)."""
        rest, judged = self._rest, self._judged
        return find_roles(
            self._model, rest.page, rest.segments, judged.around, judged.table, judged.words
        )

    @cached_property
    def _whole(self) -> Floats:
        stays = self._rest.stays
        if stays.all():
            return np.ascontiguousarray(self.in_rest.T)
        whole = self._model.chrome.take(chrome_causes(self._page, self._segments), axis=0)
        whole[stays] = self.in_rest
        return np.ascontiguousarray(whole.T)

    def __getitem__(self, name: str) -> Floats:
        column: Floats = self._whole[_NUMBER[name]]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(ROLES)

    def __len__(self) -> int:
        return len(ROLES)


_NUMBER: Final = {name: i for i, name in enumerate(ROLES)}
