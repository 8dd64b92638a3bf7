"""WARC files for tests, made by hand so that they can also be made wrong."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path


def response(
    url: str, body: bytes, *, length: int | str | None = None, headers: str = "", status: int = 200
) -> bytes:
    """One uncompressed record; `length` lies about its size."""
    http = f"HTTP/1.1 {status} OK\r\nContent-Type: text/html\r\n{headers}\r\n".encode() + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http) if length is None else length}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def page(number: int, words: int = 60) -> bytes:
    """A small page whose text tells its number."""
    text = f"Page {number} tells of the harbour, the ferry and the gulls above it. " * (words // 12)
    menu = "".join(f"<a href=/{i}>Item {i}</a> " for i in range(12))
    return (
        f"<title>Story {number}</title><nav>{menu}</nav><h1>Story {number}</h1><p>{text}".encode()
    )


def write(path: Path, records: Iterable[bytes]) -> Path:
    """A WARC file of the records; each is a gzip member of its own when the name ends in gz."""
    packed = path.suffix == ".gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(gzip.compress(r, 1) if packed else r for r in records))
    return path


def stories(count: int) -> list[bytes]:
    return [response(f"https://sample.invalid/{i}", page(i)) for i in range(count)]
