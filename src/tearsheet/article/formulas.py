"""Formulas: MathML elements, and the TeX that a page carries for them.

KaTeX, MathJax and MediaWiki draw a formula a second time, in spans or as an image. Only the MathML
counts; the rest of their box is not text. A formula without MathML is known by its TeX: in the
`alt` of a picture, in an attribute of the element that draws it, or as the whole text of an element
that is named so. MathJax's own drawing names the MathML element of each sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple
from unicodedata import normalize
from xml.etree import ElementTree

import numpy as np

from tearsheet.article.mathml import ELEMENTS, to_tex, write_attributes
from tearsheet.features.tex import (
    SOURCES,
    drop_actions,
    image_rows,
    read_element_tex,
    read_image_tex,
    strip_delimiters,
)  # fmt: skip
from tearsheet.segments import find_texts
from tearsheet.tags import CODES, NAMES, OTHER, TEXT
from tearsheet.types import Bools, Clipping, Page

_MATH, _ANNOTATION, _IMG = CODES["math"], CODES["annotation"], CODES["img"]
_BOX: Final = re.compile(r'class="[^"]*(?:\bkatex\b|MathJax|mwe-math-element|\bltx_Math\b)')
_DISPLAYED: Final = re.compile(r' display="block"|display="true"')
_DISPLAY_BOX: Final = re.compile(
    r"katex-display|MathJax_Display|display-?math|mwe-math-.*block|math[- ]display|"
    r'displayed|class="[^"]*\bequation\b'
)
_TEX_TEXT: Final = re.compile(r' class="[^"]*\bmath (?:inline|display)\b')
"""Elements whose whole text is TeX, which a script draws."""
_DRAWING: Final = (*(f" {name}=" for name in SOURCES), ' class="math ', ' jax="')
_DRAWN_BEFORE: Final = re.compile(r' class="[^"]*(?:MathJax|MJX)')
_SHAPE: Final = re.compile(r' data-mml-node="(\w+)"')
_SIGN: Final = re.compile(r'(?: data-c="|\bmjx-c)([0-9A-F]{2,5})\b')
_UNDRAWN: Final = frozenset("nstrut dstrut line surd sop strut mark assistive-mml".split())
"""Parts of MathJax's drawing that have no meaning in a formula."""
_GROUPS: Final = frozenset("script num den TeXAtom texatom base".split())
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
    rows = _candidate_rows(page)
    if not len(rows):
        return {}
    has_text = np.zeros(int(page.breaks.max()) + 1, dtype=np.bool_)
    has_text[page.breaks[text]] = True
    keep = np.concatenate(([False], clipping.verdict.keep, [False]))
    after = segments.first.searchsorted(rows)
    near = has_text[page.breaks[rows]] | keep[after] | keep[after + 1]
    found: dict[int, Formula] = {}
    done = 0
    for row in rows[near].tolist():
        if row < done or (page.tag[row] == _IMG and not read_image_tex(page, row)):
            continue
        formula = _read_formula(page, row)
        if formula is not None:
            found[row] = formula
            done = formula.end
    return found


