"""The columns from learned words: of classes and ids around a segment, and of its own text; and
what a page says of itself, for its type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.features.containers import (
    Column,
    Containers,
    attribute,
    last_head,
    name_words,
)
from tearsheet.tags import CODES, mask
from tearsheet.types import Ints, Page, Segments

_TOKENS: Final = re.compile(r"\w+")
SHORT: Final = 12
"""Words up to which a segment is looked at as a label ("Share", "Related stories")."""
Vocabulary: TypeAlias = Mapping[str, float]
_TYPE: Final = re.compile(r'"@type"\s*:\s*"([A-Za-z]+)"')


def page_tokens(page: Page) -> list[str]:
    """What a page says of itself: words of its address, `og:type`, JSON-LD types, body classes."""
    path = (page.url or "").partition("//")[2].partition("/")[2].lower()
    tokens = ["url:" + word for word in re.findall(r"[a-z]{2,}", path)[:12]]
    tokens.append(f"depth:{min(path.strip('/').count('/') + (path.strip('/') != ''), 5)}")
    tokens += ("digits",) if any(sign.isdigit() for sign in path) else ()
    for row in np.flatnonzero(page.tag == CODES["meta"]).tolist():
        if '="og:type"' in page.attrs[row]:
            tokens.append("og:" + attribute(page.attrs[row], ' content="').lower())
    for kind, text in page.scripts:
        if "ld+json" in kind:
            tokens += ("ld:" + name for name in _TYPE.findall(text))
    for row in np.flatnonzero(mask("body", "main", "article")[page.tag])[:4].tolist():
        tokens += ("body:" + word for word in name_words(attribute(page.attrs[row], ' class="')))
    return sorted(set(tokens))


def lexical(
    page: Page,
    segments: Segments,
    around: Containers,
    spoken: Spoken,
    names: Vocabulary,
    texts: Vocabulary,
) -> dict[str, Column]:
    """The columns from learned words: of classes and ids around a segment, and of its own text."""
    said = _said(spoken, texts, title_words(page))
    columns = _named(page, segments, around, names) | said
    return columns | _said_above(page, segments, around, said)


def _named(
    page: Page, segments: Segments, around: Containers, names: Vocabulary
) -> dict[str, Column]:
    values = [[names.get(word, 0.0) for word in name] for name in around.names]
    low, high = np.zeros(len(page)), np.zeros(len(page))
    low[around.rows] = np.array([min(found, default=0.0) for found in values])[around.called]
    high[around.rows] = np.array([max(found, default=0.0) for found in values])[around.called]
    np.minimum(low, 0.0, out=low)
    np.maximum(high, 0.0, out=high)
    own = low + high
    opened = np.concatenate((own, [0.0]))
    closed = np.bincount(page.end, weights=own, minlength=len(page) + 1)
    total = np.cumsum(opened - closed)  # sum over a row and all above it; [-1] is 0
    worst, best = _extremes(page, low, high)
    columns: dict[str, Column] = {
        "names_sum": total[segments.first],
        "names_worst": worst[segments.first],
        "names_best": best[segments.first],
    }
    own_names = total[around.bottom] - total[page.parent[around.top]]
    return columns | {f"names_{level}": row for level, row in enumerate(own_names)}


def _extremes(
    page: Page, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The lowest and the highest value on the way from each row up to the root."""
    up = np.maximum(page.parent, 0)
    while True:
        low, high = np.minimum(low, low[up]), np.maximum(high, high[up])
        further = up[up]
        if np.array_equal(further, up):
            return low, high
        up = further


def title_words(page: Page) -> frozenset[str]:
    """The words of the page's `<title>`."""
    rows = np.flatnonzero(page.tag == CODES["title"])[:1].tolist()
    text = " ".join("".join(page.text[row : page.end[row]]) for row in rows)
    return frozenset(_TOKENS.findall(text.lower()))


def _said(spoken: Spoken, texts: Vocabulary, title: frozenset[str]) -> dict[str, Column]:
    """What a text says as a whole; its worst, its best and its mean word; how much of it is in the
    title, and how much of the title in it."""
    found = np.zeros((6, len(spoken.counts)))
    value, known = texts.get, title.__contains__
    found[0] = [value(whole, 0.0) for whole in spoken.whole]
    some = np.flatnonzero(spoken.counts)
    if len(some):
        counts = spoken.counts[some]
        starts = np.cumsum(counts) - counts
        values = np.array([value(word, 0.0) for word in spoken.words])
        found[1, some] = np.minimum.reduceat(values, starts)
        found[2, some] = np.maximum.reduceat(values, starts)
        found[3, some] = np.add.reduceat(values, starts) / counts
        common = np.add.reduceat(np.array([known(word) for word in spoken.words], np.int32), starts)
        found[4, some] = common / counts
        found[5, some] = common / max(len(title), 1)
    names = ("said_whole", "said_worst", "said_best", "said_mean", "titled", "title_said")
    return dict(zip(names, found))


def _said_above(
    page: Page, segments: Segments, around: Containers, said: Mapping[str, Column]
) -> dict[str, Column]:
    """What the heading before a segment says, and the first line of each container around it:
    "Related stories" speaks of all that follows."""
    head, since = last_head(page, segments)
    columns: dict[str, Column] = {"since_head": np.log1p(since)}
    for name in ("said_whole", "said_mean"):
        value = np.append(said[name], 0.0)
        columns[f"{name}_head"] = value[head]
        first = value[around.low[around.top[1:5]]]
        columns |= {f"{name}_first_{level}": row for level, row in enumerate(first, 1)}
    columns["head_tag"] = np.append(page.tag[segments.block], 0)[head]
    chief, since = last_head(page, segments, CHIEF)
    columns["said_mean_chief"] = np.append(said["said_mean"], 0.0)[chief]
    columns["said_whole_chief"] = np.append(said["said_whole"], 0.0)[chief]
    columns["since_chief"] = np.log1p(since)
    return columns


CHIEF: Final = mask("h1", "h2")


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """The words of segments, as the vocabulary has them: all numbers are one word, and the words
    of longer texts are marked. Of each text only the beginning is looked at."""

    whole: list[str]
    """For each segment: a label as one key; empty for a longer text."""
    words: list[str]
    """The words of all segments, one after the other."""
    counts: Ints
    """How many of them each segment has."""


def spoken(segments: Segments) -> Spoken:
    """The words of segments.

    >>> from tearsheet.page.parsed import parse
    >>> from tearsheet.segments import segments
    >>> said = spoken(segments(parse("<p>12 Comments<p>Print")))
    >>> said.whole, said.words, said.counts.tolist()
    (['=0 comments', '=print'], ['0', 'comments', 'print'], [2, 1])
    """
    lines = "\n".join([text[:_BEGINNING] for text in segments.text]).lower().split("\n")
    whole, words, counts = [], [], []
    for line, short in zip(lines, (segments.words <= SHORT).tolist()):
        found = _TOKENS.findall(line)
        if not short:
            found = ["~" + word for word in found]
        elif not line.isalpha():
            found = ["0" if word.isdigit() else word for word in found]
        whole.append("=" + " ".join(found)[:60] if short else "")
        words += found
        counts.append(len(found))
    return Spoken(whole, words, np.array(counts, dtype=np.int32))


_BEGINNING: Final = 100
"""Characters of a text whose words are looked at."""
