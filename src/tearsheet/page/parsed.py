"""HTML → Page, without a browser.

selectolax (lexbor) builds the HTML5 tree, and the core reads the columns from it in one walk. This
is the hot path of the product; `benchmarks/` keeps it honest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias

import numpy as np

from tearsheet import limits
from tearsheet._core import tree
from tearsheet.addresses import drop_password, join_address
from tearsheet.page import spaces
from tearsheet.page.columns import Columns
from tearsheet.page.parser_limits import limit_markup
from tearsheet.tags import CODES
from tearsheet.types import Bools, Page
from tearsheet.writing import unescape

Scripts: TypeAlias = tuple[tuple[str, str], ...]
_STATE: Final = re.compile(r"__[A-Z]+_STATE__[\"']?\]?\s*=\s*(\{.*\})\s*;?", re.S)
_NOSCRIPT: Final = CODES["noscript"]
_TEX_SCRIPT: Final = re.compile(
    rb"<script(?P<attributes>[^<>]{0,200}\bmath/tex[^<>]{0,200})>(?P<tex>[^<]{0,9000}"
    rb"(?:<(?!/script)[^<]{0,9000}){0,50})</script\s*>",
    re.I,
)
_CDATA: Final = re.compile(r"%\s*<!\[CDATA\[|%\s*\]\]>|<!\[CDATA\[|\]\]>")
_MARKUP: Final = re.compile(r"<!--.*?(?:-->|\Z)|<[^>]*+>?", re.S)
_SHELL_NOSCRIPT: Final = 500
"""A `<noscript>` with less text holds a notice or a tracker, not the page."""


_TITLES: Final = (b"<title", b"<TITLE", b"<Title")
_OPEN_TITLE: Final = re.compile(
    rb"<title[^>]*>[^<]*(?=<(?:/head|body|meta|link|script|style|base|h1|div|table|p)[\s>])", re.I
)


def parse(html: str | bytes, url: str | None = None, *, max_nodes: int = limits.PAGE_NODES) -> Page:
    """The page as a table. Bytes must be UTF-8 (`decode.decode` makes them so).

    >>> from tearsheet.tags import NAMES
    >>> page = parse("<p>Hello <b>world</b>")
    >>> [NAMES[code] for code in page.tag]
    ['html', 'head', 'body', 'p', '#text', 'b', '#text']
    """
    body = tree.encode(html) if isinstance(html, str) else html
    body = limit_markup(close_title(body))
    if tree.has_tex_script(body):
        body = _TEX_SCRIPT.sub(_write_math, body)
    columns, scripts = read_columns(body)
    limits.check_nodes(len(columns.tag), max_nodes)
    spaces.add_spaces(columns)
    url = drop_password(url) if url else url
    return freeze(Page(**columns._asdict(), scripts=scripts, url=url, base_url=url))


def close_title(body: bytes) -> bytes:
    """The page with an open `<title>` closed before the next element. A parser would take the rest
    of the page for the title.

    >>> close_title(b"<title>A page<body><p>Hello")
    b'<title>A page</title><body><p>Hello'
    """
    start = next((at for name in _TITLES if (at := body.find(name)) >= 0), -1)
    found = _OPEN_TITLE.match(body, start) if start >= 0 else None
    return body if found is None else body[: found.end()] + b"</title>" + body[found.end() :]


def _write_math(script: re.Match[bytes]) -> bytes:
    """A script that holds TeX as an element that holds it: the table has no scripts."""
    tex = _CDATA.sub("", unescape(script["tex"].decode("utf-8", "replace")))
    display = ' display="block"' if b"display" in script["attributes"] else ""
    return f'<math{display} alttext="{escape(tex.strip())}"></math>'.encode()


def read_columns(body: bytes) -> tuple[Columns, Scripts]:
    """The columns of a page and its data scripts; those of a shell with its `<noscript>` opened."""
    found, data, programs, noscript_size = tree.read(body)
    columns = Columns(*found)
    if noscript_size > _SHELL_NOSCRIPT and _is_shell(columns):
        columns = Columns(*tree.read(body, open_noscript=True)[0])
    return columns, (*data, *_read_states(programs))


def _read_states(programs: Iterable[str]) -> Scripts:
    """The states that scripts set for a page's program: `window.__INITIAL_STATE__ = {…}`."""
    found = (match for text in programs if (match := _STATE.search(text)))
    return tuple(("application/json", match[1].rstrip("; \n\r\t")) for match in found)


def _is_shell(columns: Columns) -> bool:
    """Whether most of the page's text stands in `<noscript>`, as in some forums."""
    inside = np.zeros(len(columns.tag), dtype=np.bool_)
    for row in (columns.tag == _NOSCRIPT).nonzero()[0].tolist():
        inside[row : columns.end[row]] = True
    size = _count_visible(_MARKUP.sub(" ", _join_texts(columns, inside)))
    return size > _SHELL_NOSCRIPT and size > _count_visible(_join_texts(columns, ~inside))


def _join_texts(columns: Columns, chosen: Bools) -> str:
    return "".join([columns.text[row] for row in chosen.nonzero()[0].tolist()])


def _count_visible(text: str) -> int:
    """How many characters of a text are not white space."""
    return len("".join(text.split()))


def freeze(page: Page) -> Page:
    """The page with its addresses checked, its base looked up and its arrays read-only."""
    for column in (page.tag, page.parent, page.end, page.depth, page.breaks, page.attrs_at):
        column.flags.writeable = False
    url = page.url if page.url and join_address(None, page.url) else None
    bases = page.rows(CODES["base"])
    href = next((h for row in bases if (h := page.attribute(row, "href"))), "")
    object.__setattr__(page, "url", url)
    object.__setattr__(page, "base_url", join_address(url, href) or url)
    return page
