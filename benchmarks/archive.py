"""`python -m benchmarks.archive OUT.warc.gz [PAGES]`: a WARC file of WCXB's development pages.

If more pages are asked for than there are (1,497), they are repeated. Each record is compressed by
itself.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from tearsheet import datasets
from tearsheet.datasets import Example


def main(path: str, count: int | None = None) -> int:
    """Writes the archive; returns the number of its records."""
    with Path(path).open("wb") as file:
        return sum(1 for record in records(count) if file.write(record))


def records(count: int | None = None) -> Iterator[bytes]:
    """The records of `count` pages, or of each page once."""
    pages = datasets.read("wcxb")
    if count is None or count <= len(pages):
        yield from map(make_record, pages[:count])
        return
    yield from islice(cycle([make_record(page) for page in pages]), count)


def make_record(page: Example) -> bytes:
    """A page as a compressed record."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.html
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page.url or page.name}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n", 6)


if __name__ == "__main__":
    written = main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
    print(f"{written} pages: {sys.argv[1]}")
