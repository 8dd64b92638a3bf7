"""Page, Segments → the evidence that the default engine weighs: named columns, one row a segment.

It unites what the papers look at: length and link density (boilerpipe), text against structure
(density, text-to-tag ratio), position and containers (CLG), class names (Readability), and the
neighbours of all of these (MSS, the Article Clipper). Everything is relative to *containers*: the
elements around a segment that hold more text than the one below, so that wrapping a page in
further elements changes nothing.

All columns are array work over the page's table; only the words of attributes and of short texts
are looked at one by one, and each different string once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.features.containers import (
    LEVELS,
    Column,
    Containers,
    attribute,
    beyond,
    bounds,
    sections,
    shifted,
    summed_real,
)
from tearsheet.features.subsequence import maximum
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, NAMES, mask
from tearsheet.types import Floats, Ints, Page, Segments

LONG: Final = 15
"""Words from which a segment counts as a sentence rather than a label."""
LABEL: Final = 6.0
"""Words below which a segment speaks against the run of text it stands in."""
_AROUND: Final = tuple(
    "nav header footer aside main article section form table ul ol li dl figure blockquote button"
    " label a details pre h1 h2 h3 h4 p td th dialog address figcaption code span b strong".split()
)


def structural(page: Page, segments: Segments, around: Containers) -> dict[str, Column]:
    """The columns that need no learned vocabulary."""
    letters = _letters(segments)
    columns = _own(segments, around) | letters
    columns |= _ancestors(page, segments, around)
    columns |= _levels(page, segments, around, letters["money"] > 0)
    columns |= _position(page, segments)
    columns |= _neighbours(page, segments, around)
    columns |= _sections(page, segments)
    columns |= _declared(page, segments)
    columns |= _page(page, segments)
    return columns


def table(columns: Mapping[str, Column]) -> Floats:
    """Columns as one array, a row for each of them."""
    found = np.empty((len(columns), len(next(iter(columns.values())))), dtype=np.float32)
    for row, column in zip(found, columns.values()):
        row[:] = column
    return found


def _own(segments: Segments, around: Containers) -> dict[str, Column]:
    chars = segments.chars
    return {
        "chars": np.log1p(chars),
        "words": np.log1p(segments.words),
        "link_ratio": segments.link_chars / np.maximum(chars, 1),
        "word_length": chars / np.maximum(segments.words, 1),
        "repeats": np.log2(np.bincount(around.copy))[around.copy],
        "earlier": np.log1p(around.nth),
        "hidden": segments.hidden,
    }


# Classes of letters: 1 capital, 2 digit, 3 comma, 4 end of sentence, 5 other sign, 6 money.
_CLASS: Final = np.zeros(0x10000, dtype=np.uint8)
for _code in range(0x3000):
    _sign = chr(_code)
    _CLASS[_code] = (
        1
        if _sign.isupper()
        else 2
        if _sign.isdigit()
        else 0
        if _sign.isalnum() or _sign == " "
        else 5
    )
for _kind, _signs in ((3, ",،、，;；"), (4, ".!?。！？…؟।"), (6, "$€£¥₹₽")):
    _CLASS[[ord(_sign) for _sign in _signs]] = _kind


def _letters(segments: Segments) -> dict[str, Column]:
    joined = "\n".join(segments.text).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(joined, dtype=np.uint32)
    kinds = _CLASS[np.minimum(codes, 0xFFFF)]
    starts = np.concatenate(([0], np.cumsum(segments.chars[:-1] + 1)))
    ends = starts + segments.chars - 1
    chars = np.maximum(segments.chars, 1)
    columns: dict[str, Column] = {
        "first_kind": kinds[starts],
        "last_kind": kinds[ends],
        "ends_colon": codes[ends] == ord(":"),
    }
    for kind, name in ((1, "capitals"), (2, "digits"), (3, "commas"), (4, "stops"), (5, "signs")):
        found = np.add.reduceat(kinds == kind, starts, dtype=np.int32)
        columns[name] = found / chars
        if kind in (3, 4):
            columns[f"{name}_count"] = np.minimum(found, 20)
    columns["money"] = np.add.reduceat(kinds == 6, starts, dtype=np.int32)
    return columns


_AROUND_CODES: Final = np.full(len(NAMES), len(_AROUND), dtype=np.intp)
_AROUND_CODES[[CODES[name] for name in _AROUND]] = np.arange(len(_AROUND))


def _ancestors(page: Page, segments: Segments, around: Containers) -> dict[str, Column]:
    """How many elements of each kind stand around a segment."""
    kinds = _AROUND_CODES[page.tag]
    rows = np.flatnonzero((kinds < len(_AROUND)) & (around.low < around.high))
    shape = (len(_AROUND), len(segments) + 1)
    place = kinds[rows] * shape[1]
    change = np.bincount(place + around.low[rows], minlength=shape[0] * shape[1])
    change -= np.bincount(place + around.high[rows], minlength=shape[0] * shape[1])
    depth = np.cumsum(change.reshape(shape), axis=1)[:, :-1]
    return {f"in_{name}": row for name, row in zip(_AROUND, depth)} | {
        "block_tag": page.tag[segments.block],
        "parent_tag": page.tag[page.parent[segments.first]],
    }


def _levels(page: Page, segments: Segments, around: Containers, money: Column) -> dict[str, Column]:
    """What each container holds: how much text, how linked, how repeated among its siblings."""
    top = around.top
    low, high, end = around.low[top], around.high[top], page.end[top]
    count = np.maximum(high - low, 1)
    chars = _within(segments.chars, low, high)
    alike = np.bincount(around.family)
    found = {
        "count": np.log1p(count),
        "chars": np.log1p(chars),
        "links": _within(segments.link_chars, low, high) / np.maximum(chars, 1),
        "mean_words": _within(segments.words, low, high) / count,
        "long": _within(segments.words >= LONG, low, high) / count,
        "alike": np.log2(alike[around.family[top]]),
        "tag": page.tag[around.bottom],
        "money": np.log1p(_within(money, low, high)),
        "place": (np.arange(len(segments)) - low) / count,
        "share": chars / max(int(segments.chars.sum()), 1),
    } | {name: np.log1p(_within(kind[page.tag], top, end)) for name, kind in _COUNT_IN.items()}
    columns = {
        f"{name}_{level}": row for name, rows in found.items() for level, row in enumerate(rows)
    }
    columns["head_level"] = _meeting(page, around, np.flatnonzero(page.tag == CODES["h1"])[:1])
    longest = np.argmax(segments.chars - 2 * segments.link_chars)
    columns["longest_level"] = _meeting(page, around, segments.first[longest : longest + 1])
    columns["levels"] = _level_depth(page, around)[segments.block]
    return columns | _groups(page, segments, around, alike)


def _groups(page: Page, segments: Segments, around: Containers, alike: Column) -> dict[str, Column]:
    """How much text the elements have together that are repeated as siblings, like cards are; and
    which segments are in the largest such group."""
    words = np.bincount(around.family, weights=_within(segments.words, around.low, around.high))
    whole = max(int(segments.words.sum()), 1)
    columns: dict[str, Column] = {
        f"group_{level}": words[around.family[around.top[level]]] / whole for level in (1, 2, 3)
    }
    repeated = np.where(alike >= _GROUP, words, 0)
    largest = int(np.argmax(repeated))
    inside = rows_within(page, around.family == largest)[segments.first]
    return columns | {
        "in_largest": inside if repeated[largest] else np.zeros(len(segments), np.bool_),
        "largest": np.full(len(segments), repeated[largest] / whole),
    }


_GROUP: Final = 3
"""Siblings of one kind from which they are a group."""


def _within(column: Column, low: Ints, high: Ints) -> Column:
    """The sums of the column from `low` to `high`."""
    total = np.zeros(len(column) + 1, dtype=np.int64)
    np.cumsum(column, out=total[1:])
    sums: Column = total[high] - total[low]
    return sums


_COUNT_IN: Final = {
    "images": mask("img", "picture"),
    "heads": mask("h1", "h2", "h3", "h4", "h5", "h6"),
    "times": mask("time"),
    "controls": mask("button", "input", "select", "textarea"),
}


def _meeting(page: Page, around: Containers, rows: Column) -> Column:
    """For each segment: the first level whose container holds that row, too; LEVELS if none."""
    if not len(rows):
        return np.full(around.top.shape[1], LEVELS)
    holds = (around.top <= rows[0]) & (rows[0] < page.end[around.top])
    return np.where(holds.any(axis=0), holds.argmax(axis=0), LEVELS)


def _summed(column: Column) -> npt.NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(column, dtype=np.int64)))


def _level_depth(page: Page, around: Containers) -> Ints:
    """For each row: how many of the elements around it hold more text than the one below."""
    count = around.high - around.low
    above = np.maximum(page.parent, 0)
    grows = (count[above] > count) & (count > 0)
    change = np.bincount(np.flatnonzero(grows), minlength=len(page) + 1)
    change -= np.bincount(page.end[grows], minlength=len(page) + 1)
    return np.cumsum(change)[:-1].astype(np.int32)


def _position(page: Page, segments: Segments) -> dict[str, Column]:
    size = len(segments)
    order = np.arange(size)
    before = _summed(segments.chars)
    heads = np.flatnonzero(page.tag == CODES["h1"])
    from_head = np.zeros(size)
    if len(heads):
        at = np.searchsorted(segments.first, heads[0])
        from_head = order - at
    words = segments.words * (1 - segments.link_chars / np.maximum(segments.chars, 1))
    low, high = maximum(words - LABEL)
    return {
        "place": order / size,
        "chars_before": before[:-1] / max(int(before[-1]), 1),
        "from_head": np.sign(from_head) * np.log1p(np.abs(from_head)),
        "has_head": np.full(size, len(heads)),
        "in_run": (order >= low) & (order < high),
        "from_run": beyond(order, low, high) / size,
    }


def _neighbours(page: Page, segments: Segments, around: Containers) -> dict[str, Column]:
    words = np.log1p(segments.words)
    links = segments.link_chars / np.maximum(segments.chars, 1)
    tags = page.tag[segments.block]
    home = around.bottom[1]
    columns: dict[str, Column] = {}
    for step in (-2, -1, 1, 2):
        columns[f"words_at_{step}"] = shifted(words, step)
        columns[f"links_at_{step}"] = shifted(links, step)
        columns[f"tag_at_{step}"] = shifted(tags, step)
        columns[f"together_at_{step}"] = shifted(home, step) == home
    for width in (3, 8):
        columns[f"words_near_{width}"] = _window(words, width)
        columns[f"links_near_{width}"] = _window(links, width)
        columns[f"long_near_{width}"] = _window(segments.words >= LONG, width)
    return columns


def _sections(page: Page, segments: Segments) -> dict[str, Column]:
    """How much the section holds that begins with the last heading."""
    section = sections(page, segments)
    size = np.bincount(section)
    words = np.bincount(section, weights=segments.words)
    chars = np.maximum(np.bincount(section, weights=segments.chars), 1)
    found = {
        "section_count": np.log1p(size),
        "section_words": np.log1p(words),
        "section_links": np.bincount(section, weights=segments.link_chars) / chars,
        "section_mean": words / np.maximum(size, 1),
    }
    order = np.arange(len(section)) - np.concatenate(([0], np.cumsum(size)[:-1]))[section]
    return {name: column[section] for name, column in found.items()} | {
        "section_place": order,
        "section_number": section,
    }


_LD_TEXT: Final = re.compile(
    r'"(articleBody|description|text|reviewBody|name)"\s*:\s*"((?:[^"\\]|\\.)*)"'
)
_MARKUP: Final = re.compile(r"<[^<>]*>|&nbsp;|\\[nrt]")
_LD_KINDS: Final = {"articleBody": "body", "text": "body", "reviewBody": "review"}
_START: Final = 4
"""Words by which a segment is recognised in what the page declares."""


def _declared(page: Page, segments: Segments) -> dict[str, Column]:
    """Whether a segment is in what the page says of itself as data: its description, JSON-LD."""
    said: dict[str, list[str]] = {"meta": [], "description": [], "body": [], "review": []}
    names = set()
    for row in np.flatnonzero(page.tag == CODES["meta"]).tolist():
        if 'escription"' in page.attrs[row]:
            said["meta"].append(html.unescape(attribute(page.attrs[row], ' content="')))
    for kind, text in page.scripts:
        if "ld+json" in kind:
            for key, value in _LD_TEXT.findall(text):
                if key == "name":
                    names.add(_plain(value))
                else:
                    said[_LD_KINDS.get(key, key)].append(value)
    size = len(segments)
    columns: dict[str, Column] = {}
    starts = [tuple(text.split(None, _START)[:_START]) for text in segments.text]
    for kind, values in said.items():
        words = _plain(" ".join(values)).split()
        found = np.zeros(size, dtype=np.bool_)
        if words:
            known = set(zip(*(words[i:] for i in range(_START))))
            found[:] = [start in known for start in starts]
        columns[f"declared_{kind}"] = found
        columns[f"page_declared_{kind}"] = np.full(size, np.log1p(len(words)))
    named = [text in names for text in segments.text] if names else np.zeros(size)
    return columns | {"declared_name": np.asarray(named)}


def _plain(text: str) -> str:
    if "\\" in text:
        text = text.replace('\\"', '"').replace("\\/", "/")
        if "\\u" in text:
            text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    if "&lt;" in text:
        text = html.unescape(text)
    return " ".join(_MARKUP.sub(" ", text).split())


_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


def _window(column: Column, width: int) -> Column:
    """The mean of the column over `width` places to both sides."""
    total = summed_real(column)
    low, high = bounds(len(column), width)
    means: Column = (total[high] - total[low]) / (high - low)
    return means


_COUNTED: Final = tuple("p li img form input table article time h1 h2 pre button a video".split())


def _page(page: Page, segments: Segments) -> dict[str, Column]:
    """What the page is like as a whole: the same value for each of its segments."""
    size = len(segments)
    chars = max(int(segments.chars.sum()), 1)
    tags = np.bincount(page.tag, minlength=len(NAMES))
    values = {
        "page_segments": np.log1p(size),
        "page_chars": np.log1p(chars),
        "page_links": segments.link_chars.sum() / chars,
        "page_mean_words": segments.words.mean(),
        "page_long": np.log1p(np.count_nonzero(segments.words >= LONG)),
        "page_long_share": segments.chars[segments.words >= LONG].sum() / chars,
        "page_p_share": segments.chars[page.tag[segments.block] == CODES["p"]].sum() / chars,
        "page_hidden": segments.chars[segments.hidden].sum() / chars,
    } | {f"page_{name}s": np.log1p(tags[CODES[name]]) for name in _COUNTED}
    return {name: np.full(size, value) for name, value in values.items()}
