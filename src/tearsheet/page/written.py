# cython: boundscheck=False, wraparound=False
"""A tree as lexbor writes it → the columns of a page, in one pass over its tags.

This is for the compiler; `arrays.py` does the same in steps over whole arrays, which is faster
where Python is interpreted. Both rest on what lexbor writes: `>` stands at the end of a tag and
nowhere else, four entities, and every element closed that is not void.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tearsheet import tags
from tearsheet.page import tag_flags
from tearsheet.page.columns import BEHIND_EIGHT, FACTOR, NUMBERS, SLOTS, Columns, decoded
from tearsheet.tags import NAMES

COMPILED: Final = not __file__.endswith(".py")

TEXT, OTHER = tags.TEXT, tags.OTHER
_LETTERS_A_ROW: Final = 40
"""Real pages have about 65; there is room for more rows when they are needed."""
_BREAKING, _VOID = tag_flags.BREAKING, tag_flags.VOID
_OPAQUE, _PROGRAM = tag_flags.OPAQUE, tag_flags.PROGRAM


def columns(source: str) -> Columns | None:
    """The columns of a page; None where its tags do not pair."""
    return _Reader(source).columns()


class _Reader:
    """The state of the pass."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.room = len(source) // _LETTERS_A_ROW + 16
        self.numbers_of: Any = NUMBERS
        self.slots: Any = SLOTS
        self.meaning: Any = tag_flags.FLAGS
        self.factor = int(FACTOR)
        self.behind_eight = int(BEHIND_EIGHT)
        self.tag: Any = np.empty(self.room, dtype=np.uint8)
        self.ints: Any = np.empty((5, self.room), dtype=np.int32)
        """Parent, end, depth, breaks and which attributes."""
        self.text: list[str] = []
        self.attrs: list[str] = []
        self.names: dict[int, str] = {}
        self.all_attrs: list[str] = [""]
        self.known: dict[str, int] = {"": 0}
        """Where the different attributes stand there."""
        self.stack: Any = np.empty(self.room, dtype=np.int32)
        """The rows of the open elements, and in `numbers` the numbers of their names."""
        self.numbers: Any = np.empty(self.room, dtype=np.uint64)
        self.level = self.row = self.breaks = 0
        self.within = -1
        self.behind = 0
        self.waiting: list[str] = []
        """The pieces of a text that may go on behind a comment."""

    def columns(self) -> Columns | None:
        if not self.read():
            return None
        count = self.row
        parent, end, depth, breaks, attrs_at = np.asarray(self.ints)[:, :count].copy()
        tag = np.asarray(self.tag)[:count].copy()
        return Columns(
            tag, parent, end, depth, breaks, self.text,
            self.attrs, attrs_at, self.all_attrs, self.names,
        )  # fmt: skip

    def read(self) -> bool:
        """Whether all tags paired."""
        source, size = self.source, len(self.source)
        at = source.find("<")  # what stands before the first tag is no text
        start = at if at >= 0 else size
        while start + 1 < size:
            sign = source[start + 1]
            at = self.skip(start) if sign == "!" or sign == "?" else self.tag_at(start)
            if at < 0:
                return False
            if at < size and source[at] == "<":
                start = at
                continue
            start = source.find("<", at)
            if start < 0:
                start = size
            if start > at and self.row:
                self.waiting.append(source[at:start])
        self.flush()
        return self.level == 0 and start == size

    def skip(self, start: int) -> int:
        """Where a comment, doctype or instruction is over; -1 if it never is."""
        if self.source.startswith("<!--", start):
            stop = self.source.find("-->", start + 4)
            return stop + 3 if stop >= 0 else -1
        stop = self.source.find(">", start)
        return stop + 1 if stop >= 0 else -1

    def tag_at(self, start: int) -> int:
        """Reads a tag; where it is over, with what its element holds where that is opaque."""
        source = self.source
        closes = source[start + 1] == "/"
        name = start + 1 + closes
        number = self.number_at(name)
        behind = self.behind
        stop = behind
        if behind >= len(source) or source[behind] != ">":
            stop = source.find(">", behind)
        if stop < 0:
            return -1
        code = self.slots[(number * self.factor) >> 48]
        if self.numbers_of[code] != number:
            code = OTHER
        meaning = self.meaning[code]
        if meaning & _PROGRAM and not closes:
            return self.end_of(code, stop)
        if self.waiting:
            self.flush()
        self.breaks += meaning & _BREAKING
        if closes:
            return stop + 1 if self.close(number) else -1
        if code == OTHER:
            self.names[self.row] = source[name:behind]
        self.add(code, "", self.number_of(source[behind:stop]) if behind < stop else 0)
        if meaning & _VOID:
            return stop + 1
        self.open(number)
        return self.raw(code, stop + 1) if meaning & _OPAQUE else stop + 1

    def number_of(self, attrs: str) -> int:
        """Equal attributes are one string, with one number: a long page has them often."""
        number = self.known.setdefault(attrs, len(self.all_attrs))
        if number == len(self.all_attrs):
            self.all_attrs.append(attrs)
        return number

    def number_at(self, name: int) -> int:
        """The name that begins there as a number; `behind` is where it is over."""
        i, size, shift, number, more = name, len(self.source), 0, 0, 0
        while i < size:
            sign = self.source[i]
            if sign == " " or sign == ">":
                break
            letter = ord(sign) & 255
            if i - name < 8:
                number |= letter << shift
            elif i - name < 16:
                more |= letter << shift
            shift = (shift + 8) & 63
            i += 1
        self.behind = i
        return number + more * self.behind_eight

    def end_of(self, code: int, start: int) -> int:
        """Where the closing tag of a program is over; -1 if it has none."""
        ending = f"</{NAMES[code]}>"
        stop = self.source.find(ending, start)
        return stop + len(ending) if stop >= 0 else -1

    def raw(self, code: int, start: int) -> int:
        """Takes what an opaque element holds as its text; where its closing tag begins."""
        stop = self.source.find(f"</{NAMES[code]}>", start)
        if stop > start:
            self.add(TEXT, self.source[start:stop], 0)
        return stop if stop >= 0 else start

    def flush(self) -> None:
        """The text before a tag becomes a row."""
        if self.waiting:
            text = "".join(self.waiting)
            self.waiting.clear()
            self.add(TEXT, decoded(text) if "&" in text else text, 0)

    def add(self, code: int, text: str, attrs: int) -> None:
        row = self.row
        if row == self.room:
            self.grow()
        self.tag[row] = code
        self.ints[0, row], self.ints[1, row] = self.within, row + 1
        self.ints[2, row], self.ints[3, row] = self.level, self.breaks
        self.ints[4, row] = attrs
        self.text.append(text)
        self.attrs.append(self.all_attrs[attrs])
        self.row = row + 1

    def grow(self) -> None:
        """Room for twice as many rows; no more elements than rows are ever open."""
        more = self.room
        self.tag = np.concatenate((self.tag, np.empty(more, dtype=np.uint8)))
        self.ints = np.concatenate((self.ints, np.empty((5, more), dtype=np.int32)), axis=1)
        self.stack = np.concatenate((self.stack, np.empty(more, dtype=np.int32)))
        self.numbers = np.concatenate((self.numbers, np.empty(more, dtype=np.uint64)))
        self.room += more

    def open(self, number: int) -> None:
        """The last row goes on until its closing tag."""
        self.within = self.row - 1
        self.stack[self.level], self.numbers[self.level] = self.within, number
        self.level += 1

    def close(self, number: int) -> bool:
        """The innermost element is over, if that is what the tag says."""
        if not self.level or self.numbers[self.level - 1] != number:
            return False
        self.ints[1, self.within] = self.row
        self.level -= 1
        self.within = self.stack[self.level - 1] if self.level else -1
        return True
