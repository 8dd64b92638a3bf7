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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.features.subsequence import maximum
from tearsheet.remember import remembered
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, HEADINGS, NAMES, mask
from tearsheet.types import Bools, Floats, Ints, Page, Segments

LEVELS: Final = 6
"""How many containers around a segment are looked at."""
LONG: Final = 15
"""Words from which a segment counts as a sentence rather than a label."""
LABEL: Final = 6.0
"""Words below which a segment speaks against the run of text it stands in."""
_AROUND: Final = tuple(
    "nav header footer aside main article section form table ul ol li dl figure blockquote button"
    " label a details pre h1 h2 h3 h4 p td th dialog address figcaption code span b strong".split()
)
_WORDS: Final = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}(?![a-z])")
_DIGITS: Final = re.compile("[0-9]+")
_TOKENS: Final = re.compile(r"\w+")
SHORT: Final = 12
"""Words up to which a segment is looked at as a label ("Share", "Related stories")."""

Vocabulary: TypeAlias = Mapping[str, float]
Column: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The containers around each segment, level by level, and what they are called."""

    top: Ints
    """For each level and segment: the outermost element with the same text."""
    bottom: Ints
    """For each level and segment: the innermost one."""
    low: Ints
    """For each page row: how many segments begin before it."""
    high: Ints
    """For each page row: how many segments begin before its end."""
    rows: Ints
    """The elements that hold segments and have attributes."""
    names: list[list[str]]
    """The words that elements are called here (class, id, role, label and the like), each once."""
    called: Ints
    """For each of `rows`: the number of its name."""
    kind: Ints
    """For each page row: a number that rows of equal tag and class share."""
    family: Ints
    """For each page row: a number that children of one parent with equal tag and class share."""
    copy: Ints
    """For each segment: the number of its text, equal for equal texts."""
    nth: Ints
    """For each segment: how many with the same text come before it."""


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


def containers(page: Page, segments: Segments) -> Containers:
    """Level 0 is the segment's own block; each further level the next one with more segments."""
    begun = np.concatenate(([0], np.cumsum(np.bincount(segments.first, minlength=len(page)))))
    low, high = begun[:-1], begun[page.end]
    count = high - low
    above = np.maximum(page.parent, 0)
    top: Column = np.where(
        (count[above] == count) & (page.parent >= 0), above, np.arange(len(page))
    )
    while True:
        further = top[top]
        if np.array_equal(further, top):
            break
        top = further
    bottoms = np.empty((LEVELS, len(segments)), dtype=np.int32)
    tops = np.empty_like(bottoms)
    bottoms[0], tops[0] = segments.block, top[segments.block]
    for level in range(1, LEVELS):
        bottoms[level] = above[tops[level - 1]]
        tops[level] = top[bottoms[level]]
    attrs = page.attrs
    rows = [row for row in np.flatnonzero(count).tolist() if attrs[row]]
    names, called, classes = _called([attrs[row] for row in rows])
    kind = page.tag.astype(np.int32)
    kind[rows] += classes * 256
    _, family = np.unique(
        (page.parent.astype(np.int64) + 1) * (len(page) * 256) + kind, return_inverse=True
    )
    return Containers(
        tops, bottoms, low, high, np.array(rows, np.int32), names, called, kind, family,
        *_copies(segments.text),
    )  # fmt: skip


_NAMING: Final = re.compile(
    r' (?:class|id|role|itemprop|itemtype|aria-label|data-testid)="([^"]*)"'
)


def _called(attrs: list[str]) -> tuple[list[list[str]], Ints, Ints]:
    """The words of the different names of elements with these attributes; for each element the
    number of its name, and of its class with the digits left out."""
    different = {raw: i for i, raw in enumerate(dict.fromkeys(attrs))}
    element = np.array([different[raw] for raw in attrs], dtype=np.int32)
    names = [" ".join(_NAMING.findall(raw)) for raw in different]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    called = np.array([numbers[name] for name in names], dtype=np.int32)
    words = [name_words(name) for name in numbers]
    return words, called[element], _classes(list(different))[element]


def _classes(attrs: list[str]) -> Ints:
    """The number of each element's class with the digits left out; 0: it has none."""
    values = [_value(raw, ' class="') for raw in attrs]
    bare = {value: _DIGITS.sub("", value) for value in dict.fromkeys(values)}
    numbers = {name: i for i, name in enumerate(dict.fromkeys(("", *bare.values())))}
    return np.array([numbers[bare[value]] for value in values], dtype=np.int32)


def _value(raw: str, opening: str) -> str:
    start = raw.find(opening)
    if start < 0:
        return ""
    start += len(opening)
    return raw[start : raw.find('"', start)]


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


