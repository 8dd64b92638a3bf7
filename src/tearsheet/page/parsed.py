"""HTML → Page, without a browser.

Lexbor (through selectolax) builds the HTML5 tree. Where Python is compiled, the columns are read
from it in one walk (`tree.pyx`). What cannot be read so, and all where nothing is compiled, lexbor
writes out again, and the columns are read off that: in one pass (`written.py`), or in steps over
whole arrays (`arrays.py`). This is the hot path of the product; `benchmarks/` keeps it honest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tearsheet import limits
from tearsheet.addresses import join_address
from tearsheet.page import arrays, spaces, written
from tearsheet.page.columns import Columns
from tearsheet.page.parser_limits import limit_markup
from tearsheet.tags import CODES
from tearsheet.types import Page

try:
    from tearsheet._core import tree
except ImportError:  # it is not compiled, or selectolax's library cannot be asked
    tree = None  # type: ignore[assignment]
try:
    from tearsheet._core import utf8
except ImportError:
    utf8 = None  # type: ignore[assignment]

Scripts: TypeAlias = tuple[tuple[str, str], ...]
_STATE: Final = re.compile(r"__[A-Z]+_STATE__[\"']?\]?\s*=\s*(\{.*\})\s*;?", re.S)
_NOSCRIPT: Final = re.compile(r"<noscript(?: [^>]*)?>(.*?)</noscript>", re.S)
_NOSCRIPT_CODE: Final = CODES["noscript"]
_MARKUP: Final = re.compile(r"<!--.*?-->|<[^>]*>", re.S)
_SHELL_NOSCRIPT: Final = 500
"""With fewer characters of text a `<noscript>` holds a notice or a tracker, not the page."""


def parse(html: str | bytes, url: str | None = None, *, max_nodes: int = limits.PAGE_NODES) -> Page:
    """The page as a table. Bytes must be UTF-8 (`decode.text` makes them so).

    >>> from tearsheet.tags import NAMES
    >>> page = parse("<p>Hello <b>world</b>")
    >>> [NAMES[code] for code in page.tag]
    ['html', 'head', 'body', 'p', '#text', 'b', '#text']
    """
    body = limit_markup(_encoded(html) if isinstance(html, str) else html)
    columns, scripts = _walked(body) or _read(body)
    limits.check_nodes(len(columns.tag), max_nodes)
    spaces.space(columns)
    return freeze(Page(**columns._asdict(), scripts=scripts, url=url, base_url=url))


def _encoded(html: str) -> bytes:
    return html.encode("utf-8", "ignore") if utf8 is None else utf8.encoded(html)


def _walked(body: bytes) -> tuple[Columns, Scripts] | None:
    """The columns and the data of a page from lexbor's tree itself; None where it must be written,
    as that of a page that may be a shell."""
    if tree is None or not tree.AVAILABLE:
        return None
    found = tree.read(body)
    if found is None:
        return None
    columns, data, programs, unscripted = found
    if unscripted > _SHELL_NOSCRIPT and _unscripted(columns) > _SHELL_NOSCRIPT:
        return None
    return columns, (*data, *_states(programs))


def _read(body: bytes) -> tuple[Columns, Scripts]:
    """The columns and the data of a page from its tree as lexbor writes it."""
    tree = LexborHTMLParser(body, scripting=True)
    found = tree.css("script[type*=json], template")
    scripts = tuple(_data(node) for node in found if node.tag == "script")
    templates = len(scripts) < len(found)
    if b"_STATE__" in body:
        programs = tree.css("script:not([src]):not([type*=json])")
        scripts += _states(node.text() for node in programs)
    source = _written(tree)
    if templates:
        source = _without_templates(tree)
    del tree, found
    columns = _columns(source)
    if _is_shell(source, columns):
        columns = _columns(_NOSCRIPT.sub(_shown, source))
    return columns, scripts


def _data(script: LexborNode) -> tuple[str, str]:
    """The type and the text of a script that holds data and no program."""
    return (script.attributes.get("type") or "").lower(), script.text()


def _states(programs: Iterable[str]) -> Scripts:
    """The states that scripts give to a page's program: `window.__INITIAL_STATE__ = {…}`."""
    found = (match for text in programs if (match := _STATE.search(text)))
    return tuple(("application/json", match[1].rstrip("; \n\r\t")) for match in found)


def _written(tree: LexborHTMLParser) -> str:
    """The tree as HTML without programs and styles."""
    tree.strip_tags(["script", "style"])
    return tree.html or ""


def _without_templates(tree: LexborHTMLParser) -> str:
    """The tree as HTML without templates but shadow roots: those are drawn where they stand."""
    for template in tree.css("template:not([shadowrootmode])"):
        template.decompose()
    source = tree.html or ""
    return source.replace("<template ", "<div ").replace("</template>", "</div>")


def _columns(source: str) -> Columns:
    return (written.columns(source) if written.COMPILED else None) or arrays.columns(source)


def _is_shell(source: str, found: Columns) -> bool:
    """True when most of the page's text stands in `<noscript>` (some forums do so)."""
    within = _unscripted(found)
    return within > _SHELL_NOSCRIPT and within > _length(_NOSCRIPT.sub("", source))


def _unscripted(found: Columns) -> int:
    """How many characters of text stand in `<noscript>`, roughly."""
    tops = (found.tag == _NOSCRIPT_CODE).nonzero()[0].tolist()
    held = "".join([text for top in tops for text in found.text[top : found.end[top]]])
    return _length(held) if len(held) > _SHELL_NOSCRIPT else 0


def _length(markup: str) -> int:
    """How many characters of text stand in a piece of HTML, roughly."""
    return len("".join(_MARKUP.sub(" ", markup).split()))


def _shown(match: re.Match[str]) -> str:
    """The content of a `<noscript>` as markup of the page."""
    tree = LexborHTMLParser(match[1], is_fragment=True, scripting=True)
    source = _written(tree)
    return f"<div>{_without_templates(tree) if '<template' in source else source}</div>"


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
