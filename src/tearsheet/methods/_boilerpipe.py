"""Boilerpipe's blocks: words, text density and link density of each and of its neighbours.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010.

Text is wrapped at 80 characters; the text density of a block is its tokens over its lines, without
the last line if there are several. Link density is the share of its tokens in links. The blocks
before the first and after the last count as zero.

Deviations: 1. The paper ends a block at every tag but `a`; here a block is a segment, so that bold
words don't cut a sentence. 2. Link density is measured in characters. 3. A token is a word of the
segment; of Chinese, Japanese and Thai two characters are one. 4. Date and time tokens are known by
their digits, or by the names of months; corpus frequency is the number of training sites that have
the same line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tearsheet.languages import phrases
from tearsheet.parameters import Arrays
from tearsheet.segments import rows_within, visible_rows
from tearsheet.tags import CODES, HEADINGS, IS_VOID, TEXT, mask
from tearsheet.types import Bools, Page, Segments

WIDTH: Final = 80
"""Characters at which text is wrapped (§3)."""

FAITHFUL: Final = "blocks end at every tag but `a`, and links are counted in tokens (1 and 2)"
_TAGS: Final = (HEADINGS, mask("p"), mask("div"), mask("li"))
_STOPS: Final = ".!?。！？"
_DATE: Final = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?|(?:19|20)\d\d")
_LONGEST_LINE: Final = 200  # characters: longer lines are no boilerplate that sites share

Column = npt.NDArray[np.float64]


def link_density(segments: Segments) -> Column:
    """The share of each block that is in links."""
    return segments.link_chars / np.maximum(segments.chars, 1).astype(np.float64)


def text_density(segments: Segments) -> Column:
    """Tokens per wrapped line of each block."""
    words = segments.words.tolist()
    return np.array([line_density(text, n) for text, n in zip(segments.text, words)], np.float64)


def line_density(text: str, words: int) -> float:
    """Tokens per line of one text; the last line does not count if there are several.

    >>> line_density("three short words", 3)
    3.0
    """
    if len(text) <= WIDTH:
        return float(words)
    lines, last = _wrap(text)
    per_word = words / (text.count(" ") + 1)
    return (words - last * per_word) / (lines - 1) if lines > 1 else float(words)


def _wrap(text: str) -> tuple[int, int]:
    """How many lines the text has, and how many of its words are on the last."""
    lines, start = 1, 0
    while len(text) - start > WIDTH:
        cut = text.rfind(" ", start, start + WIDTH + 1)
        if cut <= start:
            cut = text.find(" ", start + WIDTH)
            if cut < 0:
                break
        start = cut + 1
        lines += 1
    return lines, text.count(" ", start) + 1


def before(column: Column) -> Column:
    """For each block the value of the one before it."""
    return np.concatenate(([0.0], column[:-1]))


def after(column: Column) -> Column:
    """For each block the value of the one after it."""
    return np.concatenate((column[1:], [0.0]))


def features(page: Page, segments: Segments, known: Arrays) -> npt.NDArray[np.float32]:
    """One row per block: its own shallow features, its neighbours', its place, tags, and how many
    sites of `known` have the same line."""
    words = segments.words.astype(np.float64)
    said = [text.split(" ") for text in segments.text]
    local = [
        link_density(segments),
        text_density(segments),
        words,
        np.array([_stop_share(text) for text in segments.text], dtype=np.float64),
        np.array([_share(tokens, _begins_upper) for tokens in said], dtype=np.float64),
        np.array([_share(tokens, _is_all_caps) for tokens in said], dtype=np.float64),
        np.array([_share(tokens, _is_date_token) for tokens in said], dtype=np.float64),
    ]
    around = [column for own in local for column in (before(own), own, after(own))]
    place = np.arange(len(segments), dtype=np.float64)
    block = page.tag[segments.block]
    in_link = rows_within(page, page.tag == CODES["a"])[segments.first]
    return np.column_stack(
        [
            *around,
            segments.chars / np.maximum(words, 1),
            place,
            place / len(segments),
            *(tag[block] for tag in _TAGS),
            in_link,
            corpus_frequency(segments, known),
        ]
    ).astype(np.float32)


def corpus_frequency(segments: Segments, known: Arrays) -> Column:
    """For each block the logarithm of how many sites have the same line; 0 for most."""
    lines = line_hashes(segments)
    at = np.searchsorted(known["line"], lines).clip(max=max(len(known["line"]) - 1, 0))
    if not len(known["line"]):
        return np.zeros(len(segments))
    same = known["line"][at] == lines
    return np.where(same, np.log1p(known["line_sites"][at]), 0.0).astype(np.float64)


def line_hashes(segments: Segments) -> npt.NDArray[np.uint32]:
    """A number for each block that is the same for the same words; 0 for long ones."""
    lines = [
        crc32(" ".join(text.lower().split()).encode()) if len(text) <= _LONGEST_LINE else 0
        for text in segments.text
    ]
    return np.array(lines, dtype=np.uint32)


def _stop_share(text: str) -> float:
    """Sentences per word: the inverse of the average sentence length."""
    return sum(map(text.count, _STOPS)) / (text.count(" ") + 1)


def _share(tokens: list[str], test: Callable[[str], bool]) -> float:
    return sum(map(test, tokens)) / len(tokens)


def _begins_upper(token: str) -> bool:
    return token[:1].isupper()


def _is_all_caps(token: str) -> bool:
    return len(token) > 1 and token.isupper()


def _is_date_token(token: str) -> bool:
    bare = token.strip(".,;()").lower()
    return bare in _months() or _DATE.fullmatch(bare) is not None


@cache
def _months() -> frozenset[str]:
    return frozenset(phrases("months"))


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The paper's blocks: text between any two tags but those of links."""

    number: npt.NDArray[np.intp]
    """For each visible text row, its block …"""
    segment: npt.NDArray[np.intp]
    """… its segment, -1 if it is in none …"""
    chars: npt.NDArray[np.int64]
    """… and its characters."""
    words: Column
    """Per block: its tokens …"""
    links: Column
    """… the share of them in links …"""
    density: Column
    """… and tokens per line."""


