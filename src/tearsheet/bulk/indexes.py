"""Pages by their coordinates: an index names the file, the offset and the length of each record.

There are two kinds of index: CDX and CDXJ, a line per record, as web archives and Common Crawl have
them; and Common Crawl's columnar index, Parquet with `warc_filename`, `warc_record_offset` and
`warc_record_length`. A selection of either (by domain, by language) is an index again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from tearsheet.bulk.locations import open_file, read_part, resolve
from tearsheet.bulk.schema import RawPage
from tearsheet.bulk.tables import lines_of, read_rows, unpack_lines
from tearsheet.bulk.warc import read_record
from tearsheet.errors import TearsheetError
from tearsheet.limits import check_download

if TYPE_CHECKING:
    from tearsheet.bulk.shards import Shard
    from tearsheet.bulk.sources import Reading

_AT_ONCE: Final = 8
"""Records that are requested at a time."""
_AHEAD: Final = 32
_OLDEST: Final = 11
"""Fields of a line of CDX: its last three are length, offset and file."""
_FARTHEST: Final = 1 << 43
"""Bytes; larger offsets cannot be right."""


class Coordinates(NamedTuple):
    """Where a record is."""

    file: str
    offset: int
    length: int


def read_records(shard: Shard, reading: Reading) -> Iterator[RawPage]:
    """The pages that an index names, in its order."""
    waiting: deque[Future[RawPage]] = deque()
    with (
        ThreadPoolExecutor(_AT_ONCE, "tearsheet-read") as threads,
        open_file(shard.source, reading.options) as index,
    ):
        for place, found in _coordinates(index, shard):
            waiting.append(threads.submit(_read, place, found, shard, reading))
            while len(waiting) > _AHEAD or (waiting and waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _read(place: int, found: Coordinates | str, shard: Shard, reading: Reading) -> RawPage:
    if isinstance(found, str):
        return RawPage(shard.source, place, error=f"input: {found}")
    try:
        check_download(found.length, reading.options.max_bytes, "the record")
        source = resolve(found.file, shard.source, reading.prefix)
        raw = read_part(source, found.offset, found.offset + found.length, reading.options)
    except TearsheetError as error:
        return RawPage(found.file, found.offset, error=f"{error.code}: {error}")
    except FileNotFoundError:
        return RawPage(found.file, found.offset, error="not-found: no such file")
    except (IsADirectoryError, NotADirectoryError, PermissionError, ValueError):
        return RawPage(found.file, found.offset, error="input: no file that can be read")
    return read_record(raw, source, found.offset, reading.options.max_bytes)


def _coordinates(index: IO[bytes], shard: Shard) -> Iterator[tuple[int, Coordinates | str]]:
    """The place of each entry in the index, and its coordinates or a text that describes an
    error."""
    if shard.kind == "index":
        columns = ["warc_filename", "warc_record_offset", "warc_record_length"]
        for number, values in read_rows(index, shard, columns):
            yield number, _from_values(*(values[name] for name in columns))
        return
    for offset, line in lines_of(unpack_lines(index, shard.source), shard):
        if not line.startswith((b" CDX ", b"!")):
            yield offset, read_line(line)


def read_line(line: bytes) -> Coordinates | str:
    """The coordinates in a line of CDX or CDXJ; a text describes an error.

    >>> read_line(b'org,a)/ 2026 {"filename": "a.warc.gz", "offset": "9", "length": "50"}')
    Coordinates(file='a.warc.gz', offset=9, length=50)
    >>> read_line(b"org,a)/ 2026 https://a.org/ text/html 200 X - - 50 9 a.warc.gz")
    Coordinates(file='a.warc.gz', offset=9, length=50)
    >>> read_line(b"org,a)/")
    'the line names no file, offset and length'
    """
    text = line.decode("utf-8", "replace").strip()
    _, brace, values = text.partition("{")
    if brace:
        try:
            found = json.loads(brace + values)
            return _from_values(found["filename"], found["offset"], found["length"])
        except (ValueError, KeyError, RecursionError):
            return "the line names no file, offset and length"
    fields = text.split(" ")
    if len(fields) < _OLDEST:
        return "the line names no file, offset and length"
    return _from_values(fields[-1], fields[-2], fields[-3])


def _from_values(file: object, offset: object, length: object) -> Coordinates | str:
    try:
        found = Coordinates(str(file), int(str(offset)), int(str(length)))
    except ValueError:
        return "offset and length are no numbers"
    if not 0 <= found.offset <= _FARTHEST or found.length < 1:
        return "offset and length are no place in a file"
    return found