def _candidate_rows(page: Page) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The rows that may be formulas, in order."""
    rows = {*page.rows(_MATH), *image_rows(page)}
    if named := find_texts(page.all_attrs, _DRAWING):
        math = np.concatenate(([0], np.cumsum(page.tag == _MATH)))
        drawn = np.array(page.rows_with(named), dtype=np.intp)
        rows.update(drawn[math[page.end[drawn]] == math[drawn]].tolist())
    return np.array(sorted(rows), dtype=np.intp)


def _read_formula(page: Page, row: int) -> Formula | None:
    """The formula at a row, if any."""
    box, display = row, bool(_DISPLAYED.search(page.attrs[row]))
    for step, up in enumerate(page.ancestors(row)):
        if step > 4:
            break
        display = display or bool(_DISPLAY_BOX.search(page.attrs[up]))
        if _BOX.search(page.attrs[up]) or page.names.get(up) == "mjx-container":
            box = up
    display = display or bool(_DISPLAY_BOX.search(page.attrs[row]))
    mathml = _write_mathml(page, row) if page.tag[row] == _MATH else _write_drawn(page, row)
    tex, own_line = strip_delimiters(drop_actions(_read_tex(page, row) or to_tex(mathml)))
    if not tex:
        return None
    display = display or own_line or _is_alone(page, box)
    return Formula(tex, mathml, display, _drawn_before(page, box), int(page.end[box]))


def _read_tex(page: Page, row: int) -> str:
    """The TeX that the page gives for a formula."""
    if page.tag[row] == _IMG:
        return read_image_tex(page, row)
    if _TEX_TEXT.search(page.attrs[row]) and _MATH not in page.tag[row : page.end[row]]:
        return page.inner_text(row)
    return (
        _read_annotation(page, row)
        or read_element_tex(page, row)
        or page.attribute(row, "alttext")
        or ""
    )


def _is_alone(page: Page, box: int) -> bool:
    """Whether a paragraph consists of nothing but a picture of a formula."""
    up = int(page.parent[box])
    is_block = up >= 0 and page.tag[up] in (CODES["p"], CODES["center"])
    return bool(page.tag[box] == _IMG and is_block and not page.inner_text(up).strip())


def _drawn_before(page: Page, box: int) -> int:
    """The first row of the drawing that a script put right before the source of a formula."""
    for before in _siblings_before(page, box):
        if page.tag[before] == TEXT and not page.text[before].strip():
            continue
        if not _DRAWN_BEFORE.search(page.attrs[before]):
            break
        box = before
    return box


def _siblings_before(page: Page, row: int) -> Iterator[int]:
    """The elements and texts before a row in the same element, the nearest first."""
    at, up = row - 1, int(page.parent[row])
    while at > up:
        while int(page.parent[at]) != up:
            at = int(page.parent[at])
        yield at
        at -= 1


def _read_annotation(page: Page, row: int) -> str:
    for at in range(row, int(page.end[row])):
        if page.tag[at] == _ANNOTATION and "tex" in page.attrs[at].lower():
            return page.inner_text(at)
    return ""


class _Piece(NamedTuple):
    """A row as MathML: an element, a text, or nothing."""

    name: str = ""
    attributes: str = ""
    text: str | None = None


def _write_mathml(page: Page, row: int) -> str:
    """The element as XML, with only the parts that draw."""
    return _write_rows(page, row, _read_mathml)


def _read_mathml(page: Page, at: int) -> _Piece | None:
    code = int(page.tag[at])
    if code == TEXT:
        return _Piece(text=escape(" ".join(page.text[at].split()), quote=False))
    name = page.names.get(at, "") if code == OTHER else NAMES[code]
    if name in ELEMENTS:
        return _Piece(name, write_attributes(page.attributes(at)))
    return _Piece() if name == "semantics" else None


def _write_drawn(page: Page, row: int) -> str:
    """MathJax's drawing as MathML: the names of its elements tell their meaning."""
    return _write_rows(page, row, _read_drawn) if ' jax="' in page.attrs[row] else ""


def _read_drawn(page: Page, at: int) -> _Piece | None:
    raw = page.attrs[at]
    shape, sign = _SHAPE.search(raw), _SIGN.search(raw)
    name = shape[1] if shape else page.names.get(at, "").removeprefix("mjx-")
    if name in _UNDRAWN:
        return None
    if name in ELEMENTS or name in _GROUPS:
        return _Piece(name if name in ELEMENTS else "mrow")
    drawn = normalize("NFKC", chr(int(sign[1], 16))) if sign else None
    return _Piece(text=escape(drawn, quote=False) if drawn is not None else None)


def _write_rows(page: Page, row: int, read: Callable[[Page, int], _Piece | None]) -> str:
    """An element as XML, without the elements that `read` maps to None and all below them."""
    at, end = row, int(page.end[row])
    if end - row > _MAX_ROWS:
        return ""
    parts: list[str] = []
    open_: list[tuple[int, str]] = []
    while at < end:
        while open_ and open_[-1][0] <= at:
            parts.append(f"</{open_.pop()[1]}>")
        piece = read(page, at)
        if piece is None:
            at = int(page.end[at])
            continue
        if piece.name:
            parts.append(f"<{piece.name}{piece.attributes}>")
            open_.append((int(page.end[at]), piece.name))
        elif piece.text is not None:
            parts.append(piece.text)
        at += 1
    parts += (f"</{name}>" for _, name in reversed(open_))
    return _check_xml("".join(parts)) if len(parts) > 2 else ""


def _check_xml(mathml: str) -> str:
    try:
        ElementTree.fromstring(mathml)  # noqa: S314  what `_write_mathml` wrote: no entities, no DTD
    except ElementTree.ParseError:
        return ""
    return mathml
