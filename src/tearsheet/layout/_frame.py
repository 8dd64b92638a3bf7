"""The sizes of a document's pages: paper, margins, columns."""

from __future__ import annotations

import re
from typing import Final

from tearsheet.errors import InvalidOption
from tearsheet.types import PAPERS, Options

_UNITS: Final = {"mm": 72 / 25.4, "cm": 720 / 25.4, "in": 72.0, "pt": 1.0}
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(mm|cm|in|pt)")
_MEASURE: Final = 34.0
"""Ems in a line: about 75 letters, the upper end of what reads well on paper."""
_HEAD_ROOM: Final = 44.0
"""Points above the text of small paper, so that no printer cuts the running head."""
_LEAST: Final = 3.0
"""Ems: text that has less room stands in single letters."""
_NARROW_MARGIN: Final = 40.0
"""Points beside a table that needs the margins."""


class Frame:
    """The sizes of a document's pages, in points."""

    def __init__(self, options: Options) -> None:
        self.width, self.height = paper(options.paper)
        self.size = options.font_size
        self.columns = max(1, min(options.columns, 4))
        side = min(self.width * 0.085, 51) if self.columns > 1 else self.width * 0.12
        if self.columns == 1:
            side = max(side, (self.width - _MEASURE * options.font_size) / 2)
        margin = length(options.margin)
        self.side = side if margin is None else margin
        self.top = max(min(self.height * 0.085, 72), _HEAD_ROOM) if margin is None else margin
        self.bottom = min(self.height * 0.09, 76) if margin is None else margin
        self.gutter = 2.2 * options.font_size
        inner = self.width - 2 * self.side
        self.column = (inner - self.gutter * (self.columns - 1)) / self.columns
        self.text_height = self.height - self.top - self.bottom
        self._check(options)
        self.widest = self.column
        """The widest table that stands upright: in one column it may use the margins."""
        if self.columns == 1:
            room = self.width - 2 * min(self.side, _NARROW_MARGIN)
            self.widest = max(self.column, room)

    def _check(self, options: Options) -> None:
        """Raises an error if no text would fit."""
        least = _LEAST * self.size
        if options.margin and min(self.width - 2 * self.side, self.text_height) < least:
            raise InvalidOption("margin", options.margin, "one that leaves room for text")
        if self.column < least:
            allowed = "fewer, or smaller type, for paper of this width"
            raise InvalidOption("columns", options.columns, allowed)

    @property
    def letters(self) -> float:
        """About how many letters a page holds."""
        return (
            self.columns * self.column / (0.46 * self.size) * self.text_height / (1.4 * self.size)
        )


def paper(name: str) -> tuple[float, float]:
    """Width and height in points of a paper, by name or by measures."""
    sizes = _LENGTH.findall(name.lower())
    if len(sizes) == 2:
        width, height = (float(number) * _UNITS[unit] for number, unit in sizes)
        return max(width, 140.0), max(height, 140.0)
    return PAPERS.get(name.lower().strip(), PAPERS["a4"])


def length(text: str) -> float | None:
    """A length in points; None for other texts."""
    found = _LENGTH.fullmatch(text.lower().strip())
    return float(found[1]) * _UNITS[found[2]] if found else None
