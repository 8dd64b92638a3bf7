"""How paragraphs look in a word processor: the table from which DOCX and ODT write their styles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

SERIF, SANS, MONO = "Georgia", "Arial", "Courier New"
SOFT, ACCENT, LINE, WASH = "6B655C", "7A2E20", "B9B2A6", "F4F1EA"
"""Colours."""
INDENT: Final = 18.0
"""Points for each level of a list."""
HEADINGS: Final = (1.44, 1.2, 1.05, 1.0, 1.0, 1.0)
"""Sizes by rank, in ems of plain text."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a style differs from plain text."""

    size: float = 1.0
    """In ems of plain text."""
    family: Literal["", "sans", "mono"] = ""
    colour: str = ""
    bold: bool = False
    italic: bool = False
    left: float = 0.0
    """Points before the text, and after it."""
    right: float = 0.0
    below: float | None = None
    """Points below a paragraph; None: as below plain text."""
    stays: bool = False
    """Whether the next paragraph must begin on the same page."""
    centred: bool = False
    shaded: bool = False
    dense: bool = False
    """Whether lines are closer to each other."""


LOOKS: Final[Mapping[str, Look]] = {
    "title": Look(2.0, bold=True, below=8, stays=True),
    "byline": Look(0.95, italic=True, below=2, stays=True),
    "source": Look(0.72, "sans", SOFT, below=22),
    "quote": Look(colour="3A3733", left=18, right=18),
    "code": Look(0.82, "mono", shaded=True, dense=True),
    "caption": Look(0.8, "sans", SOFT, below=14, dense=True),
    "callout": Look(left=12, right=12, shaded=True),
    "term": Look(bold=True, below=2, stays=True),
    "explained": Look(left=18),
    "missing": Look(0.78, "sans", SOFT, dense=True),
    "rule": Look(colour=SOFT, centred=True),
    "math": Look(italic=True, centred=True),
    "note": Look(0.84, below=3),
    "address": Look(0.72, "sans", SOFT, below=1, dense=True),
}
"""The styles of paragraphs that are neither plain text nor headings."""
CELL: Final = Look(0.82, below=2)
"""A paragraph in a table."""
