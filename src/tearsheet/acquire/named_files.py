"""The files that a saved page shows: those named by the page, its frames and its style sheets.

Only these are read from a save, so a page in a folder with ten thousand other files costs no more
than one that is alone. Links to other pages are not followed.
"""

from __future__ import annotations

import logging
import mimetypes
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urldefrag, urlsplit

from tearsheet import limits
from tearsheet.acquire.saves import PAGES, Save, is_inside
from tearsheet.addresses import UNKNOWN_PLACE, address_host, is_web_address, join_address
from tearsheet.page.decode import decode
from tearsheet.types import Resource
from tearsheet.writing import unescape

log = logging.getLogger("tearsheet")

_VALUE: Final = r"""\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
_FILE_ATTRIBUTE: Final = re.compile(
    r"[\s\"'](?:src|srcset|poster|background|data(?:-[\w-]+)?|lazy[\w-]*)" + _VALUE, re.IGNORECASE
)
"""Attributes that name what an element shows, now or when it is scrolled to."""
_LINKING: Final = re.compile(r"<(?:link|image|use)\b[^<>]*>", re.IGNORECASE)
_HREF: Final = re.compile(r"[\s\"':]href" + _VALUE, re.IGNORECASE)
_IN_STYLES: Final = re.compile(
    r"""url\(\s*+(?:"([^"<>]*)"|'([^'<>]*)'|&(?:quot|\#39);([^()"'<>]*?)&(?:quot|\#39);"""
    r"""|([^()"'<>\s]*+))\s*+\)|@import\s+["'](?P<sheet>[^"'<>]+)["']""",
    re.IGNORECASE,
)
"""No branch reads past the beginning of another name, so each character is read once."""
_BASE: Final = re.compile(r"<base\b[^<>]*?[\s\"']href" + _VALUE, re.IGNORECASE)
_LONGEST: Final = 2_000
"""Characters of a name; longer values are data."""
_STYLES: Final = "text/css"
_UNKNOWN: Final = "application/octet-stream"


@dataclass(slots=True)
class _Collection:
    """The files found so far."""

    save: Save
    host: str
    bytes_left: int
    names_left: int = limits.SAVED_NAMES
    found: dict[str, Resource] = field(default_factory=dict)
    waiting: list[tuple[str, str, str, str]] = field(default_factory=list)
    """Text, type, address and path of the documents that may name more files."""


def collect_files(
    save: Save, path: str, body: bytes, url: str | None, limit: int
) -> dict[str, Resource]:
    """The files of a save that the page at `path` shows, by the addresses that a browser asks for.

    At most `limits.SAVED_FILES`, and `limit` bytes together; what is over is left out and logged.
    """
    collected = _Collection(save, address_host(url), limit)
    collected.waiting.append((_text(body), "text/html", url or UNKNOWN_PLACE, path))
    while collected.waiting:
        _collect_named(collected, *collected.waiting.pop(0))
    return collected.found


def _text(body: bytes) -> str:
    text = decode(body)
    return text if isinstance(text, str) else text.decode()


def _collect_named(collected: _Collection, text: str, kind: str, address: str, path: str) -> None:
    """Adds the files that one document names."""
    base = _find_base(text, address) if kind != _STYLES else address
    for name, hint in dict(_names(text, kind)).items():
        full = join_address(base, name)
        if full is None or len(name) > _LONGEST or not is_web_address(full):
            continue
        key = urldefrag(full).url
        if key in collected.found:
            continue
        if len(collected.found) == limits.SAVED_FILES or collected.names_left == 0:
            log.warning("the page names more files than are read: the rest is left out")
            return
        collected.names_left -= 1
        _add_file(collected, name, hint, key, path)


def _add_file(collected: _Collection, name: str, hint: str, address: str, path: str) -> None:
    for place in _places(name, posixpath.dirname(path), collected.host):
        body = collected.save.read(place, collected.bytes_left)
        if body is None:
            continue
        kind = (
            hint or mimetypes.guess_type(place.partition("?")[0])[0] or "application/octet-stream"
        )
        collected.bytes_left -= len(body)
        collected.found[address] = Resource(address, kind, body)
        if kind == _STYLES or place.lower().endswith(PAGES):
            collected.waiting.append((_read_text(body), kind, address, place))
        return


def _read_text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _find_base(text: str, address: str) -> str:
    """The base for relative names in a page."""
    found = _BASE.search(text)
    return (join_address(address, _value(found)) if found else None) or address


def _value(found: re.Match[str]) -> str:
    return unescape(next((group for group in found.groups() if group), "")).strip()


def _names(text: str, kind: str) -> Iterator[tuple[str, str]]:
    """The names in a document, each with the type of its file if the place of the name tells it."""
    for tag in _LINKING.finditer(text) if kind != _STYLES else ():
        if found := _HREF.search(tag[0]):
            yield _value(found), _STYLES if "stylesheet" in tag[0].lower() else ""
    for found in _IN_STYLES.finditer(text):
        yield _value(found), _STYLES if found["sheet"] else ""
    for found in _FILE_ATTRIBUTE.finditer(text) if kind != _STYLES else ():
        value = _value(found)
        yield value, ""
        if " " in value:  # a srcset: names, each with a size
            yield from ((part.strip(","), "") for part in value.split())


def _places(name: str, folder: str, host: str) -> Iterator[str]:
    """Where in a save a name may be: with and without its query, as programs write them.

    >>> list(_places("../a%20b.css?v=1#x", "site/page", ""))
    ['site/a b.css?v=1', 'site/a b.css']
    """
    plain = urldefrag(name).url
    for part in dict.fromkeys((unquote(plain), unquote(plain.partition("?")[0]))):
        for place in _rooted_places(part, host) if _is_rooted(part) else (f"{folder}/{part}",):
            inside = posixpath.normpath(place.lstrip("/"))
            if part and is_inside(inside):
                yield inside


def _is_rooted(name: str) -> bool:
    return name.startswith("/") or is_web_address(name)


def _rooted_places(name: str, host: str) -> Iterator[str]:
    """As `wget -p` lays out what a page names by its host, or from the root of its host."""
    if not name.startswith(("//", "http")):
        yield name
        if host:
            yield f"{host}{name}"
        return
    try:
        parts = urlsplit(name)
    except ValueError:
        return
    query = f"?{parts.query}" if parts.query else ""
    yield f"{parts.netloc}{parts.path}{query}"
    if parts.netloc == host:
        yield f"{parts.path}{query}"
