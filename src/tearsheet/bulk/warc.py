"""Pages from WARC files, compressed or not, from a file or a pipe, and from WACZ files.

A page is a successful response with HTML, or a resource that is HTML. Damage costs only the records
that it is in: a record with a wrong length, or one that cannot be decompressed, is skipped, and
reading continues at the next beginning of a record.
"""

from __future__ import annotations

import re
import warnings
import zipfile
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

from tearsheet.bulk.extract import describe_error
from tearsheet.bulk.schema import RawPage
from tearsheet.errors import FetchFailed
from tearsheet.limits import check_download

with warnings.catch_warnings():  # FastWARC 1.1 warns of its own old classes when it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

_PAGES: Final = ("text/html", "application/xhtml+xml")
_HEADER: Final = re.compile(rb"(?<=\n)WARC/1\.[01]\r?\n")
_SWALLOWED: Final = re.compile(rb"\r\n\r\nWARC/1\.[01]\r\n(?:WARC|Content)-")
_GZIP: Final = b"\x1f\x8b\x08"
_CHUNK: Final = 1 << 20


class _Pending(NamedTuple):
    """A record that waits until the next one is found where it should be."""

    offset: int
    page: RawPage | None
    swallowed: int
    """Where another record begins in its body, because its length is wrong; or -1."""
    is_short: bool


def read_warc(path: str, after: int, limit: int) -> Iterator[RawPage]:
    """The pages of a WARC file whose records begin after a byte; `-` is standard input."""
    if path == "-":
        import sys

        yield from _records(_Pipe(sys.stdin.buffer), "-", after, limit)
        return
    with Path(path).open("rb") as file:
        yield from _records(file if file.seekable() else _Pipe(file), path, after, limit)


def read_wacz(path: str, member: str, after: int, limit: int) -> Iterator[RawPage]:
    """The pages of one WARC file inside a WACZ file."""
    with zipfile.ZipFile(path) as packed, packed.open(member) as file:
        yield from _records(file, f"{path}/{member}", after, limit)


def wacz_members(path: str) -> list[str]:
    """The WARC files of a WACZ file."""
    with zipfile.ZipFile(path) as packed:
        return [name for name in packed.namelist() if re.search(r"\.warc(\.gz)?$", name)]


class _Pipe:
    """A stream that cannot go back but knows its position."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._place = stream, 0

    def read(self, size: int = -1) -> bytes:
        found = self._stream.read(size)
        self._place += len(found)
        return found

    def tell(self) -> int:
        return self._place


def _records(stream: IO[bytes] | _Pipe, source: str, after: int, limit: int) -> Iterator[RawPage]:
    place: int | None = max(after, 0)
    while place is not None:
        if isinstance(stream, _Pipe):
            damage = yield from _read_to_damage(stream, source, after, limit)
            if damage is not None:
                why = "archive: it is damaged here, and a pipe cannot be read again"
                yield RawPage(source, stream.tell(), error=why)
            return
        stream.seek(place)
        damage = yield from _read_to_damage(stream, source, after, limit)
        place = None if damage is None else _next_record(stream, damage + 1)


def _read_to_damage(
    stream: IO[bytes] | _Pipe, source: str, after: int, limit: int
) -> Generator[RawPage, None, int | None]:
    """The pages up to the end or to damage; returns the place after which to look for more."""
    began, held, why = stream.tell(), None, ""
    try:
        archive = ArchiveIterator(
            stream,  # type: ignore[arg-type]
            record_types=WarcRecordType.any_type,
            parse_http=True,
            auto_decode="transfer",
        )
        for record in archive:
            if held is not None and held.page is not None:
                yield held.page
            held = _read_record(record, source, after, limit)
    except Exception as error:
        why = str(error)
    if held is None:
        if not why:
            return None
        if began > after:
            yield RawPage(source, began, error=f"archive: {why}")
        return began
    is_damaged = bool(why) or (held.is_short and held.swallowed >= 0)
    if held.page is not None:
        yield _trim(held) if is_damaged else held.page
    return held.offset if is_damaged else None


def _read_record(record: WarcRecord, source: str, after: int, limit: int) -> _Pending:
    offset = record.stream_pos
    if offset <= after:
        return _Pending(offset, None, -1, False)
    declared = record.content_length
    body = record.reader.read(limit + 1)
    found = _SWALLOWED.search(body)
    page = _page(record, source, body, limit)
    return _Pending(offset, page, found.start() if found else -1, len(body) < declared)


def _page(record: WarcRecord, source: str, body: bytes, limit: int) -> RawPage | None:
    """The record as a page; None if it is something else."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    offset, http = record.stream_pos, record.http_headers
    compression = None
    if record.record_type == WarcRecordType.response:
        if http is None or http.status_code is None:
            return RawPage(source, offset, url, error="archive: the response cannot be read")
        if not 200 <= http.status_code < 300 or not _is_page(record.http_content_type, body):
            return None
        compression = http.get("Content-Encoding")
    elif record.record_type != WarcRecordType.resource or not _is_page(
        record.headers.get("Content-Type"), b""
    ):
        return None
    try:
        check_download(len(body), limit, "the record")
    except FetchFailed as error:
        return RawPage(source, offset, url, error=describe_error(error))
    return RawPage(source, offset, url, body, record.http_charset, compression)


def _is_page(media_type: str | None, body: bytes) -> bool:
    if not media_type:
        return body[:512].lstrip().startswith(b"<")
    return media_type.partition(";")[0].strip().lower() in _PAGES


def _trim(held: _Pending) -> RawPage:
    """The page without the records that its wrong length has added."""
    assert held.page is not None
    body = held.page.body
    if body is None or held.swallowed < 0:
        return held.page
    return held.page._replace(body=body[: held.swallowed])


def _next_record(stream: IO[bytes], place: int) -> int | None:
    """Where the next record begins, at or after a place; None if there is none."""
    stream.seek(0)
    is_gzip = stream.read(len(_GZIP)) == _GZIP
    begin = max(place - 1, 0)  # a plain record follows an end of line
    stream.seek(begin)
    window = stream.read(_CHUNK)
    while window:
        for found in _beginnings(window, is_gzip):
            if begin + found >= place:
                return begin + found
        more = stream.read(_CHUNK)
        keep = min(len(window), 1024) if more else 0  # a record may begin across the border
        begin += len(window) - keep
        window = window[len(window) - keep :] + more if more else b""
    return None


def _beginnings(window: bytes, is_gzip: bool) -> Iterator[int]:
    if not is_gzip:
        yield from (match.start() for match in _HEADER.finditer(window))
        return
    place = window.find(_GZIP)
    while place >= 0:
        if _begins_a_record(window[place : place + 1024]):
            yield place
        place = window.find(_GZIP, place + 1)


def _begins_a_record(start: bytes) -> bool:
    try:
        return zlib.decompressobj(wbits=31).decompress(start, 5) == b"WARC/"
    except zlib.error:
        return False
