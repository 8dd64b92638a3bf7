"""Page, Segments → the evidence that the default engine weighs: named columns, one row a segment.

It unites what the papers look at: length and link density (boilerpipe), text against structure
(density, text-to-tag ratio), position and containers (CLG), class names (Readability), and the
neighbours of all of these (MSS, the Article Clipper). Everything is relative to *containers*: the
elements around a segment that hold more text than the one below, so that wrapping a page in
further elements changes nothing.

Each group of columns has its names, and below them what fills its part of the table: a loop over
segments, containers or rows, to which `evidence.pxd` gives machine types.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.features.containers import LEVELS, Containers, attribute, beyond, ints
from tearsheet.features.subsequence import maximum
from tearsheet.tags import CODES, HEADINGS, NAMES
from tearsheet.types import Floats, Ints, Page, Segments

LONG: Final = 15
"""Words from which a segment counts as a sentence rather than a label."""
LABEL: Final = 6.0
"""Words below which a segment speaks against the run of text it stands in."""


def structural(
    page: Page, segments: Segments, around: Containers, out: Floats | None = None
) -> Floats:
    """The columns that need no learned vocabulary: a row for each name in `STRUCTURAL`; in `out`
    where that is given, which is zero before."""
    table = out if out is not None else np.zeros((len(STRUCTURAL), len(segments)), np.float32)
    part = _parts(table)
    _own(next(part), segments, around)
    letters = next(part)
    _letters(letters.data, segments.text, np.zeros(7, dtype=np.int32).data)
    _ancestors(next(part), page, segments, around)
    down = _down(page, segments, around, letters[_LETTERS.index("money")])
    _levels(next(part), page, segments, around, down)
    _meetings(next(part), page, segments, around, down)
    _repeated(next(part), segments, around, down)
    _position(next(part), page, segments, around, down)
    _neighbours(next(part), page, segments, around)
    _sections(next(part), page, segments, down)
    _declared(next(part), page, segments)
    _page(next(part), page, segments)
    return table


def _parts(table: Floats) -> Iterator[Floats]:
    """The part of the table for each group of columns."""
    start = 0
    for names in _GROUPS:
        yield table[start : start + len(names)]
        start += len(names)


_OWN: Final = ("chars", "words", "link_ratio", "word_length", "repeats", "earlier", "hidden")


def _own(out: Floats, segments: Segments, around: Containers) -> None:
    """How long a segment is, how linked, and how often its text is there."""
    copies = np.bincount(around.copy, minlength=len(segments))
    _fill_own(
        out.data, ints(segments.chars), ints(segments.words), ints(segments.link_chars),
        around.copy.data, around.nth.data, copies.astype(np.int32).data, ints(segments.hidden),
    )  # fmt: skip


def _fill_own(
    out: Any, chars: Any, words: Any, links: Any, copy: Any, nth: Any, copies: Any, hidden: Any
) -> None:
    for i in range(chars.shape[0]):
        out[0, i] = log1p(chars[i])
        out[1, i] = log1p(words[i])
        out[2, i] = links[i] / max(chars[i], 1)
        out[3, i] = chars[i] / max(words[i], 1)
        out[4, i] = log2(copies[copy[i]])
        out[5, i] = log1p(nth[i])
        out[6, i] = hidden[i]


_LOG1P = np.log1p(np.arange(1 << 15)).data
_LOG2 = np.log2(np.maximum(np.arange(1 << 15), 1)).data


def log1p(count: int) -> float:
    """log(1 + count), looked up where it is small."""
    return _LOG1P[count] if count < 1 << 15 else math.log1p(count)


def log2(count: int) -> float:
    return _LOG2[count] if count < 1 << 15 else math.log2(count)


_LETTERS: Final = (
    "first_kind", "last_kind", "ends_colon", "capitals", "digits", "commas", "commas_count",
    "stops", "stops_count", "signs", "money",
)  # fmt: skip


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


_KIND = memoryview(_kinds_of_letters())


def _letters(out: Any, texts: list[str], found: Any) -> None:
    """Which kinds of letters a text has: how it begins and ends, and the share or number of each;
    `found` counts them."""
    for i in range(len(texts)):
        text = texts[i]
        size, kind, sign = len(text), 0, text[0]
        found[5] = i < len(texts) - 1  # the end of a line is a sign, but of the last
        for sign in text:
            kind = _KIND[ord(sign)] if ord(sign) < 1 << 16 else 0
            if kind:
                found[kind] += 1
        out[0, i] = _KIND[ord(text[0])] if ord(text[0]) < 1 << 16 else 0
        out[1, i] = kind
        out[2, i] = sign == ":"
        out[3, i] = found[1] / size
        out[4, i] = found[2] / size
        out[5, i] = found[3] / size
        out[6, i] = min(found[3], 20)
        out[7, i] = found[4] / size
        out[8, i] = min(found[4], 20)
        out[9, i] = found[5] / size
        out[10, i] = found[6]
        for kind in range(7):
            found[kind] = 0


_AROUND: Final = tuple(
    "nav header footer aside main article section form table ul ol li dl figure blockquote button"
    " label a details pre h1 h2 h3 h4 p td th dialog address figcaption code span b strong".split()
)
_ANCESTORS: Final = (*(f"in_{name}" for name in _AROUND), "block_tag", "parent_tag")
_PLACE: Final = np.full(len(NAMES), -1, dtype=np.int32)
_PLACE[[CODES[name] for name in _AROUND]] = np.arange(len(_AROUND))


def _ancestors(out: Floats, page: Page, segments: Segments, around: Containers) -> None:
    """How many elements of each kind stand around a segment."""
    seen = np.zeros(len(_AROUND), dtype=np.uint8)
    _count_around(out.data, tags(page), around.low.data, around.high.data, _PLACE.data, seen.data)
    out[len(_AROUND)] = page.tag.take(segments.block)
    out[len(_AROUND) + 1] = page.tag.take(page.parent.take(segments.first))


def _count_around(out: Any, tag: Any, low: Any, high: Any, place: Any, seen: Any) -> None:
    """First by how much each count changes from one segment to the next, then the counts."""
    size = out.shape[1]
    for row in range(tag.shape[0]):
        kind = place[tag[row]]
        if kind >= 0 and low[row] < high[row]:
            seen[kind] = 1
            out[kind, low[row]] += 1
            if high[row] < size:
                out[kind, high[row]] -= 1
    for kind in range(seen.shape[0]):
        if seen[kind]:
            for i in range(1, size):
                out[kind, i] += out[kind, i - 1]


def tags(page: Page) -> memoryview:
    """The tags of a page for a loop."""
    return np.ascontiguousarray(page.tag).data


_HELD: Final = (
    "count", "chars", "links", "mean_words", "long", "alike", "tag", "money", "place", "share",
    "images", "heads", "times", "controls",
)  # fmt: skip
_COUNTED_IN: Final = (
    ("img", "picture"),
    ("h1", "h2", "h3", "h4", "h5", "h6"),
    ("time",),
    ("button", "input", "select", "textarea"),
)
_MARK: Final = np.full(len(NAMES), -1, dtype=np.int32)
for _number, _names in enumerate(_COUNTED_IN):
    _MARK[[CODES[_name] for _name in _names]] = _number
_LEVELS: Final = tuple(f"{name}_{level}" for name in _HELD for level in range(LEVELS))


def _levels(out: Floats, page: Page, segments: Segments, around: Containers, down: Down) -> None:
    """What each container holds: how much text, how linked, how repeated among its siblings."""
    held = np.zeros((len(_HELD), len(around.each)), dtype=np.float32)
    _hold(
        held.data, around.each.data, around.low.data, around.high.data, ints(page.end),
        around.family.data, down.sums.data, down.marks.data, down.alike.data,
    )  # fmt: skip
    levels = out.reshape(len(_HELD), LEVELS, len(segments))
    np.take(held, around.number, axis=1, out=levels, mode="clip")
    levels[_HELD.index("tag")] = page.tag.take(around.bottom)
    low, high = around.low.take(around.each), around.high.take(around.each)
    before = np.arange(len(segments)) - low.take(around.number)
    levels[_HELD.index("place")] = before / np.maximum(high - low, 1).take(around.number)


def _hold(
    held: Any, each: Any, low: Any, high: Any, end: Any, family: Any, sums: Any, marks: Any,
    alike: Any,
) -> None:  # fmt: skip
    """Fills in what is the same for all segments of a container."""
    whole = max(sums[0, sums.shape[1] - 1], 1)
    for i in range(each.shape[0]):
        row = each[i]
        start, stop, after = low[row], high[row], end[row]
        count = max(stop - start, 1)
        chars = sums[0, stop] - sums[0, start]
        held[0, i] = log1p(count)
        held[1, i] = log1p(chars)
        held[2, i] = (sums[1, stop] - sums[1, start]) / max(chars, 1)
        held[3, i] = (sums[2, stop] - sums[2, start]) / count
        held[4, i] = (sums[3, stop] - sums[3, start]) / count
        held[5, i] = log2(alike[family[row]])
        held[7, i] = log1p(sums[4, stop] - sums[4, start])
        held[9, i] = chars / whole
        for mark in range(4):
            held[10 + mark, i] = log1p(marks[mark, after] - marks[mark, row])


@dataclass(frozen=True, slots=True, eq=False)
class Down:
    """What one way down the page's sequence, and one down its rows, count."""

    sums: npt.NDArray[np.int64]
    """How many characters, characters in links, words, long segments and segments with money come
    before each segment, and in all."""
    marks: Ints
    """How many elements of each kind in `_COUNTED_IN` come before each row, and in all."""
    depth: Ints
    """For each row: how many of the elements around it hold more text than the one below."""
    alike: Ints
    """How many rows each family has."""
    told: npt.NDArray[np.int64]
    """How many words it has."""


