"""Page, Segments → the same without what a page itself calls its furniture: navigation, its own
header and footer, dialogs, cookie banners, related stories.

Two fifths of all segments stand there, and one word in a thousand of the truth. The default engine
looks at the rest, as if they were not there: it is faster, and a further menu changes nothing.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.segments import find_texts
from tearsheet.tags import CODES, mask
from tearsheet.types import Bools, Ints, Page, Segments
from tearsheet.views import view

_SURE: Final = (
    (
        re.compile(
            r' role="(?:navigation|menu|menubar|search|contentinfo|banner|dialog|alertdialog)"'
        ),
        (' role="',),
    ),
    (re.compile(r' (?:id|class)="[^"]*(?:cookie|consent)', re.I), ("cookie", "consent")),
)
"""What calls an element furniture, with words of which it has one: to look for them is quicker."""
_LIKELY: Final = (
    (re.compile(' role="complementary"'), (' role="',)),
    (re.compile(r' (?:id|class)="[^"]*(?<![a-z])related(?![a-z])', re.I), ("related",)),
)
_HINTS: Final = (' role="', "ookie", "onsent", "elated")
"""One of these stands in each that does."""
ENOUGH: Final = 100
"""Words that are left of a page whose furniture has most of them: else it is none."""
_NEVER: Final = 1 << 30
_H1 = CODES["h1"]
# What a tag means, a bit each: furniture wherever it is, furniture outside of the text, furniture
# if it does not hold the page's heading, a part of the text, the page itself.
_ALWAYS, _OUTSIDE, _HEADLESS, _PART, _WHOLE = 1, 2, 4, 8, 16
_MEANING: Final = (
    mask("nav") * _ALWAYS
    | mask("header", "footer") * _OUTSIDE
    | mask("header") * _HEADLESS
    | mask("main", "article", "section", "blockquote", "figure") * _PART
    | mask("html", "body", "main", "article") * _WHOLE
).astype(np.uint8)


class Rest(NamedTuple):
    """What is left of a page, as a page of its own."""

    page: Page
    segments: Segments
    stays: Bools
    """For each segment of the whole page: whether it is left."""

    def among_all(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A column of what is left as one of the whole page, with zeros for the rest."""
        if len(column) == len(self.stays):
            return column
        whole = np.zeros(len(self.stays), dtype=column.dtype)
        whole[self.stays] = column
        return whole

    def place(self, i: int) -> int:
        """Where a segment of the whole page stands in what is left; -1: nowhere."""
        return int(np.count_nonzero(self.stays[:i])) if self.stays[i] else -1


def set_aside(page: Page, segments: Segments, *, only_sure: bool = False) -> Rest:
    """The page and its segments without its furniture. What holds most of the text is none unless
    it leaves a text, and where nothing else is left, all of it stays.

    `only_sure` is for learning: other pages have the rest of it without calling it so.
    """
    stays = np.ones(len(page), dtype=np.bool_)
    before = np.empty((2, len(page) + 1), dtype=np.int32)
    _sum_up(view(page.tag), view(segments.first), view(segments.words), view(before))
    found = _mark(
        view(page.tag), view(page.end), view(_called_so(page, only_sure)), view(before),
        view(_MEANING), _NEVER if only_sure else ENOUGH, view(stays.view(np.uint8)),
    )  # fmt: skip
    left = stays.take(segments.first)
    return _rest(page, segments, stays, left) if found and left.any() else _all(page, segments)


def _called_so(page: Page, only_sure: bool) -> npt.NDArray[np.uint8]:
    """1 for the rows whose attributes call them furniture."""
    called, kinds = np.zeros(len(page.all_attrs), dtype=np.uint8), page.all_attrs
    patterns = _SURE if only_sure else _SURE + _LIKELY
    for i in find_texts(kinds, _HINTS):
        called[i] = _has(kinds[i], patterns)
    return called.take(page.attrs_at)


def _has(attrs: str, patterns: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]) -> bool:
    """Whether one of the patterns is found in attributes."""
    low = attrs.lower()  # beyond ASCII, there are letters that this leaves as they are
    for pattern, words in patterns:
        hinted = not attrs.isascii() or any(word in low for word in words)
        if hinted and pattern.search(attrs):
            return True
    return False


