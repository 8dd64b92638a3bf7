"""A tree as lexbor writes it → the columns of a page, in steps over whole arrays.

In what lexbor writes, `>` stands at the end of a tag and nowhere else, so finding the tags is a
line of NumPy, and every column that depends on nesting is array work: no Python call per node, no
recursion, whatever the depth. `written.py` does the same in one pass where it is compiled; what
does not pair is mended here.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet.page.columns import (
    BEHIND_EIGHT,
    FACTOR,
    NUMBERS,
    SHIFT,
    SLOTS,
    Columns,
    decoded,
    each_once,
)
from tearsheet.tags import BREAKS, NAMES, OTHER, TEXT, VOID
from tearsheet.types import Bools, Ints

Letters: TypeAlias = npt.NDArray[np.uint8]
Positions: TypeAlias = npt.NDArray[np.intp]

# What lexbor writes without escaping: comments, instructions, and the content of some elements.
_OPAQUE: Final = re.compile(
    r"<(?=[!?sinxp])(?:!--.*?--|\?[^>]*|"  # the first letter alone settles most
    r"(s(?:cript|tyle)|no(?:script|embed|frames)|iframe|xmp|plaintext)((?: [^>]*)?)>(.*?)</\1)>",
    re.S,
)
_LESS, _GREATER, _SLASH, _BANG = (ord(sign) for sign in "<>/!")
_IS_VOID: Final = np.array([name in VOID for name in NAMES])
_LENGTHS: Final = np.array([len(name) for name in NAMES])

# Eight letters at once, as a number: the tools to find where a name ends in it.
_EIGHT: Final = np.dtype("<u8")
_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SPACES, _GREATERS = _ONES * np.uint64(ord(" ")), _ONES * np.uint64(_GREATER)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)


def columns(source: str) -> Columns:
    """The columns of a page, whatever its tags are like."""
    source = _OPAQUE.sub(_as_text, source)
    # One byte per character (a `?` for those beyond Latin-1), and room to read eight at the end.
    written = source.encode("latin-1", "replace") + bytes(16)
    letters = np.frombuffer(written, dtype=np.uint8)
    start, stop = _tags(letters)
    closes = letters[start + 1] == _SLASH
    name = start + 1 + closes
    code = _codes(written, name)
    next_start = np.append(start[1:], len(source))
    has_text = next_start > stop + 1

    opens = ~closes
    holds = opens & ~_IS_VOID[code]
    level = _levels(holds, closes)
    openers, closers = _pairs(level, holds, closes)
    if not _match(code, openers, closers):
        holds, closes = _mended(_words(source, name, stop), opens, closes)
        level = _levels(holds, closes)
        openers, closers = _pairs(level, holds, closes)
    rows_after = np.cumsum(opens.view(np.int8) + has_text.view(np.int8), dtype=np.int32)
    elements_after = rows_after - has_text
    breaks_after = np.cumsum(BREAKS[code], dtype=np.int32)

    at, text_at = np.flatnonzero(opens), np.flatnonzero(has_text)
    elements, texts = elements_after[at] - 1, rows_after[text_at] - 1
    count = int(rows_after[-1]) if len(rows_after) else 0
    tag = np.full(count, TEXT, dtype=np.uint8)
    depth, breaks = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    end = np.arange(1, count + 1, dtype=np.int32)
    tag[elements] = code[at]
    depth[elements] = level[at] - holds[at]
    depth[texts] = level[text_at]
    breaks[elements] = breaks_after[at]
    breaks[texts] = breaks_after[text_at]
    end[elements_after[openers] - 1] = elements_after[closers]

    code, begin, close = code[at], name[at], stop[at]
    name_end = begin + _LENGTHS[code]
    names = {}
    for i in np.flatnonzero(code == OTHER).tolist():
        space = source.find(" ", begin[i], close[i])
        name_end[i] = close[i] if space < 0 else space
        names[int(elements[i])] = source[begin[i] : name_end[i]]
    named = name_end < close
    text, attrs = [""] * count, [""] * count
    _fill(text, texts, source, stop[text_at] + 1, next_start[text_at])
    with_attrs = elements[named]
    _fill(attrs, with_attrs, source, name_end[named], close[named])
    _decode(text, texts, source)
    attrs_at, all_attrs = each_once(attrs, with_attrs.tolist())
    return Columns(
        tag, parents(depth), end, depth, breaks, text, attrs, attrs_at, all_attrs, names
    )  # fmt: skip


def _as_text(match: re.Match[str]) -> str:
    """What stands in an opaque element becomes text, as it is in a browser's DOM."""
    name, attrs, content = match.groups()
    if name is None or name in ("script", "style"):
        return ""
    content = content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{name}{attrs}>{content}</{name}>"