def _down(page: Page, segments: Segments, around: Containers, money: Floats) -> Down:
    size, rows, families = len(segments), len(page), around.families
    sums = np.zeros((5, size + 1), dtype=np.int64)
    _sum(
        sums.data, ints(segments.chars), ints(segments.link_chars), ints(segments.words),
        money.data,
    )  # fmt: skip
    marks, depth = np.zeros((len(_COUNTED_IN), rows + 1), np.int32), np.zeros(rows, np.int32)
    alike, told = np.zeros(families, np.int32), np.zeros(families, np.int64)
    _count_marks(marks.data, tags(page), _MARK.data)
    _count_families(
        alike.data, told.data, depth.data, ints(page.parent), around.low.data, around.high.data,
        around.family.data, sums[_WORDS].data,
    )  # fmt: skip
    return Down(sums, marks, depth, alike, told)


_WORDS: Final = 2
"""Where words are in `Down.sums`."""


def _sum(sums: Any, chars: Any, links: Any, words: Any, money: Any) -> None:
    long = LONG
    for i in range(chars.shape[0]):
        sums[0, i + 1] = sums[0, i] + chars[i]
        sums[1, i + 1] = sums[1, i] + links[i]
        sums[2, i + 1] = sums[2, i] + words[i]
        sums[3, i + 1] = sums[3, i] + (words[i] >= long)
        sums[4, i + 1] = sums[4, i] + (money[i] > 0)


