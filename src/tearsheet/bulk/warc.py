"""Pages from WARC files, compressed or not, whole or a range of them, and from WACZ files.

A page is a successful response with HTML, or a resource that is HTML. Damage costs only the records
that it is in: a record with a wrong length, or one that cannot be decompressed, is skipped, and
reading continues at the next beginning of a record.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Generator, Iterator
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from tearsheet.bulk.extract import describe_error
from tearsheet.bulk.schema import RawPage
from tearsheet.bulk.sources import Span
from tearsheet.errors import FetchFailed
from tearsheet.limits import check_download
from tearsheet.types import HTML_TYPES

with warnings.catch_warnings():  # FastWARC 1.1 warns of its own old classes when it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

if TYPE_CHECKING:
    from tearsheet.bulk.shards import Shard

_WARC: Final = re.compile(r"\.warc(\.gz|\.zst)?$", re.IGNORECASE)
_HEADER: Final = re.compile(rb"(?<=\n)WARC/1\.[01]\r?\n")
_SWALLOWED: Final = re.compile(rb"\r\n\r\nWARC/1\.[01]\r\n(?:WARC|Content)-")
_GZIP: Final = b"\x1f\x8b\x08"
_WINDOW: Final = 1 << 20
_HEAD: Final = 1 << 16
"""Bytes that hold the headers of a record."""
_CHUNK_SIZE: Final = re.compile(rb"(?:\r\n)?([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_LONGEST_REASON: Final = 200
"""Characters of a reason of FastWARC's, which may quote the record."""


class _Pending(NamedTuple):
    """A record that waits until the next one is found where it should be."""

    offset: int
    page: RawPage | None
    swallowed: int
    """Where another record begins in its body because its length is wrong; else -1."""
    is_short: bool
    is_chunked: bool


def read_warc(file: IO[bytes], shard: Shard, limit: int, span: Span) -> Iterator[RawPage]:
    """The pages whose records begin in the range of a shard; notes the range in `span`."""
    yield from _records(_ArchiveStream(file), shard.source, shard, limit, span)


def read_wacz(file: IO[bytes], shard: Shard, limit: int, span: Span) -> Iterator[RawPage]:
    """The pages of one WARC file inside a WACZ file."""
    (member,) = shard.names
    with zipfile.ZipFile(file) as packed, packed.open(member) as inner:
        yield from _records(_ArchiveStream(inner), f"{shard.source}/{member}", shard, limit, span)


def wacz_members(file: IO[bytes]) -> list[str]:
    """The WARC files of a WACZ file."""
    try:
        with zipfile.ZipFile(file) as packed:
            found = [name for name in packed.namelist() if _WARC.search(name)]
    except zipfile.BadZipFile as error:
        raise ValueError(str(error)) from None
    if not found:
        raise ValueError("there is no WARC file in it")
    return found


def read_record(raw: bytes, source: str, offset: int, limit: int) -> RawPage:
    """The page of one record that was read by itself."""
    pages = list(_read_to_damage(_ArchiveStream(io.BytesIO(raw)), source, -1, limit, Span()))
    if not pages:
        return RawPage(source, offset, error="input: the record is not a page")
    return pages[0]._replace(offset=offset)


