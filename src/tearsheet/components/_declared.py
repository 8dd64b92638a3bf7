"""What a page says about itself in its head: `<meta>`, `<link>` and JSON-LD, read once.

The title, the metadata and the two kinds of links all ask here. Names are lower case; the first
of several values comes first.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tearsheet.tags import CODES
from tearsheet.types import Page

Node = Mapping[str, Any]

_META: Final = CODES["meta"]
_LINK: Final = CODES["link"]
_MAX_NODES: Final = 2_000  # of JSON-LD: a shop's page lists thousands of offers
_ARTICLE: Final = re.compile(
    r"article$|blogposting$|posting$|report$|recipe$|review$|howto$|newsstory$|creativework$", re.I
)
_COMMENT: Final = re.compile(r"^\s*(?:<!--|//<!\[CDATA\[|/\*<!\[CDATA\[\*/)|(?:-->|//\]\]>)\s*$")
_TRAILING_COMMA: Final = re.compile(r",\s*([}\]])")
_USEFUL: Final = ("headline", "author", "datePublished", "dateModified", "articleBody", "image")


@dataclass(frozen=True, slots=True)
class Link:
    rel: str
    href: str
    media: str
    row: int


@dataclass(frozen=True, slots=True)
class Declared:
    """The head of a page: `meta` by name, the links that have a meaning, the JSON-LD nodes."""

    meta: Mapping[str, tuple[str, ...]]
    links: tuple[Link, ...]
    nodes: tuple[Node, ...]
    article: Node
    """The JSON-LD node that describes the article of this page; empty when there is none."""

    def first(self, *names: str) -> tuple[str, str]:
        """The first value there is under these names, and the name; two empty strings if none."""
        for name in names:
            for value in self.meta.get(name, ()):
                if value:
                    return value, name
        return "", ""


def declared(page: Page) -> Declared:
    """What the head of the page says.

    >>> from tearsheet.page.parsed import parse
    >>> declared(parse('<meta property="og:title" content="A &amp; B">')).first("og:title")
    ('A & B', 'og:title')
    """
    nodes = tuple(_nodes(page))
    return Declared(_metas(page), tuple(_links(page)), nodes, _article(nodes))


def _metas(page: Page) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for row in page.rows(_META):
        attrs = page.attributes(row)
        value = attrs.get("content", "").strip()
        for key in ("property", "name", "itemprop", "http-equiv"):
            for name in attrs.get(key, "").lower().split():
                found[name].append(value)
    return {name: tuple(values) for name, values in found.items()}


def _links(page: Page) -> Iterator[Link]:
    for row in page.rows(_LINK):
        if "stylesheet" in page.attrs[row] or "preload" in page.attrs[row]:
            continue
        attrs = page.attributes(row)
        href = attrs.get("href", "").strip()
        if href:
            yield Link(attrs.get("rel", "").lower(), href, attrs.get("media", "").lower(), row)


def _nodes(page: Page) -> Iterator[Node]:
    """Every object of the page's JSON-LD that has a type, outer ones first."""
    left = _MAX_NODES
    for kind, text in page.scripts:
        if "ld+json" not in kind:
            continue
        waiting: list[Any] = list(reversed(_documents(text)))
        while waiting and left:
            value = waiting.pop()
            if isinstance(value, dict):
                left -= 1
                if "@type" in value:
                    yield value
                waiting += (v for v in reversed(value.values()) if isinstance(v, dict | list))
            elif isinstance(value, list):
                waiting += (v for v in reversed(value) if isinstance(v, dict | list))


def _documents(text: str) -> list[Any]:
    """The JSON values in a script, even when it is wrapped, broken a little, or has several."""
    try:
        return [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        pass
    text = _TRAILING_COMMA.sub(r"\1", _COMMENT.sub("", text)).strip().rstrip(";")
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip(" \r\n\t,;"))
    return found


def types(node: Node) -> tuple[str, ...]:
    """The types of a node, without their vocabulary."""
    value = node.get("@type")
    names = value if isinstance(value, list) else [value]
    return tuple(str(name).rsplit("/", 1)[-1] for name in names)


def _article(nodes: tuple[Node, ...]) -> Node:
    """The node that describes the page's article: of the types that may, the one that says most.

    A list of teasers has many such nodes and no text; they say less than the article's own.
    """
    empty: Node = {}
    candidates = [n for n in nodes if any(_ARTICLE.search(name) for name in types(n))]
    return max(candidates, key=lambda n: sum(bool(n.get(key)) for key in _USEFUL), default=empty)