def _count_marks(marks: Any, tag: Any, kinds: Any) -> None:
    for kind in range(marks.shape[0]):
        count = 0
        for row in range(tag.shape[0]):
            count += kinds[tag[row]] == kind
            marks[kind, row + 1] = count


def _count_families(
    alike: Any, told: Any, depth: Any, parent: Any, low: Any, high: Any, family: Any, words: Any
) -> None:
    for row in range(parent.shape[0]):
        start, stop, above = low[row], high[row], parent[row]
        alike[family[row]] += 1
        if start < stop:
            told[family[row]] += words[stop] - words[start]
        if above >= 0:
            grows = 0 < stop - start < high[above] - low[above]
            depth[row] = depth[above] + grows


_MEETINGS: Final = ("head_level", "longest_level", "levels")


def _meetings(out: Floats, page: Page, segments: Segments, around: Containers, down: Down) -> None:
    """The first level whose container holds the page's heading, too, or its longest text."""
    longest = int(np.argmax(segments.chars - 2 * segments.link_chars))
    _meet(out[0].data, _heads(page)[0], around.top.data, ints(page.end))
    _meet(out[1].data, int(segments.first[longest]), around.top.data, ints(page.end))
    out[2] = down.depth.take(segments.block)


def _heads(page: Page) -> tuple[int, int]:
    """The row of the first `<h1>` (-1: there is none), and how many there are."""
    found = np.flatnonzero(page.tag == CODES["h1"])
    return int(found[0]) if len(found) else -1, len(found)


def _meet(out: Any, row: int, top: Any, end: Any) -> None:
    levels = top.shape[0]
    for i in range(out.shape[0]):
        level = 0
        while level < levels and not (top[level, i] <= row < end[top[level, i]]):
            level += 1
        out[i] = level


_GROUP: Final = 3
"""Siblings of one kind from which they are a group."""
_REPEATED: Final = ("group_1", "group_2", "group_3", "in_largest", "largest")


def _repeated(out: Floats, segments: Segments, around: Containers, down: Down) -> None:
    """How much text the elements have together that are repeated as siblings, like cards are; and
    which segments are in the largest such group."""
    whole = max(int(segments.words.sum()), 1)
    out[:3] = (down.told.take(around.family.take(around.each)) / whole).take(around.number[1:4])
    told = np.where(down.alike >= _GROUP, down.told, 0)
    largest = int(np.argmax(told))
    if told[largest]:
        _mark(out[3].data, largest, around.family.data, around.low.data, around.high.data)
    out[4] = told[largest] / whole