def find_blocks(page: Page, segments: Segments) -> Blocks:
    """The blocks of a page by the letter of the paper."""
    rows = np.flatnonzero(visible_rows(page))
    cuts = (page.tag != TEXT) & (page.tag != CODES["a"])
    opened = np.cumsum(cuts)
    closed = np.cumsum(np.bincount(page.end[cuts & ~IS_VOID[page.tag]], minlength=len(page) + 1))
    _, number = np.unique(opened[rows] + closed[rows], return_inverse=True)
    count = int(number.max(initial=-1)) + 1
    texts = [page.text[row] for row in rows.tolist()]
    words = np.array([len(text.split()) for text in texts], dtype=np.float64)
    linked = rows_within(page, page.tag == CODES["a"])[rows]
    lines: list[str] = [""] * count
    for i, text in zip(number.tolist(), texts):
        lines[i] += text
    whole = [" ".join(line.split()) for line in lines]
    total: Column = np.bincount(number, words, count).astype(np.float64)
    owner = np.searchsorted(segments.first, rows, side="right") - 1
    inside = (owner >= 0) & (rows <= segments.last[np.maximum(owner, 0)])
    return Blocks(
        number=number,
        segment=np.where(inside, owner, -1),
        chars=np.array([len(text) for text in texts], dtype=np.int64),
        words=total,
        links=np.bincount(number, words * linked, count) / np.maximum(total, 1),
        density=np.array([line_density(line, line.count(" ") + 1) for line in whole]),
    )


def keep_segments(blocks: Blocks, content: Bools, count: int) -> Bools:
    """The segments of which most characters are in blocks of content."""
    at = blocks.segment >= 0
    chars, where = blocks.chars[at], blocks.segment[at]
    right = np.bincount(where, chars * content[blocks.number[at]], count)
    return np.asarray(right > 0.5 * np.bincount(where, chars, count))
