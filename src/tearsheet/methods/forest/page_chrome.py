"""Page, Segments → the same without page chrome: what a page itself calls navigation, its own
header and footer, dialogs, cookie banners and related stories.

Two fifths of all segments are there, and one word in a thousand of the truth. The engine looks at
the rest as if they were not there: it is faster, and one more menu changes nothing.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet._core import containers as core
from tearsheet.methods.forest.containers import to_bits
from tearsheet.segments import find_texts
from tearsheet.tags import CODES, NAMES
from tearsheet.types import Bools, Ints, Page, Segments

_SURE: Final = (
    (
        re.compile(
            r' role="(?:navigation|menu|menubar|search|contentinfo|banner|dialog|alertdialog)"'
        ),
        (' role="',),
    ),
    (re.compile(r' (?:id|class)="[^"]*(?:cookie|consent)', re.I), ("cookie", "consent")),
)
"""Patterns that mark an element as chrome, each with words of which a match has one: searching for
words is faster."""
_LIKELY: Final = (
    (re.compile(' role="complementary"'), (' role="',)),
    (re.compile(r' (?:id|class)="[^"]*(?<![a-z])related(?![a-z])', re.I), ("related",)),
)
_HINTS: Final = (
    *(f' role="{name}' for name in "nav menu search content banner dialog alert compl".split()),
    "ookie", "onsent", "elated",
)  # fmt: skip
"""Attributes that match a pattern contain one of these."""
ENOUGH: Final = 100
"""Fewest words that must remain if chrome has most of the page's words."""
_NEVER: Final = 1 << 30
_FLAGS: Final = np.zeros(len(NAMES), dtype=np.uint8)
"""The meanings of each tag for chrome."""
for _flag, _tags in {
    "chrome": "nav",
    "chrome_outside": "header footer",
    "unless_titled": "header",
    "text_part": "main article section blockquote figure",
    "whole": "html body main article",
}.items():
    _FLAGS[[CODES[name] for name in _tags.split()]] |= core.FLAGS[_flag]


class RestOfPage(NamedTuple):
    """The rest of a page, as a page of its own."""

    page: Page
    segments: Segments
    stays: Bools
    """For each segment of the whole page: whether it remains."""

    def spread(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A column of the rest as a column of the whole page, with zeros for chrome."""
        if len(column) == len(self.stays):
            return column
        whole = np.zeros(len(self.stays), dtype=column.dtype)
        whole[self.stays] = column
        return whole

    def place(self, i: int) -> int:
        """The index in the rest of a segment of the whole page; -1: it is chrome."""
        return int(np.count_nonzero(self.stays[:i])) if self.stays[i] else -1


def set_aside(page: Page, segments: Segments, *, only_sure: bool = False) -> RestOfPage:
    """The page and its segments without chrome. An element with most of the text counts as chrome
    only if enough text remains; if nothing would remain, everything stays. `only_sure` is for
    training: it removes only what other pages mark as chrome, too.
    """
    stays = np.ones(len(page), dtype=np.bool_)
    words_before, headings_before = np.empty((2, len(page) + 1), dtype=np.int32)
    found = core.mark_chrome(
        page.tag, page.end, _find_chrome(page, only_sure), segments.first, segments.words, _FLAGS,
        _NEVER if only_sure else ENOUGH, words_before, headings_before,
        to_bits(stays),
    )  # fmt: skip
    left = stays.take(segments.first)
    if not found or not left.any():
        return RestOfPage(page, segments, np.ones(len(segments), dtype=np.bool_))
    return _take_rest(page, segments, stays, left)


def _find_chrome(page: Page, only_sure: bool) -> npt.NDArray[np.uint8]:
    """1 for the rows whose attributes mark them as chrome."""
    called, kinds = np.zeros(len(page.all_attrs), dtype=np.uint8), page.all_attrs
    patterns = _SURE if only_sure else _SURE + _LIKELY
    for i in find_texts(page.all_attrs, _HINTS):
        called[i] = _matches(kinds[i], patterns)
    return called.take(page.attrs_at)


def _matches(attrs: str, patterns: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]) -> bool:
    """Whether the attributes match one of the patterns."""
    # Beyond ASCII, a pattern may match a letter that `lower` leaves as it is.
    low = attrs.lower() if attrs.isascii() else ""
    for pattern, words in patterns:
        for word in words:
            if (word in low or not low) and pattern.search(attrs):
                return True
    return False


def _take_rest(page: Page, segments: Segments, stays: Bools, left: Bools) -> RestOfPage:
    """The rows that remain, renumbered."""
    runs, number = _find_runs(stays), np.empty(len(page) + 1, dtype=np.int32)
    count = int(np.count_nonzero(stays))
    tag, columns = np.empty(count, dtype=np.uint8), np.empty((5, count), dtype=np.int32)
    parent, end, depth, attrs_at, breaks = columns
    core.take_rows(
        to_bits(stays), page.tag, page.parent, page.end, page.depth, page.attrs_at, page.breaks,
        number, tag, parent, end, depth, attrs_at, breaks,
    )  # fmt: skip
    rest = Page(
        tag=tag,
        parent=parent,
        end=end,
        depth=depth,
        text=_take_runs(page.text, runs),
        attrs=_take_runs(page.attrs, runs),
        attrs_at=attrs_at,
        all_attrs=page.all_attrs,
        breaks=breaks,
        names={},
        scripts=page.scripts,
        url=page.url,
        base_url=page.base_url,
    )
    return RestOfPage(rest, _take_segments(segments, left, number), left)


def _find_runs(stays: Bools) -> list[int]:
    """The beginning and end of each run of rows that remain."""
    edges = np.zeros(len(stays) + 2, dtype=np.int8)
    edges[1:-1] = stays
    found: list[int] = np.flatnonzero(edges[1:] != edges[:-1]).tolist()
    return found


def _take_runs(column: list[str], runs: list[int]) -> list[str]:
    found: list[str] = []
    for start, stop in zip(runs[::2], runs[1::2]):
        found += column[start:stop]
    return found


def _take_segments(segments: Segments, left: Bools, number: Ints) -> Segments:
    places = left.nonzero()[0]
    return Segments(
        first=number.take(segments.first.take(places)),
        last=number.take(segments.last.take(places) + 1) - 1,
        block=number.take(segments.block.take(places)),
        text=_take_runs(segments.text, _find_runs(left)),
        chars=segments.chars.take(places),
        words=segments.words.take(places),
        link_chars=segments.link_chars.take(places),
        hidden=segments.hidden.take(places),
    )