def _mark(out: Any, chosen: int, family: Any, low: Any, high: Any) -> None:
    """1 for the segments in the elements of a family."""
    for row in range(family.shape[0]):
        if family[row] == chosen:
            for i in range(low[row], high[row]):
                out[i] = 1


_POSITION: Final = ("place", "chars_before", "from_head", "has_head", "in_run", "from_run")


def _position(out: Floats, page: Page, segments: Segments, around: Containers, down: Down) -> None:
    """Where on the page: against its beginning, its heading, and its best run of text."""
    row, count = _heads(page)
    words = segments.words * (1 - segments.link_chars / np.maximum(segments.chars, 1))
    low, high = maximum(words - LABEL)
    _place(out.data, down.sums[0].data, int(around.low[row]) if count else -1)
    out[3] = count
    out[4, low:high] = 1
    out[5] = beyond(len(segments), low, high) / len(segments)


def _place(out: Any, before: Any, head: int) -> None:
    size = out.shape[1]
    for i in range(size):
        out[0, i] = i / size
        out[1, i] = before[i] / max(before[size], 1)
        if head >= 0:
            out[2, i] = log1p(i - head) if i > head else -log1p(head - i)


_STEPS: Final = (-2, -1, 1, 2)
_WIDTHS: Final = (3, 8)
_NEIGHBOURS: Final = (
    *(f"{name}_at_{step}" for step in _STEPS for name in ("words", "links", "tag", "together")),
    *(f"{name}_near_{width}" for width in _WIDTHS for name in ("words", "links", "long")),
)


def _neighbours(out: Floats, page: Page, segments: Segments, around: Containers) -> None:
    """The segments before and behind: how long, how linked, in which element, and whether in the
    same container; the means of them, some places to both sides."""
    size = len(segments)
    words, links = np.empty(size), np.empty(size)
    _lengths(
        words.data, links.data, ints(segments.words), ints(segments.link_chars),
        ints(segments.chars),
    )  # fmt: skip
    tag, home = ints(page.tag[segments.block]), ints(around.bottom[1])
    for number, step in enumerate(_STEPS):
        part = out[4 * number : 4 * number + 4]
        _look(part.data, step, words.data, links.data, tag, home)
    total = np.zeros((3, size + 1))
    _add_up(total.data, words.data, links.data, ints(segments.words))
    for number, width in enumerate(_WIDTHS):
        start = 4 * len(_STEPS) + 3 * number
        _average(out[start : start + 3].data, width, total.data)


def _lengths(words: Any, links: Any, word_count: Any, link_chars: Any, chars: Any) -> None:
    for i in range(chars.shape[0]):
        words[i] = log1p(word_count[i])
        links[i] = link_chars[i] / max(chars[i], 1)


def _look(out: Any, step: int, words: Any, links: Any, tag: Any, home: Any) -> None:
    """The segment `step` places further on; -1 beyond the ends."""
    size = out.shape[1]
    for i in range(size):
        at = i + step
        if 0 <= at < size:
            out[0, i], out[1, i] = words[at], links[at]
            out[2, i], out[3, i] = tag[at], home[at] == home[i]
        else:
            out[0, i] = out[1, i] = out[2, i] = -1


def _add_up(total: Any, words: Any, links: Any, word_count: Any) -> None:
    long = LONG
    for i in range(words.shape[0]):
        total[0, i + 1] = total[0, i] + words[i]
        total[1, i + 1] = total[1, i] + links[i]
        total[2, i + 1] = total[2, i] + (word_count[i] >= long)


def _average(out: Any, width: int, total: Any) -> None:
    """The means over `width` places to both sides."""
    size = out.shape[1]
    for i in range(size):
        low, high = max(i - width, 0), min(i + width + 1, size)
        for column in range(3):
            out[column, i] = (total[column, high] - total[column, low]) / (high - low)


_SECTIONS: Final = (
    "section_count", "section_words", "section_links", "section_mean", "section_place",
    "section_number",
)  # fmt: skip


def _sections(out: Floats, page: Page, segments: Segments, down: Down) -> None:
    """How much the section holds that begins with the last heading."""
    heads = HEADINGS.take(page.tag.take(segments.block))
    _fill_sections(out.data, heads.view(np.uint8).data, down.sums.data)


