"""Code: its text with all white space but without line numbers, and its language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tearsheet.caching import cache_short
from tearsheet.segments import find_texts
from tearsheet.tags import BLOCKS, CODES, NAMES, TEXT
from tearsheet.types import Bools, Ints, Page

_BR, _TD = CODES["br"], CODES["td"]
_LINES: Final = frozenset(code for code in range(len(NAMES)) if BLOCKS[code] and code != _TD)
_GUTTER: Final = re.compile(
    r' (?:class|id)="[^"]*(?:line-?num|lineno|\bgutter\b|ln-num|blob-num|\blnt?\b)'
    r"| data-line-number="
)
_EDITORS: Final = ("CodeMirror", "cm-editor", "cm-content")
_EDITOR: Final = re.compile(rf' class="(?:[^"]*\s)?(?:{"|".join(_EDITORS)})(?:-code)?[\s"]')
CODE_LINES: Final = ("CodeMirror-line", "view-line", "cm-line", "code-line")
"""Names of elements that each hold one line of code."""
_CODE_LINE: Final = re.compile(rf' class="[^"]*\b(?:{"|".join(CODE_LINES)})(?:[\s"])')
_LANGUAGE: Final = re.compile(
    r"(?:\blang(?:uage)?[-:]|highlight-source-|gatsby-code-|\bhighlight-(?!text|default)|\bsrc-(?=\w)|brush:\s*)"
    r"([\w+#.-]+)"
    r'| (?:data-(?:[a-z]+-)?)?lang(?:uage)?="([\w+#.-]+)"'
    r"|\bsourceCode ([\w+#.-]+)"
)
_NO_LANGUAGE: Final = frozenset(
    "none plaintext plain text txt nohighlight no-highlight highlighter default plaintext auto "
    "copy code container generic".split()
)
_CLASS: Final = re.compile(r' class="([^"]*)"')
_CODE_NAME: Final = re.compile(
    r"code|highlight|hljs|prettyprint|listing|syntax|snippet|example|src"
)
LANGUAGES: Final = frozenset(
    "abap ada apache apl applescript asciidoc asm assembly awk bash basic bat batch bibtex c "
    "c# c++ clojure cmake cobol coffeescript console cpp crystal csharp css csv cuda cython d "
    "dart diff docker dockerfile dos elixir elm erlang f# fish fortran fsharp gherkin glsl go "
    "golang gradle graphql groovy haml handlebars haskell hcl html http ini java javascript "
    "js json json5 jsx julia kotlin latex less lisp log lua make makefile markdown "
    "mathematica matlab mermaid mysql nasm nginx nim nix objc objective-c objectivec ocaml "
    "octave pascal perl pgsql php plsql postgresql powershell prolog properties proto "
    "protobuf ps1 pug puppet py python python3 r racket razor regex rest rst ruby rust sass "
    "scala scheme scss sh shell shell-session smalltalk solidity sql stylus svelte swift tcl "
    "terraform tex toml ts tsx twig typescript vb vbnet verilog vhdl vim vue wasm wgsl xaml "
    "xhtml xml xquery yaml yml zig zsh".split()
)
"""Names of languages that may stand alone, as a class or in a bar above the code."""


_TONGUE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,4})*")
_LINE_NUMBER: Final = re.compile(r"\d{1,9}")
_CODE_TAGS: Final = frozenset(CODES[name] for name in "pre code".split())


def is_gutter_text(text: str) -> bool:
    """Whether a listing consists only of the line numbers of another.

    >>> is_gutter_text("1\\n2\\n3"), is_gutter_text("1\\n7")
    (True, False)
    """
    lines = text.split()
    if len(lines) < 2 or not all(map(_LINE_NUMBER.fullmatch, lines)):
        return False
    numbers = list(map(int, lines))
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def read_code(page: Page, row: int, tag: Sequence[int], kept: Bools) -> str:
    """The kept text below a `pre`, with line breaks as a reader sees them."""
    parts: list[str] = []
    at, end, text = row + 1, int(page.end[row]), page.text
    while at < end:
        code = tag[at]
        if code == TEXT:
            if kept[at] or text[at].isspace():
                parts.append(text[at])
        elif code == _BR:
            parts.append("\n")
        elif _is_gutter(page.attrs[at]):
            at = int(page.end[at])
            continue
        elif code in _LINES and parts and not parts[-1].endswith("\n"):
            parts.append("\n")
        at += 1
    return "".join(parts).replace("\r", "").strip("\n").rstrip()


def read_editor(page: Page, row: int, tag: Sequence[int], kept: Bools) -> str:
    """The code that an editor shows: its lines are elements, and empty ones hold no text."""
    inside = range(row + 1, int(page.end[row]))
    lines = (read_code(page, at, tag, kept) for at in inside if is_code_line(page.attrs[at]))
    return "\n".join(lines).strip("\n")


@cache_short(1024)
def is_code_line(attrs: str) -> bool:
    """Whether an element is a line of code."""
    return bool(attrs and _CODE_LINE.search(attrs))


@cache_short(1024)
def _is_gutter(attrs: str) -> bool:
    """Whether an element holds line numbers."""
    return bool(attrs and _GUTTER.search(attrs))


def find_editors(page: Page, count: Ints) -> frozenset[int]:
    """The outermost boxes of kept text in which an editor shows code, a line in each element.

    `count` counts the kept rows before each row.
    """
    attrs = page.all_attrs
    named = [i for i in find_texts(attrs, _EDITORS) if _EDITOR.search(attrs[i])]
    found: set[int] = set()
    done = 0
    for row in page.rows_with(named):
        if row >= done and count[page.end[row]] > count[row]:
            found.add(row)
            done = int(page.end[row])
    return frozenset(found)


def find_inner_language(page: Page, row: int) -> str:
    """The language that an editor or an element inside it names."""
    inside = range(row + 1, int(page.end[row]))
    named = (row, *(at for at in inside if "language=" in page.attrs[at]))
    return next(filter(None, (find_language(page, at) for at in named)), "")


def is_listing(page: Page, rows: list[int]) -> bool:
    """Whether a table with these rows shows code beside its line numbers."""
    cells = [row for row in rows[:12] if page.tag[row] == _TD][:4]
    return any(_is_gutter(page.attrs[row]) for row in cells)


def find_language(page: Page, row: int) -> str:
    """The language that the element, its `code` or the boxes around it name.

    >>> from tearsheet.page.parsed import parse
    >>> find_language(parse('<pre><code class="hljs language-python">x'), 3)
    'python'
    """
    up = int(page.parent[row])
    inside = [row + 1] if row + 1 < page.end[row] else []
    places = [row, *inside, up, int(page.parent[up]) if up >= 0 else -1]
    for element in (place for place in places if place >= 0):
        raw = page.attrs[element]
        named = (str(next(filter(None, groups))).lower() for groups in _LANGUAGE.findall(raw))
        name = next((name for name in named if _is_language(name)), "") or _bare_name(page, element)
        if name:
            return name
    return ""


def _is_language(name: str) -> bool:
    """Whether a name may be that of a programming language; `lang="en-GB"` is of another kind."""
    return name not in _NO_LANGUAGE and (name in LANGUAGES or not _TONGUE.fullmatch(name))


def _bare_name(page: Page, row: int) -> str:
    """The language that a class of code names without any prefix: `highlight python`."""
    match = _CLASS.search(page.attrs[row]) if page.attrs[row] else None
    if match is None:
        return ""
    names = match[1].casefold().split()
    is_code = page.tag[row] in _CODE_TAGS or any(map(_CODE_NAME.search, names))
    return next((name for name in names if is_code and name in LANGUAGES), "")
