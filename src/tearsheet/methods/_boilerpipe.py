"""Boilerpipe's blocks: words, text density and link density of each and of its neighbours.

C. Kohlschütter, P. Fankhauser, W. Nejdl: Boilerplate Detection using Shallow Text Features.
WSDM 2010.

Text is wrapped at 80 characters; the text density of a block is its tokens over its lines, without
the last line if there are several. Link density is the share of its tokens in links. The blocks
before the first and after the last count as zero.

Deviations: 1. The paper ends a block at every tag but `a`; here a block is a segment, so that bold
words don't cut a sentence. 2. Link density is measured in characters. 3. A token is a word of the
segment; of Chinese, Japanese and Thai two characters are one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.types import Segments

WIDTH: Final = 80
"""Characters at which text is wrapped (§3)."""

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
