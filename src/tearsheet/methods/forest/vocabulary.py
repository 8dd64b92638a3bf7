"""Page, Segments → the columns of learned words, in the names around a segment and in its text; and
the words that a page says of itself, for its type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from tearsheet._core import words as core
from tearsheet._core.words import Words, name_words, names_in, split_line
from tearsheet.json_ld import scan_types
from tearsheet.methods.forest.columns import LEXICAL, fill_rows, word_rows
from tearsheet.methods.forest.containers import Containers, attribute, to_ints
from tearsheet.tags import CODES
from tearsheet.types import Floats, Ints, Page, Segments

__all__ = [
    "WEIGHTS",
    "Words",
    "WordsFound",
    "fill_lexical",
    "names_in",
    "page_tokens",
    "spoken_words",
]

WEIGHTS: Final = {"names": ("around", "own"), "texts": ("text", "heading", "first_line")}
"""The values of a word after its effect. The effect is the evidence of the word alone; the weights
are what it adds to all others. A word of a name has a weight on any element around a segment and
one on the innermost named element; a word of a text has weights in the segment, in the heading
above it, and in the first line of a container."""
_ROWS: Final = fill_rows(core.WordRows(), word_rows(LEXICAL))
_MOST_WORDS: Final = 64
"""Most words of a text that are looked up, on average."""
_LETTERS: Final = re.compile(r"[a-z]{2,}")
_TOKENS: Final = re.compile(r"\w+")
_BODIES: Final = tuple(CODES[name] for name in ("body", "main", "article"))


class WordsFound(NamedTuple):
    """The known words on a page, by their rows in the vocabularies."""

    names: Ints
    """The words of all `Containers.attrs`, one after the other."""
    name_ends: Ints
    """For each of these attributes where its words end, and how many it has, known or not."""
    texts: Ints
    """The words of all segments, one after the other."""
    text_ends: Ints
    """For each segment where its words end, and the row of its text as a label."""


def fill_lexical(
    out: Floats, page: Page, segments: Segments, around: Containers, names: Words, texts: Words
) -> WordsFound:
    """Fills a table with a row for each column of `LEXICAL`, which is zero before; returns the
    words that were found."""
    size = len(segments)
    longest = sum(map(len, around.attrs)) // 2 + 1
    found = WordsFound(
        np.empty(longest, dtype=np.int32), np.empty((2, len(around.attrs)), dtype=np.int32),
        np.empty(_MOST_WORDS * size, dtype=np.int32), np.empty((2, size), dtype=np.int32),
    )  # fmt: skip
    core.fill_names(
        _ROWS, out, names, around.attrs, around.rows, around.called, to_ints(page.parent),
        to_ints(segments.first), around.bottom, around.top, found.names, found.name_ends,
    )  # fmt: skip
    title = title_words(page)
    core.fill_texts(
        _ROWS, out, texts, core.WordSet(title), max(len(title), 1), segments.text,
        to_ints(segments.words), np.ascontiguousarray(page.tag), to_ints(segments.block),
        around.low, around.top, found.texts, found.text_ends,
    )  # fmt: skip
    return found


def title_words(page: Page) -> list[str]:
    """The different words of the page's `<title>`."""
    rows = page.rows(CODES["title"])[:1]
    text = " ".join("".join(page.text[row : page.end[row]]) for row in rows)
    return list(dict.fromkeys(_TOKENS.findall(text.lower())))


def spoken_words(segments: Segments) -> Iterator[tuple[str, list[str]]]:
    """For each segment, as the vocabulary has it: a label as one key, and its words.

    >>> from tearsheet.page.parsed import parse
    >>> from tearsheet.segments import segments
    >>> list(spoken_words(segments(parse("<p>12 Comments<p>Print"))))
    [('=0 comments', ['0', 'comments']), ('=print', ['print'])]
    """
    for text, length in zip(segments.text, segments.words.tolist()):
        yield split_line(text, length)


def address_tokens(url: str) -> list[str]:
    """Features of an address's path: its words, its depth, whether it has digits."""
    path = url.partition("//")[2].partition("/")[2].lower()
    tokens = ["url:" + word for word in _LETTERS.findall(path)[:12]]
    tokens.append(f"depth:{min(path.strip('/').count('/') + (path.strip('/') != ''), 5)}")
    return tokens + ["digits"] * any(sign.isdigit() for sign in path)


def page_tokens(page: Page) -> list[str]:
    """How a page describes itself: words of its address, `og:type`, JSON-LD types, body classes."""
    tokens = address_tokens(page.url) if page.url else []
    for row in page.rows(CODES["meta"]):
        if '="og:type"' in page.attrs[row]:
            tokens.append("og:" + attribute(page.attrs[row], ' content="').lower())
    tokens += ("ld:" + name for name in scan_types(page.scripts))
    for row in page.rows(*_BODIES)[:4]:
        tokens += ("body:" + word for word in name_words(attribute(page.attrs[row], ' class="')))
    return sorted(set(tokens))
