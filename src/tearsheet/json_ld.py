"""JSON-LD: data for programs in `<script type="application/ld+json">`.

`read_nodes` and `read_values` parse it, even if it is a little broken. `scan_types` and
`scan_texts` look for names in the source without parsing it, which is faster; they serve tests that
every page gets. Depth and the numbers of nodes and documents are bounded: pages may be hostile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

Node: TypeAlias = Mapping[str, Any]
"""An object of JSON-LD."""
Scripts: TypeAlias = Iterable[tuple[str, str]]
"""Type and text of the scripts of a page that hold data: `Page.scripts`."""

MOST_NODES: Final = 2_000
"""Most objects that are read from a page: a shop may list thousands of offers."""
DEEPEST: Final = 30
"""Levels of nesting in which texts are looked for."""
MOST_DOCUMENTS: Final = 100
"""JSON values that are read of one script which holds several."""

_OPENING: Final = re.compile(r"<!--|(?://|/\*)?\s*+<!\[CDATA\[\s*+(?:\*/)?")
_PAIR: Final = re.compile(r'"([A-Za-z@]{2,30})"\s*:\s*"((?:[^"\\\n]|\\.)*)"')
_NAMED: Final = re.compile(
    r'"(author|creator|publisher)"\s*+:\s*+(?:\[\s*+)?\{[^{}]*?"name"\s*:\s*"((?:[^"\\\n]|\\.)*)"'
)
_TRAILING_COMMA: Final = re.compile(r",\s*([}\]])")
_TYPE: Final = re.compile(r'"@type"\s*:\s*"([A-Za-z]+)"')
_BETWEEN: Final = re.compile(r"[ \r\n\t,;]*")


def sources(scripts: Scripts) -> Iterator[str]:
    """The text of each script of JSON-LD."""
    return (text for kind, text in scripts if "ld+json" in kind)


def read_nodes(scripts: Scripts) -> Iterator[Node]:
    """Every object that has a type, outer ones first.

    >>> [node["@type"] for node in read_nodes([("ld+json", '{"@graph": [{"@type": "Recipe"},]}')])]
    ['Recipe']
    """
    left = MOST_NODES
    for source in sources(scripts):
        waiting: list[Any] = list(reversed(parse_documents(source)))
        while waiting and left:
            value = waiting.pop()
            if isinstance(value, dict):
                left -= 1
                if "@type" in value:
                    yield value
                waiting += (v for v in reversed(value.values()) if isinstance(v, dict | list))
            elif isinstance(value, list):
                waiting += (v for v in reversed(value) if isinstance(v, dict | list))


def node_types(node: Node) -> tuple[str, ...]:
    """The types of an object, without their vocabulary.

    >>> node_types({"@type": ["https://schema.org/NewsArticle", "Report"]})
    ('NewsArticle', 'Report')
    """
    value = node.get("@type")
    names = value if isinstance(value, list) else [value]
    return tuple(str(name).rsplit("/", 1)[-1] for name in names)


def read_values(scripts: Scripts, *names: str) -> Iterator[Any]:
    """The values under these names, at any place; the last ones of a script first."""
    quoted = [f'"{name}"' for name in names]
    for source in sources(scripts):
        if not any(map(source.__contains__, quoted)):
            continue
        waiting = [(value, 0) for value in parse_documents(source)]
        while waiting:
            value, depth = waiting.pop()
            if depth > DEEPEST or not isinstance(value, dict | list):
                continue
            parts = value.values() if isinstance(value, dict) else value
            waiting += ((part, depth + 1) for part in parts)
            if isinstance(value, dict):
                yield from (value[name] for name in names if name in value)


def parse_documents(source: str) -> list[Any]:
    """The JSON values in a script, even if it is wrapped in a comment, has commas too many, or
    holds several values; what cannot be read is left out."""
    try:
        return [json.loads(source, strict=False)]
    except (ValueError, RecursionError):
        pass
    source = _TRAILING_COMMA.sub(r"\1", _unwrap(source)).strip().rstrip(";")
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    at = 0
    while at < len(source) and len(found) < MOST_DOCUMENTS:
        try:
            value, at = decoder.raw_decode(source, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
        between = _BETWEEN.match(source, at)
        at = between.end() if between else at
    return found or _salvage(source)


def _unwrap(source: str) -> str:
    """The text within a comment or a CDATA section.

    >>> _unwrap("// <![CDATA[ {} // ]]>").strip(), _unwrap("<!-- {} -->").strip()
    ('{}', '{}')
    """
    text = source.strip()
    if opening := _OPENING.match(text):
        text = text[opening.end() :]
    inner = text.removesuffix("*/").rstrip()
    if not inner.endswith("]]>"):
        return text.removesuffix("-->")
    inner = inner.removesuffix("]]>").rstrip()
    return inner[:-2] if inner.endswith(("//", "/*")) else inner


def _salvage(source: str) -> list[Any]:
    """One object of the first texts under each name, and of who is named in it, from a script
    that is not JSON; nothing if it names no type.

    >>> _salvage('{"@type": "Article", "headline": "A", "author": {"name": "Bo"}, "text": "a "b""}')
    [{'@type': 'Article', 'headline': 'A', 'text': 'a ', 'author': 'Bo'}]
    """
    found: dict[str, str] = {}
    for name, text in _PAIR.findall(source):
        if name != "name":
            found.setdefault(name, _unescape(text))
    if "@type" not in found:
        return []
    people = ((name, _unescape(text)) for name, text in _NAMED.findall(source))
    first = dict(reversed([*people]))
    return [{**found, **first}]


def _unescape(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text


def scan_types(scripts: Scripts) -> list[str]:
    """The types that are named, in order, without parsing; types of a list are left out.

    >>> scan_types([("ld+json", '{"@type": "NewsArticle", "author": {"@type": "Person"')])
    ['NewsArticle', 'Person']
    """
    found = []
    for source in sources(scripts):
        at = source.find('"@type"')
        while at >= 0:
            if named := _TYPE.match(source, at):
                found.append(named[1])
            at = source.find('"@type"', at + 1)
    return found


def scan_texts(scripts: Scripts, *names: str) -> Iterator[tuple[str, str]]:
    """The texts under these names, in order, without parsing: (name, text with JSON's escapes).

    >>> list(scan_texts([("ld+json", '{"name": "A", "text": "B')], "name", "text"))
    [('name', 'A')]
    """
    pattern = _texts_under(names)
    for source in sources(scripts):
        yield from pattern.findall(source)


@cache
def _texts_under(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf'"({"|".join(names)})"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"')
