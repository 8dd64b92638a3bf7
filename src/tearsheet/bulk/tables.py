"""Pages from files with one page per line or row: JSONL and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tearsheet.bulk.schema import RawPage
from tearsheet.errors import FetchFailed

HTML_NAMES: Final = ("html", "body", "content", "raw_content", "markup")
URL_NAMES: Final = ("url", "uri", "link", "id")
_BATCH: Final = 64


def read_jsonl(path: str, after: int, html: str | None) -> Iterator[RawPage]:
    """One page per line: an object with the HTML under `html` or another of the usual names."""
    for offset, line in lines(path, after):
        yield _from_line(path, offset, line, html)


def lines(path: str, after: int = -1) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not empty, each with the byte at which it begins; skips those
    up to the line at byte `after`."""
    with Path(path).open("rb") as file:
        file.seek(max(after, 0))
        if after >= 0:
            file.readline()
        offset = file.tell()
        while line := file.readline():
            if line.strip():
                yield offset, line
            offset = file.tell()


def _from_line(path: str, offset: int, line: bytes, html: str | None) -> RawPage:
    try:
        values = json.loads(line)
        if not isinstance(values, dict):
            raise TypeError("not an object")
    except (ValueError, TypeError, RecursionError) as error:
        return RawPage(path, offset, error=f"input: the line cannot be read: {error}")
    name = html or next((name for name in HTML_NAMES if name in values), None)
    if name is None or not isinstance(values.get(name), str):
        return RawPage(path, offset, error=f"input: no text under {name or HTML_NAMES}")
    url = next((values[name] for name in URL_NAMES if isinstance(values.get(name), str)), None)
    return RawPage(path, offset, url, values[name].encode("utf-8", "replace"))


def read_parquet(path: str, after: int, html: str | None) -> Iterator[RawPage]:
    """One page per row, its HTML in the given column or in one with a usual name."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        column = html or next((name for name in HTML_NAMES if name in names), None)
        if column not in names:
            what = f"column '{column}'" if column else "column of HTML"
            raise FetchFailed(f"{path} has no {what}; it has: {', '.join(names)}", code="input")
        address = next((name for name in URL_NAMES if name in names), None)
        columns = [column, *([address] if address else [])]
        number = 0
        for group in range(file.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            if number + size <= after + 1:
                number += size
                continue
            for batch in file.iter_batches(_BATCH, row_groups=[group], columns=columns):
                for row in batch.to_pylist():
                    if number > after:
                        yield _from_row(path, number, row[column], row.get(address or ""))
                    number += 1


def count_rows(path: str) -> int:
    """How many rows a Parquet file has."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        rows: int = file.metadata.num_rows
        return rows


def _from_row(path: str, number: int, html: Any, url: Any) -> RawPage:
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
    if not isinstance(html, bytes):
        return RawPage(path, number, url and str(url), error="input: the row holds no HTML")
    return RawPage(path, number, url and str(url), html)
