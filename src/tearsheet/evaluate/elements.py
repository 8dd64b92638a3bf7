"""Tables, listings of code, quotes and callouts of real pages: are they found whole?

A label names an element of the page as `table:3`, the fourth `<table>`; what must be found is read
from that element itself, with a parser of its own. Each figure is a share per labelled element:

- tables: cells that are in one table of the article, in order;
- listings: 1 if a listing has the same lines, white space included, but for spaces at their ends;
- quotes and callouts: 1 if a block of its own has the same words, nine in ten of them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.components._compare import only_letters
from tearsheet.prose import plain_text
from tearsheet.types import Callout, Code, Quote, Table

_SAME: Final = 0.9
"""Share of words that a quote has in common with the labelled one."""
_WORD: Final = re.compile(r"\w+")


@dataclass(slots=True)
class Elements:
    """The elements of a page or an article, in the form that is compared."""

    tables: list[list[str]] = field(default_factory=list)
    listings: list[str] = field(default_factory=list)
    quotes: list[list[str]] = field(default_factory=list)


def share_found(part: str, html: str, labels: Iterable[str], found: Elements) -> float:
    """The mean share of the labelled elements of a page that was found."""
    tree = LexborHTMLParser(html)
    shares = [_MEASURES[part](_find_element(tree, label), found) for label in labels]
    return sum(shares) / max(len(shares), 1)


def _find_element(tree: LexborHTMLParser, label: str) -> LexborNode:
    tag, _, number = label.partition(":")
    return tree.css(tag)[int(number)]


def _share_of_cells(element: LexborNode, found: Elements) -> float:
    wanted = _read_cells(element)
    return max((_in_order(wanted, cells) for cells in found.tables), default=0.0)


def _in_order(wanted: list[str], found: list[str]) -> float:
    same = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in same) / max(len(wanted), 1)


def _has_lines(element: LexborNode, found: Elements) -> float:
    return float(_read_lines(element) in found.listings)


def _has_quote(element: LexborNode, found: Elements) -> float:
    wanted = _words(element.text(separator=" "))
    alike = (SequenceMatcher(None, wanted, words, autojunk=False) for words in found.quotes)
    return float(any(match.ratio() >= _SAME for match in alike))


_MEASURES: Final[Mapping[str, Callable[[LexborNode, Elements], float]]] = {
    "tables": _share_of_cells,
    "listings": _has_lines,
    "quotes": _has_quote,
}


def _read_cells(element: LexborNode) -> list[str]:
    cells = (only_letters(cell.text(separator=" ")) for cell in element.css("td, th, cell"))
    return list(filter(None, cells))


def _read_lines(element: LexborNode) -> str:
    for line_break in element.css("br, lb"):
        line_break.replace_with("\n")
    return trim_lines(element.text())


def trim_lines(text: str) -> str:
    """A listing without spaces at the ends of lines, and without blank lines around it.

    >>> trim_lines("\\n  a \\n b\\n\\n")
    '  a\\n b'
    """
    lines = [line.rstrip() for line in text.replace("\xa0", " ").split("\n")]
    return "\n".join(lines).strip("\n")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def read_article(article: Article | None) -> Elements:
    """The elements of one of our articles."""
    found = Elements()
    for block in walk_blocks(article.blocks) if article else ():
        if isinstance(block, Table):
            cells = (only_letters(plain_text(cell.blocks)) for row in block.rows for cell in row)
            found.tables.append(list(filter(None, cells)))
        elif isinstance(block, Code):
            found.listings.append(trim_lines(block.text))
        elif isinstance(block, Quote):
            found.quotes.append(_words(plain_text(block.blocks)))
        elif isinstance(block, Callout):
            label = "".join(run.text for run in block.label)
            found.quotes.append(_words(f"{label} {plain_text(block.blocks)}"))
    return found


def read_readability(html: str) -> Elements:
    """The elements in readability-lxml's result, by tags."""
    from readability import Document

    logging.getLogger("readability").setLevel(logging.CRITICAL)
    return _read_tags(Document(html).summary(), "pre", "blockquote, aside")


def read_trafilatura(html: str) -> Elements:
    """The elements in trafilatura's XML, by tags."""
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    xml = trafilatura.extract(html, output_format="xml", include_formatting=True) or ""
    # An HTML parser throws unknown elements out of a `<table>`.
    return _read_tags(re.sub(r"<(/?)table\b", r"<\1section", xml), "code", "quote")


def _read_tags(markup: str, listing: str, quote: str) -> Elements:
    tree = LexborHTMLParser(markup)
    tables = tree.css("table") or [node for node in tree.css("section") if node.css("cell")]
    return Elements(
        [_read_cells(table) for table in tables],
        [_read_lines(node) for node in tree.css(listing)],
        [_words(node.text(separator=" ")) for node in tree.css(quote)],
    )


PEERS: Final[Mapping[str, Callable[[str], Elements]]] = {
    "trafilatura": read_trafilatura,
    "readability-lxml": read_readability,
}
