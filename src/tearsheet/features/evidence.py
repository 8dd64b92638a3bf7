# cython: wraparound=False
"""Page, Segments → the evidence that the default engine weighs: named columns, one row a segment.

It unites what the papers look at: length and link density (boilerpipe), text against structure
(density, text-to-tag ratio), position and containers (CLG), class names (Readability), and the
neighbours of all of these (MSS, the Article Clipper). Everything is relative to *containers*: the
elements around a segment that hold more text than the one below, so that wrapping a page in
further elements changes nothing.

Each group of columns has its names; the method of `_Evidence` that is called like it fills its part
of the table, by loops over segments, containers or rows, to which `evidence.pxd` gives machine
types.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tearsheet.features.containers import LEVELS, Containers, attribute, bits, ints
from tearsheet.features.subsequence import maximum
from tearsheet.json_ld import scan_texts
from tearsheet.tags import CODES, HEADINGS, NAMES
from tearsheet.types import Floats, Page, Segments
from tearsheet.views import view

LONG = 15
"""Words from which a segment counts as a sentence rather than a label."""
LABEL = 6.0
"""Words below which a segment speaks against the run of text it stands in."""


def structural(
    page: Page, segments: Segments, around: Containers, out: Floats | None = None
) -> Floats:
    """The columns that need no learned vocabulary: a row for each name in `STRUCTURAL`; in `out`
    where that is given, which is zero before."""
    table = out if out is not None else np.zeros((len(STRUCTURAL), len(segments)), np.float32)
    _Evidence(page, segments, around, table).fill(segments.text)
    _declared(table[_START_OF["declared"] : _START_OF["page"]], page, segments)
    return table


_OWN: Final = ("chars", "words", "link_ratio", "word_length", "repeats", "earlier", "hidden")
_LETTERS: Final = (
    "first_kind", "last_kind", "ends_colon", "capitals", "digits", "commas", "commas_count",
    "stops", "stops_count", "signs", "money",
)  # fmt: skip
_AROUND: Final = tuple(
    "nav header footer aside main article section form table ul ol li dl figure blockquote button"
    " label a details pre h1 h2 h3 h4 p td th dialog address figcaption code span b strong".split()
)
_ANCESTORS: Final = (*(f"in_{name}" for name in _AROUND), "block_tag", "parent_tag")
_HELD: Final = (
    "count", "chars", "links", "mean_words", "long", "alike", "tag", "money", "place", "share",
    "images", "heads", "times", "controls",
)  # fmt: skip
_LEVELS: Final = tuple(f"{name}_{level}" for name in _HELD for level in range(LEVELS))
_MEETINGS: Final = ("head_level", "longest_level", "levels")
_REPEATED: Final = ("group_1", "group_2", "group_3", "in_largest", "largest")
_POSITION: Final = ("place", "chars_before", "from_head", "has_head", "in_run", "from_run")
_STEPS: Final = (-2, -1, 1, 2)
_WIDTHS: Final = (3, 8)
_NEIGHBOURS: Final = (
    *(f"{name}_at_{step}" for step in _STEPS for name in ("words", "links", "tag", "together")),
    *(f"{name}_near_{width}" for width in _WIDTHS for name in ("words", "links", "long")),
)
_SECTIONS: Final = (
    "section_count", "section_words", "section_links", "section_mean", "section_place",
    "section_number",
)  # fmt: skip
_SAID: Final = ("meta", "description", "body", "review")
_DECLARED: Final = (
    *(f"{name}_{kind}" for kind in _SAID for name in ("declared", "page_declared")),
    "declared_name",
)
_COUNTED: Final = tuple("p li img form input table article time h1 h2 pre button a video".split())
_PAGE: Final = (
    "page_segments", "page_chars", "page_links", "page_mean_words", "page_long", "page_long_share",
    "page_p_share", "page_hidden", *(f"page_{name}s" for name in _COUNTED),
)  # fmt: skip
_GROUPS: Final = {
    "own": _OWN, "letters": _LETTERS, "ancestors": _ANCESTORS, "levels": _LEVELS,
    "meetings": _MEETINGS, "repeated": _REPEATED, "position": _POSITION,
    "neighbours": _NEIGHBOURS, "sections": _SECTIONS, "declared": _DECLARED, "page": _PAGE,
}  # fmt: skip
STRUCTURAL: Final = tuple(name for group in _GROUPS.values() for name in group)
"""The names of the columns."""
_START_OF: Final = {group: STRUCTURAL.index(names[0]) for group, names in _GROUPS.items()}
"""The row of the table with which each group begins."""

_LOG1P = np.log1p(np.arange(1 << 15)).data
_LOG2 = np.log2(np.maximum(np.arange(1 << 15), 1)).data


def log1p(count: int) -> float:
    """log(1 + count), looked up where it is small."""
    return _LOG1P[count] if count < 1 << 15 else math.log1p(count)


def log2(count: int) -> float:
    return _LOG2[count] if count < 1 << 15 else math.log2(count)


def _kinds_of_letters() -> bytes:
    """1 capital, 2 digit, 3 comma, 4 end of sentence, 5 other sign, 6 money."""
    kinds = bytearray(1 << 16)
    for code in range(0x3000):
        sign = chr(code)
        if sign.isupper():
            kinds[code] = 1
        elif sign.isdigit():
            kinds[code] = 2
        elif not sign.isalnum() and sign != " ":
            kinds[code] = 5
    for kind, signs in ((3, ",،、，;；"), (4, ".!?。！？…؟।"), (6, "$€£¥₹₽")):
        for sign in signs:
            kinds[ord(sign)] = kind
    return bytes(kinds)


def _numbered(*groups: tuple[str, ...]) -> Any:
    """For each tag the number of the group that it is in; -1: none."""
    numbers = np.full(len(NAMES), -1, dtype=np.int32)
    for number, names in enumerate(groups):
        numbers[[CODES[name] for name in names]] = number
    return view(numbers)


_KIND = memoryview(_kinds_of_letters())
_PLACE = _numbered(*((name,) for name in _AROUND))
_MARK = _numbered(
    ("img", "picture"),
    ("h1", "h2", "h3", "h4", "h5", "h6"),
    ("time",),
    ("button", "input", "select", "textarea"),
)
_MARKS = 4
"""How many kinds of elements are counted in a container."""
_PAGE_PLACE = _numbered(*((name,) for name in _COUNTED))
_IS_HEADING = HEADINGS.astype(np.uint8).data
_H1, _P = CODES["h1"], CODES["p"]
_GROUP = 3
"""Siblings of one kind from which they are a group."""
# Rows of `_Evidence.sums`.
_CHARS, _LINKS, _WORDS, _LONGS, _MONEY = range(5)


class _Evidence:
    """A page, what is counted on the ways down its rows and its sequence, and the table."""

    def __init__(self, page: Page, segments: Segments, around: Containers, out: Floats) -> None:
        self.out: Any = view(out)
        self.size, self.rows = len(segments), len(page)
        self.tag: Any = view(np.ascontiguousarray(page.tag))
        self.parent: Any = ints(page.parent)
        self.end: Any = ints(page.end)
        self.first: Any = ints(segments.first)
        self.block: Any = ints(segments.block)
        self.chars: Any = ints(segments.chars)
        self.words: Any = ints(segments.words)
        self.links: Any = ints(segments.link_chars)
        self.hidden: Any = bits(segments.hidden)
        self.each: Any = view(around.each)
        self.number: Any = view(around.number)
        self.top: Any = view(around.top)
        self.bottom: Any = view(around.bottom)
        self.low: Any = view(around.low)
        self.high: Any = view(around.high)
        self.family: Any = view(around.family)
        self.copy: Any = view(around.copy)
        self.nth: Any = view(around.nth)
        self.sums: Any = view(np.zeros((5, self.size + 1), dtype=np.int64))
        """How many characters, characters in links, words, long segments and segments with money
        come before each segment, and in all."""
        self.marks: Any = view(np.zeros((_MARKS, self.rows + 1), dtype=np.int32))
        """How many elements of each kind in `_MARK` come before each row, and in all."""
        self.depth: Any = view(np.zeros(self.rows, dtype=np.int32))
        """For each row: how many of the elements around it hold more text than the one below."""
        self.alike: Any = view(np.zeros(around.families, dtype=np.int32))
        """How many rows each family has."""
        self.told: Any = view(np.zeros(around.families, dtype=np.int64))
        """How many words it has."""
        self.head, self.heads = -1, 0
        """The row of the first `<h1>` (-1: there is none), and how many there are."""

    def fill(self, texts: list[str]) -> None:
        self.own(_START_OF["own"])
        self.letters(_START_OF["letters"], texts)
        self.ancestors(_START_OF["ancestors"])
        self.count_segments(STRUCTURAL.index("money"))
        self.count_rows()
        self.levels(_START_OF["levels"])
        self.meetings(_START_OF["meetings"])
        self.repeated(_START_OF["repeated"])
        self.position(_START_OF["position"])
        self.neighbours(_START_OF["neighbours"])
        self.sections(_START_OF["sections"])
        self.page(_START_OF["page"])

    def own(self, at: int) -> None:
        """How long a segment is, how linked, and how often its text is there."""
        out, chars, words, links, copy = self.out, self.chars, self.words, self.links, self.copy
        copies = view(np.zeros(self.size, dtype=np.int32))
        for i in range(self.size):
            copies[copy[i]] += 1
        for i in range(self.size):
            out[at, i] = log1p(chars[i])
            out[at + 1, i] = log1p(words[i])
            out[at + 2, i] = links[i] / max(chars[i], 1)
            out[at + 3, i] = chars[i] / max(words[i], 1)
            out[at + 4, i] = log2(copies[copy[i]])
            out[at + 5, i] = log1p(self.nth[i])
            out[at + 6, i] = self.hidden[i]

    def letters(self, at: int, texts: list[str]) -> None:
        """Which kinds of letters a text has: how it begins and ends, and the share or number of
        each."""
        out = self.out
        found = view(np.zeros(7, dtype=np.int32))
        for i in range(self.size):
            text = texts[i]
            size, kind, sign = len(text), 0, text[0]
            found[5] = i < self.size - 1  # the end of a line is a sign, but of the last
            for sign in text:
                kind = _KIND[ord(sign)] if ord(sign) < 1 << 16 else 0
                if kind:
                    found[kind] += 1
            out[at, i] = _KIND[ord(text[0])] if ord(text[0]) < 1 << 16 else 0
            out[at + 1, i] = kind
            out[at + 2, i] = sign == ":"
            out[at + 3, i] = found[1] / size
            out[at + 4, i] = found[2] / size
            out[at + 5, i] = found[3] / size
            out[at + 6, i] = min(found[3], 20)
            out[at + 7, i] = found[4] / size
            out[at + 8, i] = min(found[4], 20)
            out[at + 9, i] = found[5] / size
            out[at + 10, i] = found[6]
            for kind in range(7):
                found[kind] = 0

    def ancestors(self, at: int) -> None:
        """How many elements of each kind stand around a segment: first by how much each count
        changes from one segment to the next, then the counts."""
        out, size, kinds = self.out, self.size, len(_AROUND)
        for row in range(self.rows):
            kind, low, high = _PLACE[self.tag[row]], self.low[row], self.high[row]
            if kind >= 0 and low < high:
                out[at + kind, low] += 1
                if high < size:
                    out[at + kind, high] -= 1
        for kind in range(kinds):
            for i in range(1, size):
                out[at + kind, i] += out[at + kind, i - 1]
        for i in range(size):
            out[at + kinds, i] = self.tag[self.block[i]]
            out[at + kinds + 1, i] = self.tag[max(self.parent[self.first[i]], 0)]

    def count_segments(self, money: int) -> None:
        """One way down the page's sequence; `money` is the row of the table that tells of it."""
        sums, long = self.sums, LONG
        for i in range(self.size):
            sums[_CHARS, i + 1] = sums[_CHARS, i] + self.chars[i]
            sums[_LINKS, i + 1] = sums[_LINKS, i] + self.links[i]
            sums[_WORDS, i + 1] = sums[_WORDS, i] + self.words[i]
            sums[_LONGS, i + 1] = sums[_LONGS, i] + (self.words[i] >= long)
            sums[_MONEY, i + 1] = sums[_MONEY, i] + (self.out[money, i] > 0)

    def count_rows(self) -> None:
        """One way down the page's rows."""
        marks, sums, depth = self.marks, self.sums, self.depth
        for row in range(self.rows):
            code, start, stop = self.tag[row], self.low[row], self.high[row]
            own, above = self.family[row], self.parent[row]
            for mark in range(_MARKS):
                marks[mark, row + 1] = marks[mark, row] + (_MARK[code] == mark)
            if code == _H1:
                self.heads += 1
                if self.head < 0:
                    self.head = row
            self.alike[own] += 1
            if start < stop:
                self.told[own] += sums[_WORDS, stop] - sums[_WORDS, start]
            if above >= 0:
                grows = 0 < stop - start < self.high[above] - self.low[above]
                depth[row] = depth[above] + grows

    def levels(self, at: int) -> None:
        """What each container holds: how much text, how linked, how repeated among its siblings."""
        out, number, held, levels = self.out, self.number, self.held(), LEVELS
        for name in range(held.shape[0]):
            for level in range(levels):
                for i in range(self.size):
                    out[at + name * levels + level, i] = held[name, number[level, i]]
        tag, place = _HELD.index("tag") * levels, _HELD.index("place") * levels
        for level in range(levels):
            for i in range(self.size):
                row = self.top[level, i]
                low, high = self.low[row], self.high[row]
                out[at + tag + level, i] = self.tag[self.bottom[level, i]]
                out[at + place + level, i] = (i - low) / max(high - low, 1)

    def held(self) -> Any:
        """What is the same for all segments of a container."""
        held: Any = view(np.zeros((len(_HELD), self.each.shape[0]), dtype=np.float32))
        sums, marks = self.sums, self.marks
        whole = max(sums[_CHARS, self.size], 1)
        for i in range(self.each.shape[0]):
            row = self.each[i]
            start, stop, after = self.low[row], self.high[row], self.end[row]
            count = max(stop - start, 1)
            chars = sums[_CHARS, stop] - sums[_CHARS, start]
            held[0, i] = log1p(count)
            held[1, i] = log1p(chars)
            held[2, i] = (sums[_LINKS, stop] - sums[_LINKS, start]) / max(chars, 1)
            held[3, i] = (sums[_WORDS, stop] - sums[_WORDS, start]) / count
            held[4, i] = (sums[_LONGS, stop] - sums[_LONGS, start]) / count
            held[5, i] = log2(self.alike[self.family[row]])
            held[7, i] = log1p(sums[_MONEY, stop] - sums[_MONEY, start])
            held[9, i] = chars / whole
            for mark in range(_MARKS):
                held[10 + mark, i] = log1p(marks[mark, after] - marks[mark, row])
        return held

    def meetings(self, at: int) -> None:
        """The first level whose container holds the page's heading, too, or its longest text."""
        longest = 0
        for i in range(self.size):
            gain = self.chars[i] - 2 * self.links[i]
            if gain > self.chars[longest] - 2 * self.links[longest]:
                longest = i
        self.meet(at, self.head)
        self.meet(at + 1, self.first[longest])
        for i in range(self.size):
            self.out[at + 2, i] = self.depth[self.block[i]]

    def meet(self, at: int, row: int) -> None:
        top, end, levels = self.top, self.end, LEVELS
        for i in range(self.size):
            level = 0
            while level < levels and not (top[level, i] <= row < end[top[level, i]]):
                level += 1
            self.out[at, i] = level

    def repeated(self, at: int) -> None:
        """How much text the elements have together that are repeated as siblings, like cards are;
        and which segments are in the largest such group."""
        out, whole = self.out, max(self.sums[_WORDS, self.size], 1)
        largest, most = 0, 0
        for own in range(self.told.shape[0]):
            if self.alike[own] >= _GROUP and self.told[own] > most:
                largest, most = own, self.told[own]
        for level in range(3):
            for i in range(self.size):
                own = self.family[self.top[level + 1, i]]
                out[at + level, i] = self.told[own] / whole
        for i in range(self.size):
            out[at + 4, i] = most / whole
        if most:
            for row in range(self.rows):
                if self.family[row] == largest:
                    for i in range(self.low[row], self.high[row]):
                        out[at + 3, i] = 1

    def position(self, at: int) -> None:
        """Where on the page: against its beginning, its heading, and its best run of text."""
        out, size, chars = self.out, self.size, self.sums[_CHARS, self.size]
        gains = np.empty(size)
        gain = view(gains)
        for i in range(size):
            gain[i] = self.words[i] * (1 - self.links[i] / max(self.chars[i], 1)) - LABEL
        low, high = maximum(gains)
        head = self.low[self.head] if self.heads else -1
        for i in range(size):
            out[at, i] = i / size
            out[at + 1, i] = self.sums[_CHARS, i] / max(chars, 1)
            if head >= 0:
                out[at + 2, i] = log1p(i - head) if i > head else -log1p(head - i)
            out[at + 3, i] = self.heads
            out[at + 4, i] = low <= i < high
            far = i - low if i < low else i - high + 1 if i >= high else 0
            out[at + 5, i] = far / size

    def neighbours(self, at: int) -> None:
        """The segments before and behind: how long, how linked, in which element, and whether in
        the same container; the means of them, some places to both sides."""
        total: Any = view(np.zeros((3, self.size + 1)))
        for i in range(self.size):
            total[0, i + 1] = total[0, i] + log1p(self.words[i])
            total[1, i + 1] = total[1, i] + self.links[i] / max(self.chars[i], 1)
            total[2, i + 1] = total[2, i] + (self.words[i] >= LONG)
        for place in range(len(_STEPS)):
            self.look(at + 4 * place, _STEPS[place])
        at += 4 * len(_STEPS)
        for place in range(len(_WIDTHS)):
            width = _WIDTHS[place]
            for i in range(self.size):
                low, high = max(i - width, 0), min(i + width + 1, self.size)
                for column in range(3):
                    mean = (total[column, high] - total[column, low]) / (high - low)
                    self.out[at + 3 * place + column, i] = mean

    def look(self, at: int, step: int) -> None:
        """The segment `step` places further on; -1 beyond the ends."""
        out, home, words, links, chars = self.out, self.bottom, self.words, self.links, self.chars
        tag, block = self.tag, self.block
        for i in range(self.size):
            there = i + step
            if 0 <= there < self.size:
                out[at, i] = log1p(words[there])
                out[at + 1, i] = links[there] / max(chars[there], 1)
                out[at + 2, i] = tag[block[there]]
                out[at + 3, i] = home[1, there] == home[1, i]
            else:
                out[at, i] = out[at + 1, i] = out[at + 2, i] = -1

    def sections(self, at: int) -> None:
        """How much the section holds that begins with the last heading."""
        out, sums, size = self.out, self.sums, self.size
        start = number = 0
        while start < size:
            number += _IS_HEADING[self.tag[self.block[start]]]
            stop = start + 1
            while stop < size and not _IS_HEADING[self.tag[self.block[stop]]]:
                stop += 1
            words = sums[_WORDS, stop] - sums[_WORDS, start]
            chars = sums[_CHARS, stop] - sums[_CHARS, start]
            for i in range(start, stop):
                out[at, i] = log1p(stop - start)
                out[at + 1, i] = log1p(words)
                out[at + 2, i] = (sums[_LINKS, stop] - sums[_LINKS, start]) / max(chars, 1)
                out[at + 3, i] = words / (stop - start)
                out[at + 4, i] = i - start
                out[at + 5, i] = number
            start = stop

    def page(self, at: int) -> None:
        """What the page is like as a whole: the same value for each of its segments."""
        sums, size = self.sums, self.size
        chars, long, paragraphs, hidden = max(sums[_CHARS, size], 1), 0, 0, 0
        for i in range(size):
            long += self.chars[i] if self.words[i] >= LONG else 0
            paragraphs += self.chars[i] if self.tag[self.block[i]] == _P else 0
            hidden += self.chars[i] if self.hidden[i] else 0
        counts = view(np.zeros(len(_COUNTED), dtype=np.int32))
        for row in range(self.rows):
            kind = _PAGE_PLACE[self.tag[row]]
            if kind >= 0:
                counts[kind] += 1
        self.same(at, log1p(size))
        self.same(at + 1, log1p(chars))
        self.same(at + 2, sums[_LINKS, size] / chars)
        self.same(at + 3, sums[_WORDS, size] / size)
        self.same(at + 4, log1p(sums[_LONGS, size]))
        self.same(at + 5, long / chars)
        self.same(at + 6, paragraphs / chars)
        self.same(at + 7, hidden / chars)
        for kind in range(len(_COUNTED)):
            self.same(at + 8 + kind, log1p(counts[kind]))

    def same(self, at: int, value: float) -> None:
        for i in range(self.size):
            self.out[at, i] = value


