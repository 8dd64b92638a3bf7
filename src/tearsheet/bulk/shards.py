"""Inputs → shards: the pieces that a worker reads, clips and writes by itself.

The plan depends on the inputs alone, so that every engine makes the same shards. It is made once,
at the first start of a run, and stored with the output.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from tearsheet.acquire.saves import PAGES, ZIPS
from tearsheet.bulk.locations import Entry, list_files, measure, open_file, resolve
from tearsheet.bulk.sources import Reading
from tearsheet.errors import FetchFailed

Kind: TypeAlias = Literal[
    "warc", "wacz", "jsonl", "parquet", "pages", "addresses", "cdx", "index", "unreadable"
]

LISTS: Final = (".txt", ".urls", ".lst")
"""Suffixes of lists of addresses."""
_PAGES: Final = (*PAGES, ".mhtml", ".mht", *ZIPS)
_KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    (r"\.warc(\.gz|\.zst|\.lz4)?$", "warc"),
    (r"\.wacz$", "wacz"),
    (r"\.(jsonl|ndjson)(\.gz|\.zst)?$", "jsonl"),
    (r"\.parquet$", "parquet"),
    (r"\.cdxj?(\.gz)?$|(^|/)cdx-\d+\.gz$", "cdx"),
    (rf"({'|'.join(map(re.escape, LISTS))})$", "addresses"),
    (rf"({'|'.join(map(re.escape, _PAGES))})$", "pages"),
)
_PATH_LIST: Final = re.compile(r"\.paths(\.gz)?$", re.IGNORECASE)
_SPLITS: Final = re.compile(r"\.warc(\.gz)?$|\.(jsonl|ndjson|cdxj?)$", re.IGNORECASE)
"""Files that can be read from any byte: a record or a line begins with a mark of its own."""
_IN_FOLDERS: Final = ("warc", "wacz", "pages")
"""The kinds of files that are read from a folder; others are ignored."""
_SHARES: Final = 64
_LEAST_BYTES: Final = 1 << 20
_MOST_BYTES: Final = 128 << 20
"""A shard is a 64th of all inputs, within these limits: enough shards for the cores of one machine,
files of a useful size for a cluster, and at most a few minutes' work to lose."""
_PAGES_EACH: Final = 256
_DRAWN_EACH: Final = 16
"""Pages, rows or records of a shard if a browser draws them."""
_ADDRESSES_EACH: Final = 200
_ROWS_EACH: Final = 4096
_COORDINATES_EACH: Final = 1000
_COORDINATES: Final = ("warc_filename", "warc_record_offset", "warc_record_length")

KINDS: Final = (
    ".warc[.gz|.zst], .wacz, .jsonl[.gz|.zst], .parquet, .html, a zip with a saved page, a folder "
    "of these pages and archives, a pattern (*.warc.gz), a list of archives (warc.paths[.gz]), an "
    "index of records (.cdx[j][.gz], or Parquet with warc_filename), a list of addresses in .txt, "
    "the address of a sitemap or feed, or - for a WARC file on standard input; files may be on "
    "s3://, gs://, hdfs:// or https://"
)


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of an input."""

    number: int
    kind: Kind
    source: str
    begin: int = 0
    end: int = -1
    """Its records or lines begin at bytes `begin:end`, or are the rows `begin:end`; -1: to the
    end of the file. Of `addresses`: the number of its group, and how many groups there are."""
    size: int = -1
    """Bytes of the file when the run was planned."""
    names: tuple[str, ...] = ()
    """The files of `pages`, the member of `wacz`, why a file is `unreadable`."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Shard:
        return cls(**values | {"names": tuple(values["names"])})


