"""Page, Segments → the containers around each segment: the elements that hold more text than the
one below; what they are called; which texts are copies; ranges over the sequence of segments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.remember import remembered
from tearsheet.tags import HEADINGS
from tearsheet.types import Bools, Ints, Page, Segments

LEVELS: Final = 6
"""How many containers around a segment are looked at."""
_WORDS: Final = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}(?![a-z])")
_DIGITS: Final = re.compile("[0-9]+")
Column: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The containers around each segment, level by level, and what they are called."""

    top: Ints
    """For each level and segment: the outermost element with the same text."""
    bottom: Ints
    """For each level and segment: the innermost one."""
    low: Ints
    """For each page row: how many segments begin before it."""
    high: Ints
    """For each page row: how many segments begin before its end."""
    rows: Ints
    """The elements that hold segments and have attributes."""
    names: list[list[str]]
    """The words that elements are called here (class, id, role, label and the like), each once."""
    called: Ints
    """For each of `rows`: the number of its name."""
    kind: Ints
    """For each page row: a number that rows of equal tag and class share."""
    family: Ints
    """For each page row: a number that children of one parent with equal tag and class share."""
    copy: Ints
    """For each segment: the number of its text, equal for equal texts."""
    nth: Ints
    """For each segment: how many with the same text come before it."""


def containers(page: Page, segments: Segments) -> Containers:
    """Level 0 is the segment's own block; each further level the next one with more segments."""
    begun = np.concatenate(([0], np.cumsum(np.bincount(segments.first, minlength=len(page)))))
    low, high = begun[:-1], begun[page.end]
    count = high - low
    above = np.maximum(page.parent, 0)
    top: Column = np.where(
        (count[above] == count) & (page.parent >= 0), above, np.arange(len(page))
    )
    while True:
        further = top[top]
        if np.array_equal(further, top):
            break
        top = further
    bottoms = np.empty((LEVELS, len(segments)), dtype=np.int32)
    tops = np.empty_like(bottoms)
    bottoms[0], tops[0] = segments.block, top[segments.block]
    for level in range(1, LEVELS):
        bottoms[level] = above[tops[level - 1]]
        tops[level] = top[bottoms[level]]
    attrs = page.attrs
    rows = [row for row in np.flatnonzero(count).tolist() if attrs[row]]
    names, called, classes = _called([attrs[row] for row in rows])
    kind = page.tag.astype(np.int32)
    kind[rows] += classes * 256
    _, family = np.unique(
        (page.parent.astype(np.int64) + 1) * (len(page) * 256) + kind, return_inverse=True
    )
    return Containers(
        tops, bottoms, low, high, np.array(rows, np.int32), names, called, kind, family,
        *_copies(segments.text),
    )  # fmt: skip


_NAMING: Final = re.compile(
    r' (?:class|id|role|itemprop|itemtype|aria-label|data-testid)="([^"]*)"'
)


def _called(attrs: list[str]) -> tuple[list[list[str]], Ints, Ints]:
    """The words of the different names of elements with these attributes; for each element the
    number of its name, and of its class with the digits left out."""
    different = {raw: i for i, raw in enumerate(dict.fromkeys(attrs))}
    element = np.array([different[raw] for raw in attrs], dtype=np.int32)
    names = [" ".join(_NAMING.findall(raw)) for raw in different]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    called = np.array([numbers[name] for name in names], dtype=np.int32)
    words = [name_words(name) for name in numbers]
    return words, called[element], _classes(list(different))[element]


def _classes(attrs: list[str]) -> Ints:
    """The number of each element's class with the digits left out; 0: it has none."""
    values = [attribute(raw, ' class="') for raw in attrs]
    bare = {value: _DIGITS.sub("", value) for value in dict.fromkeys(values)}
    numbers = {name: i for i, name in enumerate(dict.fromkeys(("", *bare.values())))}
    return np.array([numbers[bare[value]] for value in values], dtype=np.int32)


def attribute(raw: str, opening: str) -> str:
    start = raw.find(opening)
    if start < 0:
        return ""
    start += len(opening)
    return raw[start : raw.find('"', start)]


def _copies(texts: list[str]) -> tuple[Ints, Ints]:
    """For each text its number, equal for equal texts, and how many equal ones came before."""
    numbers = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    copy = np.array([numbers[text] for text in texts], dtype=np.int32)
    if len(numbers) == len(texts):
        return copy, np.zeros_like(copy)
    order = np.argsort(copy, kind="stable")
    starts = np.flatnonzero(np.diff(copy[order], prepend=-1))
    nth = np.empty_like(copy)
    nth[order] = np.arange(len(copy)) - np.repeat(starts, np.diff(starts, append=len(copy)))
    return copy, nth


def sections(page: Page, segments: Segments) -> Column:
    """For each segment how many headings have begun."""
    return np.cumsum(HEADINGS[page.tag[segments.block]])


def beyond(order: npt.NDArray[np.intp], low: int, high: int) -> npt.NDArray[np.intp]:
    """How far each place is outside of low:high; negative before it."""
    return np.where(order < low, order - low, np.where(order >= high, order - high + 1, 0))


def summed_real(column: Column) -> npt.NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))


def bounds(size: int, width: int | Column) -> tuple[Column, Column]:
    """The range of `width` places to both sides of each place."""
    order = np.arange(size)
    return np.maximum(order - width, 0), np.minimum(order + width + 1, size)


def shifted(column: Column, step: int) -> npt.NDArray[np.float32]:
    """The column as seen `step` places further on; -1 beyond the ends."""
    moved = np.full(len(column), -1, dtype=np.float32)
    if abs(step) < len(column):
        if step > 0:
            moved[:-step] = column[step:]
        else:
            moved[-step:] = column[:step]
    return moved


def name_words(name: str) -> list[str]:
    """The words of a class or id, in lower case.

    >>> name_words("article-body mainText c4")
    ['article', 'body', 'main', 'text']
    """
    return [word for part in name.split() for word in _part_words(part)]


@remembered(1 << 15)
def _part_words(part: str) -> tuple[str, ...]:
    """The words of one name; the same names are on many pages."""
    if part.isascii() and part.isalpha() and part.islower() and len(part) > 1:
        return (part,)
    return tuple(word.lower() for word in _WORDS.findall(part))


def last_head(page: Page, segments: Segments, kinds: Bools = HEADINGS) -> tuple[Column, Column]:
    """For each segment the last heading before it (-1: none), and how many segments ago."""
    order = np.arange(len(segments))
    heads = np.where(kinds[page.tag[segments.block]], order, -1)
    before = np.concatenate(([-1], np.maximum.accumulate(heads)[:-1]))
    return before, order - before
