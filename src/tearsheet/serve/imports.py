"""Addresses of pages from files: plain lists, and the exports of other read-later services.

Pocket       a page of links with `time_added` and `tags`, or CSV: title,url,time_added,tags,status
Instapaper   CSV: URL,Title,Selection,Folder,Timestamp,Tags
wallabag     JSON: a list of entries with `url` and `tags`
bookmarks    the page of links that browsers export
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from tearsheet import limits
from tearsheet.serve.problems import Problem
from tearsheet.writing import drop_controls, unescape

_ADDRESS: Final = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)
_LINK: Final = re.compile(r"<a\s([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r'(?<![\w-])([\w-]+)\s*=\s*"([^"]*)"')
"""A search that fails must not begin again within what it has read: hence no `<` in a link, and a
name that begins where a name can begin."""
_URL_COLUMNS: Final = ("url", "link", "address", "given_url", "resolved_url")
_TAG_COLUMNS: Final = ("tags", "tag", "labels")
_FOLDER_COLUMNS: Final = ("folder",)
_MOST_COLUMNS: Final = 100
"""Columns of a table that are read: a row of one letter would have them all."""
_NO_FOLDERS: Final = frozenset({"unread", "archive", "starred"})
"""Instapaper's own folders, which say nothing about a page."""


T = TypeVar("T")


class ImportedPage(NamedTuple):
    """An address from another service, with its tags."""

    url: str
    tags: tuple[str, ...] = ()


def read_addresses(body: bytes) -> list[ImportedPage]:
    """The addresses in a file, each once, in order; raises if it contains none."""
    text = body.decode("utf-8-sig", "replace").strip()
    found: dict[str, ImportedPage] = {}
    for page in _read(text):
        if _ADDRESS.fullmatch(page.url) and len(page.url) <= limits.ADDRESS_LENGTH:
            found.setdefault(page.url, page)
        if len(found) >= limits.IMPORTED_ADDRESSES:
            break
    if not found:
        raise Problem(
            "invalid",
            "no address was found: give a list of addresses, or an export of Pocket, wallabag, "
            "Instapaper or a browser",
        )
    return list(found.values())


def _read(text: str) -> Iterator[ImportedPage]:
    if text[:1] in "[{":
        yield from _read_json(text)
    elif re.search(r"<a\s", text[:200_000], re.IGNORECASE):
        yield from _read_links(text)
    elif columns := _find_columns(text):
        yield from _read_table(text, columns)
    else:
        yield from (ImportedPage(url.rstrip(".,;)")) for url in _ADDRESS.findall(text))


def _read_json(text: str) -> Iterator[ImportedPage]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise Problem("invalid", "the file looks like JSON, but cannot be read as JSON") from None
    waiting: list[Any] = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            url = next((value[name] for name in _URL_COLUMNS if name in value), None)
            if isinstance(url, str):
                yield ImportedPage(url, _read_tags(value.get("tags")))
            else:
                waiting += [part for part in value.values() if isinstance(part, (list, dict))]


def _read_tags(value: Any) -> tuple[str, ...]:
    """Tags as a text with commas, a list of texts, or a list of objects with a label."""
    if isinstance(value, str):
        return _clean_tags(re.split(r"[,|]", value))
    if isinstance(value, list):
        texts = [one.get("label", "") if isinstance(one, dict) else one for one in value]
        return _clean_tags([text for text in texts if isinstance(text, str)])
    return _clean_tags(list(value)) if isinstance(value, dict) else ()


def _clean_tags(tags: list[str]) -> tuple[str, ...]:
    texts = (" ".join(drop_controls(tag).split())[:60].strip() for tag in tags)
    return tuple(dict.fromkeys(filter(None, texts)))[:50]


def _read_links(text: str) -> Iterator[ImportedPage]:
    for attributes in _LINK.findall(text):
        known = {name.lower(): unescape(value) for name, value in _ATTRIBUTE.findall(attributes)}
        yield ImportedPage(known.get("href", ""), _read_tags(known.get("tags", "")))


def _find_columns(text: str) -> list[str]:
    """The names of a table's columns, if one of them has addresses."""
    first = next(_rows(csv.reader(io.StringIO(text[:10_000], newline=""))), [])
    names = [name.strip().casefold() for name in first[:_MOST_COLUMNS]]
    return names if any(name in _URL_COLUMNS for name in names) else []


def _read_table(text: str, columns: list[str]) -> Iterator[ImportedPage]:
    csv.field_size_limit(10_000_000)
    rows = csv.DictReader(io.StringIO(text, newline=""), fieldnames=columns, restval="")
    for row in islice(_rows(rows), 1, None):
        url = next((row[name] for name in _URL_COLUMNS if row.get(name)), "")
        tags = next((row[name] for name in _TAG_COLUMNS if row.get(name)), "")
        folder = next((row[name] for name in _FOLDER_COLUMNS if row.get(name)), "")
        more = () if folder.casefold() in _NO_FOLDERS else (folder,)
        parts = _read_json_tags(tags) if tags.startswith("[") else _read_tags(tags)
        yield ImportedPage(url.strip(), _clean_tags([*parts, *more]))


def _rows(table: Iterator[T]) -> Iterator[T]:
    """The rows of a table; raises if it cannot be read."""
    try:
        yield from table
    except csv.Error as error:
        reason = f"the file looks like a table, but cannot be read as one: {error}"
        raise Problem("invalid", reason) from None


def _read_json_tags(text: str) -> tuple[str, ...]:
    try:
        return _read_tags(json.loads(text))
    except (ValueError, RecursionError):
        return ()