def _copies(texts: list[str]) -> tuple[Ints, Ints]:
    """For each text its number, equal for equal texts, and how many equal ones came before."""
    numbers = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    copy = np.array([numbers[text] for text in texts], dtype=np.int32)
    if len(numbers) == len(texts):
        return copy, np.zeros_like(copy)
    order = np.argsort(copy, kind="stable")
    starts = np.flatnonzero(np.diff(copy[order], prepend=-1))
    nth = np.empty_like(copy)
    nth[order] = np.arange(len(copy)) - np.repeat(starts, np.diff(starts, append=len(copy)))
    return copy, nth


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
        "from_run": _beyond(order, low, high) / size,
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


def sections(page: Page, segments: Segments) -> Column:
    """For each segment how many headings have begun."""
    return np.cumsum(HEADINGS[page.tag[segments.block]])


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
            said["meta"].append(html.unescape(_value(page.attrs[row], ' content="')))
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


def context(page: Page, segments: Segments, around: Containers, score: Floats) -> dict[str, Column]:
    """The columns of the second pass: what the first one said of the neighbours, the containers,
    the segments of the same make, and the page."""
    words = segments.words.astype(np.float64)
    columns: dict[str, Column] = {"score": score}
    columns |= {f"score_at_{step}": shifted(score, step) for step in (-3, -2, -1, 1, 2, 3)}
    low, high = _bounds(len(score), np.array(_WIDTHS)[:, None])
    columns |= _said_before("near", _WIDTHS, score, words, low, high)
    low, high = around.low[around.top], around.high[around.top]
    columns |= _said_before("in", range(LEVELS), score, words, low, high)
    for level in (0, 1, 2):
        columns[f"score_alike_{level}"] = _mean_by(around.family[around.top[level]], score, words)
    kind = around.kind[around.bottom[:2]].astype(np.int64)
    for name, group in (("kind", kind[0]), ("kind_in", kind[0] << 32 | kind[1])):
        columns[f"score_{name}"] = _mean_by(np.unique(group, return_inverse=True)[1], score)
    section = sections(page, segments)
    columns["score_section"] = _mean_by(section, score)
    columns["kept_section"] = _mean_by(section, score, words)
    columns |= _among_copies(around.copy, score)
    columns |= _against_page(score, words)
    columns["score_head"] = np.append(score, -1.0)[_last_head(page, segments)[0]]
    columns["score_chief"] = np.append(score, -1.0)[_last_head(page, segments, _CHIEF)[0]]
    first = score[around.low[around.top[1:4]]]
    return columns | {f"score_first_{level}": row for level, row in enumerate(first, 1)}


