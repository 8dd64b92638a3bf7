"""TeX that a page carries outside of its text: in the `alt` of a picture that shows a formula, or
in an attribute of the element that a script draws one into."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from tearsheet.segments import find_texts
from tearsheet.tags import CODES
from tearsheet.types import Page

_IMG: Final = CODES["img"]
_NAMED: Final = re.compile(
    r' (?:class|src|data-src)="[^"]*(?:latex|mimetex|codecogs|[/.?&]tex[=&?/]|\btex\b|\bmath|'
    r"equation)",
    re.I,
)
"""Names that programs give to pictures of formulas."""
_NAMES: Final = ("tex", "codecogs", "math", "equation")
"""Each of these names has one of these, in any case, and so has each address in `_DRAWN`."""
_COMMAND: Final = re.compile(r"\\[a-zA-Z]{2,}|[\^_]\{|\\[()\[\]]|^\$.+\$$|^\w[\^_]\w$")
_ALT_BEGINS: Final = re.compile(r' alt="(?:\s|&nbsp;)*(?:[\\^_$]|\w[\^_]\w)')
"""The beginning of the description of a picture that is a formula without such a name."""
_HINT: Final = re.compile(r'[\\^$]|_\{| alt="\s*\w_\w\s*"|(?i:tex|math|equation|codecogs)')
"""Texts in the attributes of a picture that may show a formula; most pictures have none."""
_DRAWN: Final = re.compile(r' src="[^"?]*(?:tex|codecogs|math|equation)[^"?]*\?[^"]', re.I)
"""The address of a program that draws the formula in its query."""
_PARAMETER: Final = re.compile(r"(?:^|&)(?:latex|tex|eq|formula|math)=([^&]+)")
_BARE: Final = re.compile(r"[\\^]|_\{")
"""Texts that only a query in TeX contains."""
_LOOK: Final = re.compile(r"\\(?:inline|dpi\{\d+\}|(?:bg|fn)_\w+)\s*")
"""Commands of such programs that are no part of the formula."""
_SIGNS: Final = re.compile(r"[\\^_={}+]|^\w$")
_TEX_ALT: Final = re.compile(r' alt="(?:[^"]*[\\^_={}+$]|(?:\s|&nbsp;)*\w(?:\s|&nbsp;)*")')
"""A description that may be TeX: all that is taken for it has one of these signs, or one letter."""
_DELIMITERS: Final = re.compile(
    r"^\s*(?:\$\$(?P<a>.+)\$\$|\\\[(?P<b>.+)\\\]|\$(?P<c>.+)\$|\\\((?P<d>.+)\\\))\s*$", re.DOTALL
)
_STYLE: Final = re.compile(r"\{\\(?P<style>display|text)style (?P<tex>.*)\}", re.DOTALL)
_LONGEST: Final = 4_000
_ACTS: Final = re.compile(
    r"\\\\|\\(?:href|url|class|cssId|style|bbox|data|html[A-Z]\w*|require|includegraphics|input|include"
    r"|special|write|immediate|openin|openout|read|catcode|csname|usepackage|directlua)(?![a-zA-Z])"
    r"\s*(?:\[[^\[\]]*\])?\s*(?:\{[^{}]*\})?"
)
"""Commands of MathJax, KaTeX or LaTeX that make links, attributes and styles, or read and write
files, each with what it is given; also the end of a line, whose second sign begins no command."""
SOURCES: Final = (
    "data-tex", "data-latex", "data-math", "data-expr", "data-katex", "data-formula",
    "data-equation",
)  # fmt: skip
"""Attributes in which scripts keep the TeX of what they draw."""


def image_rows(page: Page) -> list[int]:
    """The pictures that may show a formula: all of which `read_image_tex` knows one, and others."""
    images = page.rows(_IMG)
    if not _ALT_BEGINS.search("\n".join([page.attrs[row] for row in images])):
        named = set(find_texts(page.all_attrs, _NAMES, any_case=True))
        images = [row for row in images if page.attrs_at.item(row) in named] if named else []
    return images


def read_image_tex(page: Page, row: int) -> str:
    """The TeX of a picture that shows a formula; empty if it shows anything else."""
    attrs = page.attrs[row]
    drawn = "?" in attrs and _DRAWN.search(attrs)
    return _read_alt(page, row) or (
        _read_address(page.attribute(row, "src") or "") if drawn else ""
    )


def _read_alt(page: Page, row: int) -> str:
    """The TeX in the description of a picture."""
    attrs = page.attrs[row]
    if not _TEX_ALT.search(attrs) or not _HINT.search(attrs):
        return ""
    alt = (page.attribute(row, "alt") or "").strip()
    if not alt or len(alt) > _LONGEST:
        return ""
    named = _NAMED.search(attrs)
    is_tex = _COMMAND.search(alt) if not named else _COMMAND.search(alt) or _SIGNS.search(alt)
    return alt if is_tex and (named or _COMMAND.match(alt)) else ""


def _read_address(address: str) -> str:
    r"""The TeX in the address of a picture that a program draws.

    >>> _read_address("https://x.example/latex.php?latex=x%5E2&bg=fff")
    'x^2'
    >>> _read_address(r"https://x.example/png.latex?\inline&space;\frac{1}{2}")
    '\\frac{1}{2}'
    """
    query = address.partition("?")[2]
    given = _PARAMETER.search(query)
    raw = given[1] if given else query if "=" not in query.partition("\\")[0] else ""
    tex = _LOOK.sub("", unquote(raw.replace("+", " ") if given else raw).replace("&space;", " "))
    sure = _SIGNS if given else _BARE
    return tex.strip() if len(tex) <= _LONGEST and sure.search(tex.strip()) else ""


def read_element_tex(page: Page, row: int) -> str:
    """The TeX in an attribute of an element that shows a formula."""
    attrs = page.attributes(row)
    return next((attrs[name].strip() for name in SOURCES if attrs.get(name, "").strip()), "")


def drop_actions(tex: str) -> str:
    r"""The TeX without commands that do more than draw, in any program.

    >>> drop_actions(r"x^\href{javascript:alert(1)}{2} \\class")
    'x^ {2} \\\\class'
    >>> drop_actions(r"\hr\url{a}ef{b}{c}")
    '\\hr ef{b}{c}'
    """
    return _ACTS.sub(lambda found: found[0] if found[0] == r"\\" else " ", tex)


def strip_delimiters(tex: str) -> tuple[str, bool]:
    r"""TeX without the signs around it, and whether these set it on a line of its own.

    >>> strip_delimiters(r"\[x^2\]"), strip_delimiters(r"{\displaystyle b}")
    (('x^2', True), ('b', False))
    """
    found = _DELIMITERS.match(tex)
    display = bool(found and (found["a"] or found["b"]))
    tex = next(filter(None, found.groups())) if found else tex
    wrapped = _STYLE.fullmatch(tex.strip())
    return " ".join((wrapped["tex"] if wrapped else tex).split()), display
