"""The text-to-tag ratio of each line of a page, for the ways to cluster it.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.

Each line k of the source has TTR[k] = characters / tags (just the characters if it has no tag);
the array is smoothed by the mean of a window, and its elements are clustered into content and the
rest: threshold (`tag_ratio`), `tag_ratio_kmeans`, `tag_ratio_em`, `tag_ratio_farthest`.

Deviations: 1. Lines. Where a source breaks its lines is chance, and a minified page is one endless
line. Here a line ends where its text does: it is one segment (the text between two tags that break
lines) with all opening and closing tags since the segment before it. So a minified page is divided
like any other. 2. All characters are counted, not only ASCII ones. 3. The cluster of the lowest
mean is noise and all others are content; k = 3 and the window of two lines on each side are those
of the authors' later paper (CETR, WWW 2010). 4. By the letter, lines are read from the page's
table, which has the line breaks between tags and not those inside of one; a segment is kept if most
of its characters are on lines of content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.tags import IS_VOID, TEXT
from tearsheet.types import Bools, Options, Page, Segments, Verdict

RADIUS: Final = 2
"""Lines on each side that smoothing looks at."""
CLUSTERS: Final = 3
FAITHFUL: Final = "the lines of the source, and ASCII characters only (deviations 1 and 2)"

Ratios = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Choice = Callable[[Ratios], Bools]
"""Which of the ratios are content."""


def judge(method: str, page: Page, segments: Segments, options: Options, choose: Choice) -> Verdict:
    """Keeps the segments whose ratios are chosen; by the letter, those on such lines."""
    if options.faithful:
        return judge_lines(method, page, segments, choose)
    values = ratios(page, segments)
    return verdict(method, values, choose(values))


def ratios(page: Page, segments: Segments) -> Ratios:
    """The smoothed text-to-tag ratio of each line, which is a segment."""
    return smooth(text_to_tag(segments.chars, tag_counts(page, segments)))


def tag_counts(page: Page, segments: Segments) -> npt.NDArray[np.int64]:
    """How many tags, opening and closing, are between the ends of two segments."""
    opens = page.tag != TEXT
    opened = np.concatenate(([0], np.cumsum(opens)))
    ends = page.end[opens & ~IS_VOID[page.tag]]
    closed = np.cumsum(np.bincount(ends, minlength=len(page) + 1))  # before each row
    total = opened[segments.last + 1] + closed[segments.last]
    return np.asarray(np.diff(total, prepend=0))


def text_to_tag(chars: npt.ArrayLike, tags: npt.ArrayLike) -> Ratios:
    """x / y, or x if there is no tag.

    >>> text_to_tag([90, 12, 7], [3, 0, 14]).tolist()
    [30.0, 12.0, 0.5]
    """
    found: Ratios = np.asarray(chars, dtype=np.float64) / np.maximum(np.asarray(tags), 1)
    return found


def smooth(values: Ratios) -> Ratios:
    """The mean of each element and its neighbours within the radius.

    >>> smooth(np.array([0.0, 0, 10, 0, 0, 0])).round(2).tolist()
    [3.33, 2.5, 2.0, 2.0, 2.5, 0.0]
    """
    total = np.concatenate(([0.0], np.cumsum(values)))
    here = np.arange(len(values))
    low, high = np.maximum(here - RADIUS, 0), np.minimum(here + RADIUS + 1, len(values))
    means: Ratios = (total[high] - total[low]) / (high - low)
    return means


def judge_lines(method: str, page: Page, segments: Segments, choose: Choice) -> Verdict:
    """Keeps the segments that are mostly on lines of the source whose ratios are chosen."""
    begin, pieces = line_numbers(page)
    chars, tags = count_lines(page, begin, pieces)
    filled = np.flatnonzero((chars > 0) | (tags > 0))  # empty lines are removed
    found, content = np.zeros(len(chars)), np.zeros(len(chars), dtype=np.bool_)
    if len(filled):
        found[filled] = smooth(text_to_tag(chars[filled], tags[filled]))
        content[filled] = choose(found[filled])
    right, whole = np.zeros(len(segments)), np.zeros(len(segments))
    for i, (first, last) in enumerate(zip(segments.first.tolist(), segments.last.tolist())):
        for row in range(first, last + 1):
            for k, piece in enumerate(pieces[row], int(begin[row])):
                whole[i] += len(piece)
                right[i] += len(piece) * content[k]
    near = found[begin[segments.first]] if len(segments) else found[:0]
    return verdict(method, near, right > 0.5 * whole)


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
    closing = (page.tag != TEXT) & ~IS_VOID[page.tag]
    closed = np.bincount(ends[page.end[closing]], minlength=count)
    return chars, opened + closed


def verdict(method: str, values: Ratios, keep: Bools) -> Verdict:
    """The verdict of ratios; a page whose lines are all alike is kept whole."""
    if not keep.any():
        keep = np.ones(len(values), dtype=np.bool_)
    return Verdict(method=method, score=values.astype(np.float32), keep=keep)


def above_deviation(values: Ratios, factor: float = 1.0) -> Bools:
    """True where a ratio exceeds so many standard deviations of all.

    >>> above_deviation(np.array([1.0, 2, 40, 50, 1])).tolist()
    [False, False, True, True, False]
    """
    keep: Bools = values > factor * values.std()
    return keep


def above_lowest(values: Ratios, cluster: npt.NDArray[np.intp]) -> Bools:
    """True for the elements that are not in the cluster with the lowest mean."""
    sizes = np.bincount(cluster, minlength=CLUSTERS)
    sums = np.bincount(cluster, weights=values, minlength=CLUSTERS)
    means = np.where(sizes > 0, sums / np.maximum(sizes, 1), np.inf)
    return np.asarray(cluster != int(np.argmin(means)))
