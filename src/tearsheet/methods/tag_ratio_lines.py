"""Text-to-tag ratio of the lines of the source, to the letter.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.

Empty lines and everything in scripts are removed. For each line k that is left, TTR[k] is the
number of its ASCII characters that are not in tags over the number of its tags, or just the
characters if it has none. The array is smoothed; lines whose ratio exceeds the standard deviation
are content. `tag_ratio` has segments instead of lines.

Deviations: 1. The lines are read from the page's table, which has the line breaks between tags and
not those inside of one. 2. A segment is kept if most of its characters are on lines of content.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods import _tag_ratio
from tearsheet.tags import NAMES, TEXT, VOID
from tearsheet.types import Options, Page, Segments, Verdict

LAMBDA: Final = 1.0
"""Standard deviations that the ratio of a content line must exceed."""
_IS_VOID: Final = np.array([name in VOID for name in NAMES])

Counts = npt.NDArray[np.int64]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the segments that are mostly on lines with a high ratio."""
    begin, pieces = line_numbers(page)
    chars, tags = count_lines(page, begin, pieces)
    filled = np.flatnonzero((chars > 0) | (tags > 0))  # empty lines are removed
    ratios = np.zeros(len(chars))
    ratios[filled] = _tag_ratio.smooth(_tag_ratio.text_to_tag(chars[filled], tags[filled]))
    content = ratios > LAMBDA * ratios[filled].std() if len(filled) else ratios > 0
    right, all_chars = np.zeros(len(segments)), np.zeros(len(segments))
    for i, (first, last) in enumerate(zip(segments.first.tolist(), segments.last.tolist())):
        for row in range(first, last + 1):
            for k, piece in enumerate(pieces[row], int(begin[row])):
                all_chars[i] += len(piece)
                right[i] += len(piece) * content[k]
    near = ratios[begin[segments.first]] if len(segments) else ratios[:0]
    return _tag_ratio.verdict("tag_ratio_lines", near, right > 0.5 * all_chars)


def line_numbers(page: Page) -> tuple[Counts, list[list[str]]]:
    """For each row the number of the line where it begins, and its text line by line."""
    pieces = [text.split("\n") if text else [] for text in page.text]
    breaks = np.array([max(len(lines) - 1, 0) for lines in pieces], dtype=np.int64)
    return np.cumsum(breaks) - breaks, pieces


def count_lines(page: Page, begin: Counts, pieces: list[list[str]]) -> tuple[Counts, Counts]:
    """ASCII characters and tags, opening and closing, of each line."""
    ends = np.append(begin, begin[-1] + max(len(pieces[-1]) - 1, 0) if len(begin) else 0)
    count = int(ends[-1]) + 1
    chars = np.zeros(count, dtype=np.int64)
    for row in np.flatnonzero(page.tag == TEXT).tolist():
        for k, piece in enumerate(pieces[row], int(begin[row])):
            chars[k] += sum(sign.isascii() and not sign.isspace() for sign in piece)
    opened = np.bincount(begin[page.tag != TEXT], minlength=count)
    closing = (page.tag != TEXT) & ~_IS_VOID[page.tag]
    closed = np.bincount(ends[page.end[closing]], minlength=count)
    return chars, opened + closed
