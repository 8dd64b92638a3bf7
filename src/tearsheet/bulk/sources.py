"""Inputs → sources → batches of pages, in an order that is the same in every run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa

from tearsheet.acquire.saves import PAGES, ZIPS
from tearsheet.bulk.schema import RawPage, page_batch
from tearsheet.errors import FetchFailed, LimitExceeded
from tearsheet.limits import check_download
from tearsheet.types import Options

_PAGES: Final = (*PAGES, ".mhtml", ".mht", *ZIPS)
LISTS: Final = (".txt", ".urls", ".lst")
"""Suffixes of lists of addresses."""
_BATCH_PAGES: Final = 32
_BATCH_BYTES: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class Reading:
    """How inputs are read."""

    html: str | None = None
    """The column or key that holds the HTML; None: the first of the usual names."""
    options: Options = field(default_factory=Options)
    pause: float = 1.0
    """Seconds between two requests to a host."""
    render: bool = False
    """Leave addresses to the browser that will draw their pages."""
    files: bool = False
    """Read the files that were saved with a page, too."""


class Source(NamedTuple):
    """A part of an input that can be read from its beginning or from after an offset."""

    name: str
    read: Callable[[int], Iterator[RawPage]]
    extent: int
    """The largest offset; 0: unknown."""
    is_repeatable: bool = True
    """False: it cannot be read twice, or that would burden a server."""


class Place(NamedTuple):
    """A page that is done, by its source and offset."""

    source: str
    offset: int


def sources(inputs: Sequence[str], reading: Reading) -> list[Source]:
    """The sources of the inputs, in order."""
    found: list[Source] = []
    for name in inputs:
        found += _sources(name, reading)
    names = [source.name for source in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FetchFailed(f"{twice} is given twice", code="input")
    return found


def batches(
    found: Sequence[Source],
    done: Place | None = None,
    note: Callable[[int, int], None] | None = None,
) -> Iterator[pa.RecordBatch]:
    """The pages of the sources, after the one that is done; `note` is called with the number of the
    source and the offset of each page."""
    held: list[RawPage] = []
    size = 0
    for page in _pages(found, done, note):
        held.append(page)
        size += page.size
        if len(held) == _BATCH_PAGES or size > _BATCH_BYTES:
            yield page_batch(held)
            held, size = [], 0
    if held:
        yield page_batch(held)


def _pages(
    found: Sequence[Source], done: Place | None, note: Callable[[int, int], None] | None
) -> Iterator[RawPage]:
    names = [source.name for source in found]
    if done is not None and done.source not in names:
        raise FetchFailed(
            f"the output holds rows of {done.source}, which is not among the inputs: "
            "give the same inputs to continue, or another output",
            code="input",
        )
    first = names.index(done.source) if done else 0
    for number, source in enumerate(found[first:], first):
        after = done.offset if done and number == first else -1
        for page in source.read(after):
            if note is not None:
                note(number, page.offset)
            yield page


def _sources(name: str, reading: Reading) -> Iterator[Source]:
    path = Path(name)
    limit, html = reading.options.max_bytes, reading.html
    if name == "-":
        from tearsheet.bulk.warc import read_warc

        yield Source("-", lambda after: read_warc("-", after, limit), 0, False)
    elif not path.exists():
        raise FetchFailed(f"{name}: no such file or folder", code="not-found")
    elif path.is_dir():
        yield from _folder(path, reading)
    elif re.search(r"\.warc(\.gz|\.zst|\.lz4)?$", name):
        from tearsheet.bulk.warc import read_warc

        yield Source(name, lambda after: read_warc(name, after, limit), _size(path))
    elif path.suffix == ".wacz":
        yield from _wacz(name, limit)
    elif path.suffix in (".jsonl", ".ndjson"):
        from tearsheet.bulk.tables import read_jsonl

        yield Source(name, lambda after: read_jsonl(name, after, html), _size(path))
    elif path.suffix == ".parquet":
        from tearsheet.bulk.tables import count_rows, read_parquet

        yield Source(name, lambda after: read_parquet(name, after, html), count_rows(name))
    elif path.suffix.lower() in _PAGES:
        yield Source(name, lambda after: _file(name, after, reading), 0)
    elif path.suffix in LISTS:
        from tearsheet.bulk.addresses import read_addresses

        yield Source(name, lambda after: read_addresses(name, after, reading), _size(path), False)
    else:
        raise FetchFailed(f"{name}: unknown kind of input; known are {KINDS}", code="input")


KINDS: Final = (
    ".warc[.gz], .wacz, .jsonl, .parquet, .html, a zip with a saved page, a folder of pages, "
    "a list of addresses in .txt, "
    "the address of a sitemap or feed, or - for a WARC file on standard input"
)


def _size(path: Path) -> int:
    return path.stat().st_size


def _wacz(name: str, limit: int) -> Iterator[Source]:
    from tearsheet.bulk.warc import read_wacz, wacz_members

    for member in wacz_members(name):

        def read(after: int, member: str = member) -> Iterator[RawPage]:
            return read_wacz(name, member, after, limit)

        yield Source(f"{name}/{member}", read, 0)


def _folder(folder: Path, reading: Reading) -> Iterator[Source]:
    """A source for each page in a folder and in all folders below it."""
    for where, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.lower().endswith(_PAGES):
                name = os.path.join(where, file)
                yield Source(name, lambda after, name=name: _file(name, after, reading), 0)  # type: ignore[misc]


def _file(name: str, after: int, reading: Reading) -> Iterator[RawPage]:
    """A saved page: a source with one page at offset 0."""
    from tearsheet.acquire.sources import acquire

    if after >= 0:
        return
    options = reading.options
    try:
        path = Path(name)
        found = acquire(path if reading.files else _read(path, options.max_bytes), options=options)
        files = tuple(found.resources.values()) if reading.files else ()
        yield RawPage(name, 0, found.url, found.body, found.encoding, files=files)
    except (OSError, FetchFailed, LimitExceeded) as error:
        code = getattr(error, "code", "fetch")
        yield RawPage(name, 0, error=f"{code}: {getattr(error, 'strerror', None) or error}")


def _read(path: Path, limit: int) -> bytes:
    with path.open("rb") as file:
        body = file.read(limit + 1)
    check_download(len(body), limit)
    return body