_MARKUP: Final = re.compile(r"<[^<>]*>|&nbsp;|\\[nrt]")
_LD_KINDS: Final = {
    "articleBody": "body", "description": "description", "text": "body", "reviewBody": "review",
}  # fmt: skip
_START: Final = 4
"""Words by which a segment is recognised in what the page declares."""


def _declared(out: Floats, page: Page, segments: Segments) -> None:
    """Whether a segment is in what the page says of itself as data: its description, JSON-LD."""
    said, names = _said_as_data(page)
    starts: list[str] = []
    for number, kind in enumerate(_SAID):
        words = _plain(" ".join(said[kind])).split()
        if words:
            starts = starts or _starts(segments.text)
            out[2 * number, _found(starts, words)] = 1
            out[2 * number + 1] = math.log1p(len(words))
    if names:
        out[2 * len(_SAID)] = [text in names for text in segments.text]


def _starts(texts: list[str]) -> list[str]:
    """The first words of each text; nothing for one that is shorter."""
    starts: list[str] = []
    for i in range(len(texts)):
        text, at, missing = texts[i], 0, _START
        while at < len(text):
            missing -= text[at] == " "
            if not missing:
                break
            at += 1
        starts.append(text[:at] if missing < 2 else "")
    return starts


def _found(starts: list[str], words: list[str]) -> list[int]:
    """The texts that begin with words which follow each other among these."""
    places: Iterable[int] = range(len(words) - _START + 1)
    if len(words) > len(starts):
        firsts = {start[: start.find(" ")] for start in starts}
        places = [at for at in places if words[at] in firsts]
    runs = {" ".join(words[at : at + _START]) for at in places}
    return [i for i, start in enumerate(starts) if start in runs]


def _said_as_data(page: Page) -> tuple[dict[str, list[str]], set[str]]:
    """What the page says, by kind, and the names in it."""
    said: dict[str, list[str]] = {kind: [] for kind in _SAID}
    names = set()
    for row in page.rows(CODES["meta"]):
        if 'escription"' in page.attrs[row]:
            said["meta"].append(html.unescape(attribute(page.attrs[row], ' content="')))
    for key, value in scan_texts(page.scripts, "name", *_LD_KINDS):
        if key == "name":
            names.add(_plain(value))
        else:
            said[_LD_KINDS[key]].append(value)
    return said, names


def _plain(text: str) -> str:
    if "\\" in text:
        text = text.replace('\\"', '"').replace("\\/", "/")
        if "\\u" in text:
            text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    if "&lt;" in text:
        text = html.unescape(text)
    if "<" in text or "&" in text or "\\" in text:
        text = _MARKUP.sub(" ", text)
    return " ".join(text.split())


_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