def _tags(letters: Letters) -> tuple[Positions, Positions]:
    """Where each tag begins and ends: at the first `<` behind a `>`, at the first `>` behind that.
    (The names of attributes may hold a `<`.) A doctype before them is none.
    """
    marks = np.flatnonzero((letters == _LESS) | (letters == _GREATER))
    is_less = letters[marks] == _LESS
    marks = marks[np.diff(is_less, prepend=False)]
    first = 2 if len(marks) and letters[marks[0] + 1] == _BANG else 0
    last = len(marks) - len(marks) % 2
    return marks[first:last:2], marks[first + 1 : last : 2]


def _codes(written: bytes, start: Positions) -> npt.NDArray[np.uint8]:
    """The code of the name that begins at each `start`."""
    number, long = _eight(written, start)
    if len(long):
        number[long] += _eight(written, start[long] + 8)[0] * BEHIND_EIGHT
    code: npt.NDArray[np.uint8] = SLOTS[number * FACTOR >> SHIFT]
    code[NUMBERS[code] != number] = OTHER
    return code


def _eight(written: bytes, start: Positions) -> tuple[npt.NDArray[np.uint64], Positions]:
    """The letters up to the end of the name as one number, and which names have eight or more.

    The byte of the first space or `>` is found without a loop: subtracting one from a byte borrows
    from its top bit only where it is zero, and the lowest such bit is exact.
    """
    windows = np.ndarray((len(written) - 7,), _EIGHT, written, strides=(1,))
    number = windows[start]
    space, greater = number ^ _SPACES, number ^ _GREATERS
    ends = ((space - _ONES) & ~space | (greater - _ONES) & ~greater) & _TOPS
    first = ends & (~ends + _ONE)
    return number & ((first >> _SEVEN) - _ONE), np.flatnonzero(ends == 0)


def _levels(holds: Bools, closes: Bools) -> Ints:
    """How deep the page is behind each tag."""
    return np.cumsum(holds.view(np.int8) - closes.view(np.int8), dtype=np.int32)


def _match(code: npt.NDArray[np.uint8], openers: Positions, closers: Positions) -> bool:
    """Whether every opening tag has a closing one of its kind behind it."""
    return len(openers) == len(closers) and bool(
        ((code[openers] == code[closers]) & (openers < closers)).all()
    )


def _words(source: str, name: Positions, stop: Positions) -> list[str]:
    return [source[i:j].partition(" ")[0] for i, j in zip(name.tolist(), stop.tolist())]


def _mended(names: list[str], opens: Bools, closes: Bools) -> tuple[Bools, Bools]:
    """Which tags hold others, and which close them, where names are so broken that what was
    written does not pair: a closing tag without an opening one counts for nothing, and an element
    that is never closed holds nothing.
    """
    holds, ends = np.zeros_like(opens), np.zeros_like(closes)
    waiting: dict[str, list[int]] = {}
    stack: list[int] = []
    for i, (name, is_open) in enumerate(zip(names, opens.tolist())):
        if is_open:
            stack.append(i)
            waiting.setdefault(name, []).append(i)
            continue
        if not waiting.get(name):
            continue
        opener = waiting[name][-1]
        while stack[-1] != opener:
            waiting[names[stack.pop()]].pop()
        waiting[names[stack.pop()]].pop()
        holds[opener] = ends[i] = True
    return holds, ends


def _pairs(level: Ints, holds: Bools, closes: Bools) -> tuple[Positions, Positions]:
    """Each opening tag with its closing one: among the tags of one level they alternate."""
    tags = np.flatnonzero(holds | closes)
    ordered = tags[_order((level + closes)[tags])]
    return ordered[::2], ordered[1::2]


def _order(numbers: Ints) -> Positions:
    """The stable order of numbers; small ones are sorted by their digits, which is faster."""
    fits = not len(numbers) or numbers.max() < 2**15
    return np.argsort(numbers.astype(np.int16) if fits else numbers, kind="stable")


def parents(depth: Ints) -> Ints:
    """For each row its parent; -1 for the root. A row that is deeper than the one before is its
    first child; any other has the parent of the last row that was as deep.
    """
    order = _order(depth)
    first = np.diff(depth, prepend=np.int32(-1))[order] > 0
    begins = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    parent = np.empty(len(depth), dtype=np.int32)
    parent[order] = order[begins] - 1
    return parent


def _fill(column: list[str], rows: Ints, source: str, start: Positions, stop: Positions) -> None:
    """Puts what stands from each start to its stop into its row."""
    for row, i, j in zip(rows.tolist(), start.tolist(), stop.tolist()):
        column[row] = source[i:j]


def _decode(column: list[str], rows: Ints, source: str) -> None:
    """Decodes the entities that the serialiser wrote."""
    if "&" not in source:
        return
    for row in rows.tolist():
        text = column[row]
        if "&" in text:
            column[row] = decoded(text)