def _sum_up(tag: Any, first: Any, words: Any, before: Any) -> None:
    """How many words, and how many of the page's headings, begin before each row, and in all."""
    size, at, told, heads = len(first), 0, 0, 0
    for row in range(len(tag)):
        before[0, row], before[1, row] = told, heads
        heads += tag[row] == _H1
        if at < size and first[at] == row:
            told += words[at]
            at += 1
    before[0, len(tag)], before[1, len(tag)] = told, heads


def _mark(
    tag: Any, end: Any, called: Any, before: Any, meaning: Any, enough: int, stays: Any
) -> int:
    """Marks the rows of furniture with 0; returns how many elements that are."""
    rows = len(tag)
    row = part = found = 0
    while row < rows:
        bits, stop = meaning[tag[row]], end[row]
        if (
            (bits & _ALWAYS or ((called[row] or bits & _OUTSIDE) and row >= part))
            and not bits & _WHOLE
            and not (bits & _HEADLESS and before[1, stop] > before[1, row])
            and _leaves_a_text(before[0, stop] - before[0, row], before[0, rows], enough)
        ):
            found += 1
            while row < stop:
                stays[row] = 0
                row += 1
            continue
        if bits & _PART and stop > part:
            part = stop
        row += 1
    return found


def _all(page: Page, segments: Segments) -> Rest:
    return Rest(page, segments, np.ones(len(segments), dtype=np.bool_))


def _leaves_a_text(held: int, all_words: int, enough: int) -> bool:
    """Whether what stands elsewhere may be the page: most of it, or enough for a text."""
    return 2 * held <= all_words or all_words - held >= enough


def _rest(page: Page, segments: Segments, stays: Bools, left: Bools) -> Rest:
    """Some rows of a page, numbered anew."""
    runs, number = _runs(stays), np.empty(len(page) + 1, dtype=np.int32)
    count = int(np.count_nonzero(stays))
    tag, columns = np.empty(count, dtype=np.uint8), np.empty((5, count), dtype=np.int32)
    _take(
        view(stays.view(np.uint8)), view(page.tag), view(page.parent), view(page.end),
        view(page.depth), view(page.attrs_at), view(page.breaks),
        view(number), view(tag), view(columns),
    )  # fmt: skip
    parent, end, depth, attrs_at, breaks = columns
    rest = Page(
        tag=tag,
        parent=parent,
        end=end,
        depth=depth,
        text=_taken(page.text, runs),
        attrs=_taken(page.attrs, runs),
        attrs_at=attrs_at,
        all_attrs=page.all_attrs,
        breaks=breaks,
        names={},
        scripts=page.scripts,
        url=page.url,
        base_url=page.base_url,
    )
    return Rest(rest, _some(segments, left, number), left)


def _take(
    stays: Any, tag: Any, parent: Any, end: Any, depth: Any, attrs_at: Any, breaks: Any,
    number: Any, tags: Any, columns: Any,
) -> None:  # fmt: skip
    """Fills in the columns of the rows that stay, and for each row how many of these are before."""
    rows, at = len(tag), 0
    for row in range(rows):
        number[row] = at
        at += stays[row]
    number[rows] = at
    for row in range(rows):
        if stays[row]:
            at = number[row]
            tags[at], columns[1, at] = tag[row], number[end[row]]
            columns[0, at] = number[parent[row]] if parent[row] >= 0 else parent[row]
            columns[2, at], columns[3, at] = depth[row], attrs_at[row]
            columns[4, at] = breaks[row]


def _runs(stays: Bools) -> list[int]:
    """Where each run of what stays begins and ends."""
    edges = np.zeros(len(stays) + 2, dtype=np.int8)
    edges[1:-1] = stays
    found: list[int] = np.flatnonzero(edges[1:] != edges[:-1]).tolist()
    return found


def _taken(column: list[str], runs: list[int]) -> list[str]:
    found: list[str] = []
    for start, stop in zip(runs[::2], runs[1::2]):
        found += column[start:stop]
    return found


def _some(segments: Segments, left: Bools, number: Ints) -> Segments:
    places = np.flatnonzero(left)
    return Segments(
        first=number.take(segments.first.take(places)),
        last=number.take(segments.last.take(places) + 1) - 1,
        block=number.take(segments.block.take(places)),
        text=_taken(segments.text, _runs(left)),
        chars=segments.chars.take(places),
        words=segments.words.take(places),
        link_chars=segments.link_chars.take(places),
        hidden=segments.hidden.take(places),
    )