def _fill_sections(out: Any, heads: Any, sums: Any) -> None:
    size, start, number = heads.shape[0], 0, 0
    while start < size:
        number += heads[start]
        stop = start + 1
        while stop < size and not heads[stop]:
            stop += 1
        words = sums[2, stop] - sums[2, start]
        for i in range(start, stop):
            out[0, i] = log1p(stop - start)
            out[1, i] = log1p(words)
            out[2, i] = (sums[1, stop] - sums[1, start]) / max(sums[0, stop] - sums[0, start], 1)
            out[3, i] = words / (stop - start)
            out[4, i] = i - start
            out[5, i] = number
        start = stop


_LD_TEXT: Final = re.compile(
    r'"(articleBody|description|text|reviewBody|name)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"'
)
_MARKUP: Final = re.compile(r"<[^<>]*>|&nbsp;|\\[nrt]")
_LD_KINDS: Final = {"articleBody": "body", "text": "body", "reviewBody": "review"}
_START: Final = 4
"""Words by which a segment is recognised in what the page declares."""


_SAID: Final = ("meta", "description", "body", "review")
_DECLARED: Final = (
    *(f"{name}_{kind}" for kind in _SAID for name in ("declared", "page_declared")),
    "declared_name",
)


def _declared(out: Floats, page: Page, segments: Segments) -> None:
    """Whether a segment is in what the page says of itself as data: its description, JSON-LD."""
    said, names = _said_as_data(page)
    starts: list[str] = []
    for number, kind in enumerate(_SAID):
        words = _plain(" ".join(said[kind])).split()
        if words:
            starts = starts or _starts(segments.text)
            known = _runs(words, {start.partition(" ")[0] for start in starts if start})
            out[2 * number] = [start in known for start in starts]
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


def _said_as_data(page: Page) -> tuple[dict[str, list[str]], set[str]]:
    """What the page says, by kind, and the names in it."""
    said: dict[str, list[str]] = {kind: [] for kind in _SAID}
    names = set()
    for row in page.rows(CODES["meta"]):
        if 'escription"' in page.attrs[row]:
            said["meta"].append(html.unescape(attribute(page.attrs[row], ' content="')))
    for form, text in page.scripts:
        if "ld+json" in form:
            for key, value in _LD_TEXT.findall(text):
                if key == "name":
                    names.add(_plain(value))
                else:
                    said[_LD_KINDS.get(key, key)].append(value)
    return said, names


def _runs(words: list[str], firsts: set[str]) -> set[str]:
    """All runs of `_START` words that begin with one of `firsts`."""
    places = [at for at, word in enumerate(words) if word in firsts]
    last = len(words) - _START
    return {" ".join(words[at : at + _START]) for at in places if at <= last}


def _plain(text: str) -> str:
    if "\\" in text:
        text = text.replace('\\"', '"').replace("\\/", "/")
        if "\\u" in text:
            text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    if "&lt;" in text:
        text = html.unescape(text)
    return " ".join(_MARKUP.sub(" ", text).split())


_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


_COUNTED: Final = tuple("p li img form input table article time h1 h2 pre button a video".split())
_PAGE: Final = (
    "page_segments", "page_chars", "page_links", "page_mean_words", "page_long", "page_long_share",
    "page_p_share", "page_hidden", *(f"page_{name}s" for name in _COUNTED),
)  # fmt: skip


def _page(out: Floats, page: Page, segments: Segments) -> None:
    """What the page is like as a whole: the same value for each of its segments."""
    size, long = len(segments), segments.words >= LONG
    chars = max(int(segments.chars.sum()), 1)
    paragraphs = page.tag.take(segments.block) == CODES["p"]
    values = (
        math.log1p(size),
        math.log1p(chars),
        int(segments.link_chars.sum()) / chars,
        int(segments.words.sum()) / size,
        math.log1p(np.count_nonzero(long)),
        int(segments.chars[long].sum()) / chars,
        int(segments.chars[paragraphs].sum()) / chars,
        int(segments.chars[segments.hidden].sum()) / chars,
    )
    out[: len(values)] = np.array(values)[:, None]
    tags = np.bincount(page.tag, minlength=len(NAMES))
    out[len(values) :] = np.log1p(tags[_COUNTED_CODES])[:, None]


_COUNTED_CODES: Final = [CODES[name] for name in _COUNTED]
_GROUPS: Final = (
    _OWN, _LETTERS, _ANCESTORS, _LEVELS, _MEETINGS, _REPEATED, _POSITION, _NEIGHBOURS, _SECTIONS,
    _DECLARED, _PAGE,
)  # fmt: skip
STRUCTURAL: Final = tuple(name for group in _GROUPS for name in group)
"""The names of the columns."""
