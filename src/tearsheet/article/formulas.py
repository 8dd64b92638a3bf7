"""Formulas: MathML elements, and the TeX that most of them carry.

KaTeX, MathJax and MediaWiki draw a formula a second time, in spans or as an image. Only the MathML
counts; the rest of their box is not text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Final
from xml.etree import ElementTree

import numpy as np

from tearsheet.article.mathml import ELEMENTS, to_tex, write_attributes
from tearsheet.tags import CODES, NAMES, OTHER, TEXT
from tearsheet.types import Bools, Clipping, Page

_MATH, _ANNOTATION = CODES["math"], CODES["annotation"]
_BOX: Final = re.compile(r'class="[^"]*(?:\bkatex\b|MathJax|mwe-math-element|\bltx_Math\b)')
_DISPLAYED: Final = re.compile(r' display="block"|display="true"')
_DISPLAY_BOX: Final = re.compile(r"katex-display|MathJax_Display|display-?math|mwe-math-.*block")
_STYLE: Final = re.compile(r"\{\\(?:display|text)style (.*)\}", re.DOTALL)
_MAX_ROWS: Final = 4000


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula and the rows `first:end` of the box that draws it."""

    tex: str
    mathml: str
    display: bool
    first: int
    end: int


def find_formulas(clipping: Clipping, text: Bools) -> dict[int, Formula]:
    """The formulas on a line of kept text or next to one, by row."""
    page, segments = clipping.page, clipping.segments
    rows = np.flatnonzero(page.tag == _MATH)
    if not len(rows):
        return {}
    lines = page.breaks[np.flatnonzero(text)]
    keep = np.concatenate(([False], clipping.verdict.keep, [False]))
    after = np.searchsorted(segments.first, rows)
    near = np.isin(page.breaks[rows], lines) | keep[after] | keep[after + 1]
    found: dict[int, Formula] = {}
    done = 0
    for row in rows[near].tolist():
        if row >= done:
            found[row] = formula = _read_formula(page, row)
            done = formula.end
    return found


def _read_formula(page: Page, row: int) -> Formula:
    box, display = row, bool(_DISPLAYED.search(page.attrs[row]))
    for step, up in enumerate(page.ancestors(row)):
        if step > 4:
            break
        display = display or bool(_DISPLAY_BOX.search(page.attrs[up]))
        if _BOX.search(page.attrs[up]) or page.names.get(up) == "mjx-container":
            box = up
    mathml = _write_mathml(page, row)
    tex = _read_annotation(page, row) or page.attribute(row, "alttext") or to_tex(mathml)
    wrapped = _STYLE.fullmatch(tex.strip())
    tex = " ".join((wrapped[1] if wrapped else tex).split())
    return Formula(tex, mathml, display, box, int(page.end[box]))


def _read_annotation(page: Page, row: int) -> str:
    for at in range(row, int(page.end[row])):
        if page.tag[at] == _ANNOTATION and "tex" in page.attrs[at].lower():
            return page.inner_text(at)
    return ""


def _write_mathml(page: Page, row: int) -> str:
    """The element as XML, with nothing but what draws."""
    end = int(page.end[row])
    if end - row > _MAX_ROWS:
        return ""
    parts: list[str] = []
    open_: list[tuple[int, str]] = []
    at = row
    while at < end:
        while open_ and open_[-1][0] <= at:
            parts.append(f"</{open_.pop()[1]}>")
        code = int(page.tag[at])
        name = page.names.get(at, "") if code == OTHER else NAMES[code]
        if code == TEXT:
            parts.append(escape(" ".join(page.text[at].split()), quote=False))
        elif name in ELEMENTS:
            parts.append(f"<{name}{write_attributes(page.attributes(at))}>")
            open_.append((int(page.end[at]), name))
        elif name != "semantics":
            at = int(page.end[at])
            continue
        at += 1
    parts += (f"</{name}>" for _, name in reversed(open_))
    return _check_xml("".join(parts)) if len(parts) > 2 else ""


def _check_xml(mathml: str) -> str:
    try:
        ElementTree.fromstring(mathml)  # noqa: S314  what `_write_mathml` wrote: no entities, no DTD
    except ElementTree.ParseError:
        return ""
    return mathml
