"""Code: its text with all white space but without line numbers, and its language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tearsheet.caching import cache_short
from tearsheet.tags import BLOCKS, CODES, NAMES, TEXT
from tearsheet.types import Bools, Page

_BR, _TD = CODES["br"], CODES["td"]
_LINES: Final = frozenset(code for code in range(len(NAMES)) if BLOCKS[code] and code != _TD)
_GUTTER: Final = re.compile(
    r' (?:class|id)="[^"]*(?:line-?num|lineno|\bgutter\b|ln-num|blob-num|\blnt?\b)'
    r"| data-line-number="
)
_LANGUAGE: Final = re.compile(
    r"(?:\blang(?:uage)?-|highlight-source-|\bhighlight-(?!text|default)|brush:\s*)([\w+#.-]+)"
    r'| data-lang(?:uage)?="([\w+#.-]+)"'
    r"|\bsourceCode ([\w+#.-]+)"
)
_NO_LANGUAGE: Final = frozenset("none plaintext plain text nohighlight highlighter default".split())


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


@cache_short(1024)
def _is_gutter(attrs: str) -> bool:
    """Whether an element holds line numbers."""
    return bool(attrs and _GUTTER.search(attrs))


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
    for element in (row, *inside, up, int(page.parent[up])):
        for groups in _LANGUAGE.findall(page.attrs[element]):
            name = str(next(filter(None, groups))).lower()
            if name not in _NO_LANGUAGE:
                return name
    return ""