class _ArchiveStream:
    """A file that remembers its read error, since FastWARC's own errors are OSErrors, too."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.failure: Exception | None = None
        self.tell, self.seek = file.tell, file.seek

    def is_gzip(self) -> bool:
        """Whether its records are compressed; loses its place."""
        self.seek(0)
        return self.read(len(_GZIP)) == _GZIP

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except Exception as error:
            self.failure = error
            raise


def _records(
    stream: _ArchiveStream, source: str, shard: Shard, limit: int, span: Span
) -> Iterator[RawPage]:
    place = _next_record(stream, shard.begin) if shard.begin else 0
    span.first = span.after = stream.seek(0, io.SEEK_END) if place is None else place
    while place is not None:
        if 0 <= shard.end <= place:
            span.after = place
            return
        stream.seek(place)
        damage = yield from _read_to_damage(stream, source, shard.end, limit, span)
        if damage is None:
            return
        place = _next_record(stream, damage + 1)
    span.after = stream.seek(0, io.SEEK_END)


def _read_to_damage(
    stream: _ArchiveStream, source: str, end: int, limit: int, span: Span
) -> Generator[RawPage, None, int | None]:
    """The pages up to the end or to damage; returns the place from which to search for more, or
    None at the end."""
    began, held, why = stream.tell(), None, ""
    try:
        archive = ArchiveIterator(
            stream,  # type: ignore[arg-type]
            record_types=WarcRecordType.any_type,
            parse_http=True,
            auto_decode="none",
        )
        for record in archive:
            if held is not None and held.page is not None:
                yield _finish(held)
            held, began = None, record.stream_pos
            if 0 <= end <= began and _begins_at(stream, began, record):
                span.after = began
                return None
            held = _read_record(record, source, limit)
    except Exception as error:
        if stream.failure is not None:  # the store or the network, not the archive
            raise stream.failure from None
        why = str(error)[:_LONGEST_REASON]
    if held is None:
        if not why:
            span.after = stream.seek(0, io.SEEK_END)
            return None
        yield RawPage(source, began, error=f"archive: {why}")
        return began
    is_damaged = bool(why) or (held.is_short and held.swallowed >= 0)
    if held.page is not None:
        yield _finish(held, is_damaged=is_damaged)
    if not is_damaged:
        span.after = stream.seek(0, io.SEEK_END)
    return held.offset if is_damaged else None


def _read_record(record: WarcRecord, source: str, limit: int) -> _Pending:
    offset, declared = record.stream_pos, record.content_length
    body = record.reader.read(limit + 1)
    found = _SWALLOWED.search(body)
    page = _page(record, source, body, limit)
    http = record.http_headers
    is_chunked = http is not None and "chunked" in (http.get("Transfer-Encoding") or "").lower()
    swallowed = found.start() if found else -1
    return _Pending(offset, page, swallowed, len(body) < declared, is_chunked)


def _page(record: WarcRecord, source: str, body: bytes, limit: int) -> RawPage | None:
    """The record as a page; None if it is something else."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>") or None
    offset, http = record.stream_pos, record.http_headers
    known = RawPage(
        source, offset, url,
        captured=record.headers.get("WARC-Date"),
        record_id=(record.headers.get("WARC-Record-ID") or "").strip("<>") or None,
        digest=record.headers.get("WARC-Payload-Digest"),
    )  # fmt: skip
    if record.record_type == WarcRecordType.response:
        if http is None or http.status_code is None:
            return known._replace(error="archive: the response cannot be read")
        known = known._replace(status=http.status_code, content_type=record.http_content_type)
        if not 200 <= http.status_code < 300 or not _is_page(record.http_content_type, body):
            return None
        known = known._replace(
            encoding=record.http_charset, compression=http.get("Content-Encoding")
        )
    elif record.record_type != WarcRecordType.resource or not _is_page(
        record.headers.get("Content-Type"), b""
    ):
        return None
    try:
        check_download(len(body), limit, "the record")
    except FetchFailed as error:
        return known._replace(error=describe_error(error))
    return known._replace(body=body)


def _is_page(media_type: str | None, body: bytes) -> bool:
    if not media_type:
        return body[:512].lstrip().startswith(b"<")
    return media_type.partition(";")[0].strip().lower() in HTML_TYPES


def _finish(held: _Pending, *, is_damaged: bool = False) -> RawPage:
    """The page without records that it contains only because its length is wrong, and with its
    chunks joined."""
    assert held.page is not None
    body = held.page.body
    if body is None:
        return held.page
    if is_damaged and held.swallowed >= 0:
        body = body[: held.swallowed]
    return held.page._replace(body=join_chunks(body) if held.is_chunked else body)


def join_chunks(body: bytes) -> bytes:
    """A body in HTTP's chunks without their lengths. Many archives keep the header that announces
    chunks for bodies without them: these stay as they are, and so does what follows damage.

    >>> join_chunks(b"6\\r\\n<p>One\\r\\n4;a=b\\r\\n two\\r\\n0\\r\\n\\r\\n")
    b'<p>One two'
    >>> join_chunks(b"<p>One")
    b'<p>One'
    """
    parts: list[bytes] = []
    place = 0
    while found := _CHUNK_SIZE.match(body, place):
        length, begin = int(found[1], 16), found.end()
        if not length:
            return b"".join(parts)
        place = begin + length
        parts.append(body[begin:place])
    return b"".join([*parts, body[place:]])


def _begins_at(stream: _ArchiveStream, place: int, record: WarcRecord) -> bool:
    """Whether the shard that begins there will find this record. If one gzip member holds several
    records, they belong to the shard in which the member begins, because FastWARC knows no place
    inside a member."""
    back = stream.tell()
    stream.seek(place)
    start = stream.read(_HEAD)
    is_gzip = stream.is_gzip()
    stream.seek(back)
    if not is_gzip:
        return True
    head = _unpack(start, _HEAD).partition(b"\r\n\r\n")[0].decode("utf-8", "replace")
    values = {line.partition(":")[2].strip() for line in head.splitlines()}
    return values.issuperset(record.headers.values())


def _next_record(stream: _ArchiveStream, place: int) -> int | None:
    """Where the next record begins, at or after a place; None at the end."""
    is_gzip = stream.is_gzip()
    begin = max(place - 1, 0)  # a plain record follows an end of line
    stream.seek(begin)
    window = stream.read(_WINDOW)
    while window:
        for found in _beginnings(window, is_gzip):
            if begin + found >= place:
                return begin + found
        more = stream.read(_WINDOW)
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
    return _unpack(start, 5) == b"WARC/"


def _unpack(start: bytes, most: int) -> bytes:
    """The first bytes of a gzip member; none if it is not one."""
    try:
        return zlib.decompressobj(wbits=31).decompress(start, most)
    except zlib.error:
        return b""