def plan(inputs: Sequence[str], reading: Reading) -> list[Shard]:
    """The shards of the inputs, in their order."""
    files = [entry for name in inputs for entry in _list(name, reading)]
    _check_doubles(files)
    total = sum(max(entry.size, 0) for entry, _ in files)
    step = min(max(total // _SHARES, _LEAST_BYTES), _MOST_BYTES)
    if reading.render:  # a page takes a second, not ten milliseconds
        step = _LEAST_BYTES
    found = [shard for group in _groups(files) for shard in _split(group, step, reading)]
    return [replace(shard, number=number) for number, shard in enumerate(found)]


def _list(name: str, reading: Reading) -> list[tuple[Entry, Kind]]:
    try:
        return list(_files_of(name, reading))
    except OSError as error:
        code = "not-found" if isinstance(error, FileNotFoundError) else "fetch"
        why = (error.strerror or str(error)).lower()
        raise FetchFailed(f"{name}: {why}", code=code) from None


def _files_of(name: str, reading: Reading) -> Iterator[tuple[Entry, Kind]]:
    """The files that an input names, each with its kind."""
    listed = list_files(name)
    if listed is not None:
        is_folder = not re.search(r"[*?\[]", name)
        known = [(entry, kind_of(entry.location)) for entry in listed]
        found = [(entry, kind) for entry, kind in known if kind in _IN_FOLDERS or not is_folder]
        if not found:
            raise FetchFailed(f"{name}: there is no page or archive in it", code="not-found")
        for entry, kind in found:
            yield entry, _require(kind, entry.location)
    elif is_path_list(name):
        paths = [resolve(path, name, reading.prefix) for path in _lines_of(name, reading)]
        for entry in measure(paths, reading.options):
            yield entry, _require(kind_of(entry.location), entry.location)
    else:
        (entry,) = measure([name], reading.options)
        if entry.size < 0:
            with open_file(name, reading.options):  # says why
                pass
        yield entry, _require(kind_of(name), name)


def kind_of(location: str) -> Kind | None:
    """The kind of a file, by its name; None if unknown."""
    name = location.lower()
    return next((kind for pattern, kind in _KINDS if re.search(pattern, name)), None)


def is_path_list(location: str) -> bool:
    """Whether a file lists archives, as Common Crawl's `warc.paths.gz`."""
    return _PATH_LIST.search(location) is not None


def _require(kind: Kind | None, location: str) -> Kind:
    if kind is None:
        raise FetchFailed(f"{location}: unknown kind of input; known: {KINDS}", code="input")
    return kind


def _lines_of(location: str, reading: Reading) -> list[str]:
    with open_file(location, reading.options) as file:
        raw = file.read()
    text = (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _check_doubles(files: Iterable[tuple[Entry, Kind]]) -> None:
    seen: set[str] = set()
    for entry, _ in files:
        if entry.location in seen:
            raise FetchFailed(f"{entry.location} is given twice", code="input")
        seen.add(entry.location)


def _groups(files: Sequence[tuple[Entry, Kind]]) -> Iterator[list[tuple[Entry, Kind]]]:
    """Each file by itself, but pages that follow one another together."""
    held: list[tuple[Entry, Kind]] = []
    for entry, kind in files:
        if held and (kind != "pages" or held[0][1] != "pages" or len(held) == _PAGES_EACH):
            yield held
            held = []
        held.append((entry, kind))
    if held:
        yield held


def _split(group: list[tuple[Entry, Kind]], step: int, reading: Reading) -> Iterator[Shard]:
    (location, size), kind = group[0]
    whole = Shard(0, kind, location, size=size)
    if kind == "pages":
        yield from _split_pages(whole, [entry.location for entry, _ in group], reading)
    elif size < 0:  # its row will say why
        yield replace(whole, kind="unreadable")
    elif kind == "wacz":
        yield from _split_or_refuse(whole, lambda: _members(whole, reading))
    elif kind == "parquet":
        yield from _split_or_refuse(whole, lambda: _row_ranges(whole, reading))
    elif kind == "addresses":
        yield from _by_host(whole, reading)
    elif _SPLITS.search(location):
        yield from _ranges(whole, size, step if kind == "warc" or kind == "jsonl" else step // 64)
    else:
        yield whole


def _split_pages(whole: Shard, names: list[str], reading: Reading) -> Iterator[Shard]:
    step = _DRAWN_EACH if reading.render else _PAGES_EACH
    for begin in range(0, len(names), step):
        yield replace(whole, names=tuple(names[begin : begin + step]))


def _split_or_refuse(whole: Shard, split: Any) -> Iterator[Shard]:
    """The parts of a file. An unreadable file becomes a row with an error, not the end of the
    run."""
    import pyarrow as pa

    try:
        yield from list(split())
    except (OSError, pa.ArrowInvalid, ValueError, RuntimeError) as error:
        yield replace(whole, kind="unreadable", names=(str(error),))


def _members(whole: Shard, reading: Reading) -> list[Shard]:
    from tearsheet.bulk.warc import wacz_members

    with open_file(whole.source, reading.options) as file:
        return [replace(whole, names=(member,)) for member in wacz_members(file)]


def _row_ranges(whole: Shard, reading: Reading) -> list[Shard]:
    import pyarrow.parquet as pq

    with open_file(whole.source, reading.options) as raw, pq.ParquetFile(raw) as file:
        rows, names = file.metadata.num_rows, file.schema_arrow.names
    is_index = all(name in names for name in _COORDINATES)
    step = _COORDINATES_EACH if is_index else _ROWS_EACH
    step = _DRAWN_EACH if reading.render else step
    part = replace(whole, kind="index" if is_index else "parquet")
    return list(_ranges(part, rows, step))


def _by_host(whole: Shard, reading: Reading) -> Iterator[Shard]:
    """Addresses in groups. All addresses of a host are in one group, so only one process at a time
    requests from it."""
    from tearsheet.bulk.addresses import group_of, listed_addresses

    urls = [url for _, url in listed_addresses(whole.source, reading.options)]
    count = max(-(-len(urls) // _ADDRESSES_EACH), 1)
    for group in sorted({group_of(url, count) for url in urls}):
        yield replace(whole, begin=group, end=count)


def _ranges(whole: Shard, extent: int, step: int) -> Iterator[Shard]:
    """Equal ranges of a file; an empty file has one."""
    for begin in range(0, max(extent, 1), step):
        end = begin + step
        yield replace(whole, begin=begin, end=end if end < extent else -1)
