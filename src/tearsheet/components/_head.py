"""The head of a page: `<meta>`, `<link>` and JSON-LD, read once for all components.

Names are in lower case; several values of a name keep their order.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tearsheet.json_ld import Node, node_types, read_nodes
from tearsheet.tags import CODES
from tearsheet.types import Page

_META: Final = CODES["meta"]
_LINK: Final = CODES["link"]
_ARTICLE: Final = re.compile(
    r"article$|blogposting$|posting$|report$|recipe$|review$|howto$|newsstory$|creativework$", re.I
)
_USEFUL: Final = ("headline", "author", "datePublished", "dateModified", "articleBody", "image")


@dataclass(frozen=True, slots=True)
class HeadLink:
    """A `<link>` that is neither a style sheet nor a preload."""

    rel: str
    href: str
    media: str
    row: int


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page: `meta` by name, the links, and the objects of JSON-LD."""

    meta: Mapping[str, tuple[str, ...]]
    links: tuple[HeadLink, ...]
    nodes: tuple[Node, ...]
    article: Node
    """The JSON-LD object that describes the article of this page; empty without one."""

    def first(self, *names: str) -> tuple[str, str]:
        """The first value under these names, and its name; two empty strings if nothing is
        declared."""
        for name in names:
            for value in self.meta.get(name, ()):
                if value:
                    return value, name
        return "", ""


def read_head(page: Page) -> Head:
    """The head of a page.

    >>> from tearsheet.page.parsed import parse
    >>> read_head(parse('<meta property="og:title" content="A &amp; B">')).first("og:title")
    ('A & B', 'og:title')
    """
    nodes = tuple(read_nodes(page.scripts))
    return Head(_metas(page), tuple(_links(page)), nodes, _article(nodes))


def _metas(page: Page) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for row in page.rows(_META):
        attrs = page.attributes(row)
        value = attrs.get("content", "").strip()
        for key in ("property", "name", "itemprop", "http-equiv"):
            for name in attrs.get(key, "").lower().split():
                found[name].append(value)
    return {name: tuple(values) for name, values in found.items()}


def _links(page: Page) -> Iterator[HeadLink]:
    for row in page.rows(_LINK):
        if "stylesheet" in page.attrs[row] or "preload" in page.attrs[row]:
            continue
        attrs = page.attributes(row)
        href = attrs.get("href", "").strip()
        if href:
            yield HeadLink(attrs.get("rel", "").lower(), href, attrs.get("media", "").lower(), row)


def _article(nodes: tuple[Node, ...]) -> Node:
    """The object that describes the article: of a fitting type, and with the most useful fields.

    Teasers are objects of the same types, but have fewer fields than the article's own.
    """
    empty: Node = {}
    candidates = [n for n in nodes if any(_ARTICLE.search(name) for name in node_types(n))]
    return max(candidates, key=lambda n: sum(bool(n.get(key)) for key in _USEFUL), default=empty)
