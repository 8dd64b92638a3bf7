"""A shard → its pages, in an order that is the same every time."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tearsheet.bulk.locations import local_path, open_file, scheme_of, size_of
from tearsheet.bulk.schema import RawPage
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.limits import check_download
from tearsheet.types import Options

if TYPE_CHECKING:
    from tearsheet.bulk.shards import Shard


@dataclass(frozen=True, slots=True)
class Reading:
    """Options for reading inputs."""

    html: str | None = None
    """The column or key that holds the HTML; None: the first of the usual names."""
    options: Options = field(default_factory=Options)
    pause: float = 1.0
    """Seconds between two requests to a host."""
    render: bool = False
    """Leave addresses to the browser that will draw their pages."""
    files: bool = False
    """Also read the files that were saved with a page."""
    prefix: str = ""
    """The prefix for files that a list or an index names without a location."""


@dataclass(slots=True)
class Span:
    """The range of a file that a shard has read. The shards of a file must meet: where a shard
    begins, a page may look like the beginning of a record."""

    first: int = -1
    """Where its first record begins; the end of the file without one."""
    after: int = -1
    """Where the first record after it begins; the end of the file without one."""


_LASTING: Final = (
    FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, TearsheetError,
    ValueError, ArithmeticError, LookupError, EOFError, MemoryError,
    gzip.BadGzipFile, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""Errors that a file gives each time. All others may be the network's or the store's."""


class InputChanged(FetchFailed):
    """An input is not what it was when the run was planned."""


def read_pages(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    """The pages of a shard; a file that is missing or broken is one page with an error."""
    try:
        yield from _READERS[shard.kind](shard, reading, span)
    except Exception as error:
        if is_passing(error) or isinstance(error, MemoryError):
            raise
        yield RawPage(shard.source, shard.begin, error=_describe(error, "input"))


def is_passing(error: Exception) -> bool:
    """Whether a second attempt may help: the network or a server failed, not the file."""
    if isinstance(error, FetchFailed):
        status = error.status or 0
        return error.code in ("fetch", "timeout", "dns") or status == 429 or status >= 500
    return not isinstance(error, _LASTING)


def _describe(error: Exception, code: str) -> str:
    """An error as in the column `error`; the code is for those that are not ours."""
    return f"{getattr(error, 'code', code)}: {getattr(error, 'strerror', None) or error}"


def check_size(shard: Shard, reading: Reading) -> None:
    """Raises if the file has changed since the run was planned: its ranges would be wrong."""
    size = size_of(shard.source, reading.options)
    if size != shard.size:
        raise InputChanged(
            f"{shard.source} had {shard.size} bytes when the run was planned and has {size} now: "
            "give it another output",
            code="changed",
        )


def _read_unreadable(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    with open_file(shard.source, reading.options) as file:
        file.read(1)
    (why,) = shard.names or ("the file cannot be read",)
    yield RawPage(shard.source, 0, error=f"input: {why}")


def _read_warc(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    from tearsheet.bulk.warc import read_warc

    check_size(shard, reading)
    with open_file(shard.source, reading.options) as file:
        yield from read_warc(file, shard, reading.options.max_bytes, span)


def _read_wacz(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    from tearsheet.bulk.warc import read_wacz

    check_size(shard, reading)
    with open_file(shard.source, reading.options) as file:
        yield from read_wacz(file, shard, reading.options.max_bytes, span)


def _read_jsonl(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    from tearsheet.bulk.tables import read_jsonl

    check_size(shard, reading)
    with open_file(shard.source, reading.options) as file:
        yield from read_jsonl(file, shard, reading.html)


def _read_parquet(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    from tearsheet.bulk.tables import read_parquet

    check_size(shard, reading)
    with open_file(shard.source, reading.options) as file:
        yield from read_parquet(file, shard, reading.html)


def _read_coordinates(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    from tearsheet.bulk.indexes import read_records

    check_size(shard, reading)
    yield from read_records(shard, reading)


def _read_addresses(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    from tearsheet.bulk.addresses import read_addresses

    yield from read_addresses(shard, reading)


def _read_saves(shard: Shard, reading: Reading, span: Span) -> Iterator[RawPage]:
    for name in shard.names:
        try:
            yield _read_save(name, reading)
        except Exception as error:
            if isinstance(error, MemoryError):
                raise
            yield RawPage(name, 0, error=_describe(error, "fetch"))


def _read_save(name: str, reading: Reading) -> RawPage:
    """A saved page; with the files beside it if they are wanted and on this machine."""
    from tearsheet.acquire.sources import acquire

    options = reading.options
    if reading.files and scheme_of(name) == "file":
        found = acquire(Path(local_path(name)), options=options)
    else:
        with open_file(name, options) as file:
            body = file.read(options.max_bytes + 1)
        check_download(len(body), options.max_bytes)
        found = acquire(body, options=options)
    files = tuple(found.resources.values()) if reading.files else ()
    return RawPage(name, 0, found.url, found.body, found.encoding, files=files)


_READERS: Final[Mapping[str, Callable[[Shard, Reading, Span], Iterator[RawPage]]]] = {
    "warc": _read_warc,
    "wacz": _read_wacz,
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
    "cdx": _read_coordinates,
    "index": _read_coordinates,
    "addresses": _read_addresses,
    "pages": _read_saves,
    "unreadable": _read_unreadable,
}