def _among_copies(copy: Ints, score: Floats) -> dict[str, Column]:
    """The best score of all segments with the same text, and the place of this one among them."""
    order = np.lexsort((-score, copy))
    starts = np.flatnonzero(np.diff(copy[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    best, place = np.empty(len(order)), np.empty(len(order))
    best[order] = np.repeat(score[order[starts]], sizes)
    place[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    return {"copies_best": best, "copies_place": place}


_WIDTHS: Final = (2, 5, 12)


def _said_before(
    place: str, names: Iterable[int], score: Floats, words: Column, low: Column, high: Column
) -> dict[str, Column]:
    """The mean score over some ranges of segments: weighted by words, and not."""
    total_words, total_score = _summed_real(words), _summed_real(score)
    total_kept = _summed_real(words * score)
    kept = (total_kept[high] - total_kept[low]) / np.maximum(
        total_words[high] - total_words[low], 1
    )
    mean = (total_score[high] - total_score[low]) / np.maximum(high - low, 1)
    columns = {f"kept_{place}_{name}": row for name, row in zip(names, kept)}
    return columns | {f"score_{place}_{name}": row for name, row in zip(names, mean)}


def choose(score: Column, words: Column, beta: float = 1.0) -> tuple[Bools, float]:
    """The segments that maximise the expected F-measure, and its expectation.

    With p the share of a segment's words that are content, keeping the segments with the highest p
    is best; how many is found by trying all. (For F1 the border is half of the result.)

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([10, 10, 10]))[0].tolist()
    [True, False, True]
    """
    order = np.argsort(-score, kind="stable")
    right = np.cumsum((score * words)[order])
    taken = np.cumsum(words[order])
    gain = (1 + beta**2) * right / np.maximum(taken + beta**2 * right[-1], 1e-9)
    best = int(np.argmax(gain))
    keep = np.zeros(len(score), dtype=np.bool_)
    keep[order[: best + 1]] = True
    return keep, float(gain[best])


def _against_page(score: Floats, words: Column) -> dict[str, Column]:
    size = len(score)
    kept, expected = choose(score, words)
    order = np.arange(size)
    chosen = np.flatnonzero(kept)
    low, high = maximum((score - expected / 2) * words)
    rank = np.empty(size)
    rank[np.argsort(-score, kind="stable")] = order
    return {
        "expected": np.full(size, expected),
        "over": score - expected / 2,
        "mass": np.full(size, (score * words).sum() / max(words.sum(), 1)),
        "kept": np.full(size, kept.mean()),
        "from_kept": _beyond(order, int(chosen[0]), int(chosen[-1]) + 1) / size,
        "in_best": (order >= low) & (order < high),
        "from_best": _beyond(order, low, high),
        "rank": rank / size,
        "from_peak": order - int(np.argmax(score * words)),
    }


def _beyond(order: npt.NDArray[np.intp], low: int, high: int) -> npt.NDArray[np.intp]:
    """How far each place is outside of low:high; negative before it."""
    return np.where(order < low, order - low, np.where(order >= high, order - high + 1, 0))


def _mean_by(
    group: Column, score: Floats, words: npt.NDArray[np.float64] | None = None
) -> npt.NDArray[np.float64]:
    """For each segment the mean score of the segments in its group; groups are small numbers."""
    weight = np.ones(len(score)) if words is None else words
    total = np.maximum(np.bincount(group, weights=weight), 1)
    means: Column = (np.bincount(group, weights=score * weight) / total)[group]
    return means


def _summed_real(column: Column) -> npt.NDArray[np.float64]:
    return np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))


def _bounds(size: int, width: int | Column) -> tuple[Column, Column]:
    """The range of `width` places to both sides of each place."""
    order = np.arange(size)
    return np.maximum(order - width, 0), np.minimum(order + width + 1, size)


def shifted(column: Column, step: int) -> npt.NDArray[np.float32]:
    """The column as seen `step` places further on; -1 beyond the ends."""
    moved = np.full(len(column), -1, dtype=np.float32)
    if abs(step) < len(column):
        if step > 0:
            moved[:-step] = column[step:]
        else:
            moved[-step:] = column[:step]
    return moved


def _window(column: Column, width: int) -> Column:
    """The mean of the column over `width` places to both sides."""
    total = _summed_real(column)
    low, high = _bounds(len(column), width)
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


_TYPE: Final = re.compile(r'"@type"\s*:\s*"([A-Za-z]+)"')


def page_tokens(page: Page) -> list[str]:
    """What a page says of itself: words of its address, `og:type`, JSON-LD types, body classes."""
    path = (page.url or "").partition("//")[2].partition("/")[2].lower()
    tokens = ["url:" + word for word in re.findall(r"[a-z]{2,}", path)[:12]]
    tokens.append(f"depth:{min(path.strip('/').count('/') + (path.strip('/') != ''), 5)}")
    tokens += ("digits",) if any(sign.isdigit() for sign in path) else ()
    for row in np.flatnonzero(page.tag == CODES["meta"]).tolist():
        if '="og:type"' in page.attrs[row]:
            tokens.append("og:" + _value(page.attrs[row], ' content="').lower())
    for kind, text in page.scripts:
        if "ld+json" in kind:
            tokens += ("ld:" + name for name in _TYPE.findall(text))
    for row in np.flatnonzero(mask("body", "main", "article")[page.tag])[:4].tolist():
        tokens += ("body:" + word for word in name_words(_value(page.attrs[row], ' class="')))
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


def name_words(name: str) -> list[str]:
    """The words of a class or id, in lower case.

    >>> name_words("article-body mainText c4")
    ['article', 'body', 'main', 'text']
    """
    return [word for part in name.split() for word in _part_words(part)]


@remembered(1 << 15)
def _part_words(part: str) -> tuple[str, ...]:
    """The words of one name; the same names are on many pages."""
    if part.isascii() and part.isalpha() and part.islower() and len(part) > 1:
        return (part,)
    return tuple(word.lower() for word in _WORDS.findall(part))


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
    head, since = _last_head(page, segments)
    columns: dict[str, Column] = {"since_head": np.log1p(since)}
    for name in ("said_whole", "said_mean"):
        value = np.append(said[name], 0.0)
        columns[f"{name}_head"] = value[head]
        first = value[around.low[around.top[1:5]]]
        columns |= {f"{name}_first_{level}": row for level, row in enumerate(first, 1)}
    columns["head_tag"] = np.append(page.tag[segments.block], 0)[head]
    chief, since = _last_head(page, segments, _CHIEF)
    columns["said_mean_chief"] = np.append(said["said_mean"], 0.0)[chief]
    columns["said_whole_chief"] = np.append(said["said_whole"], 0.0)[chief]
    columns["since_chief"] = np.log1p(since)
    return columns


_CHIEF: Final = mask("h1", "h2")


def _last_head(page: Page, segments: Segments, kinds: Bools = HEADINGS) -> tuple[Column, Column]:
    """For each segment the last heading before it (-1: none), and how many segments ago."""
    order = np.arange(len(segments))
    heads = np.where(kinds[page.tag[segments.block]], order, -1)
    before = np.concatenate(([-1], np.maximum.accumulate(heads)[:-1]))
    return before, order - before


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
