"""Pages from files with one page per line or row: JSONL and Parquet."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, Final

from tearsheet.bulk.schema import RawPage
from tearsheet.errors import FetchFailed

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile

    from tearsheet.bulk.shards import Shard

HTML_NAMES: Final = ("html", "body", "content", "raw_content", "markup")
URL_NAMES: Final = ("url", "uri", "link", "id")
_BATCH: Final = 64


def read_jsonl(file: IO[bytes], shard: Shard, html: str | None) -> Iterator[RawPage]:
    """One page per line: an object with the HTML under `html` or another of the usual names."""
    for offset, line in lines_of(unpack_lines(file, shard.source), shard):
        yield _from_line(shard.source, offset, line, html)


def unpack_lines(file: IO[bytes], name: str) -> IO[bytes]:
    """The lines of a file without the compression that its name tells."""
    if name.lower().endswith(".gz"):
        return gzip.open(file)  # type: ignore[return-value]
    if name.lower().endswith(".zst"):
        import zstandard

        raw = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        return io.BufferedReader(raw)
    return file


def lines_of(file: IO[bytes], shard: Shard) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in the range of a shard and are not empty, each with its first byte."""
    offset = shard.begin
    if offset:  # the line with the byte before belongs to the previous shard
        file.seek(offset - 1)
        offset += len(file.readline()) - 1
    while (shard.end < 0 or offset < shard.end) and (line := file.readline()):
        if line.strip():
            yield offset, line
        offset += len(line)


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


def read_parquet(file: IO[bytes], shard: Shard, html: str | None) -> Iterator[RawPage]:
    """One page per row, its HTML in the given column or in one with a usual name."""
    import pyarrow.parquet as pq

    names = pq.read_schema(file).names
    column = html or next((name for name in HTML_NAMES if name in names), None)
    if column is None or column not in names:
        what = f"column '{column}'" if column else "column of HTML"
        raise FetchFailed(f"{shard.source} has no {what}; it has: {', '.join(names)}", code="input")
    address = next((name for name in URL_NAMES if name in names), None)
    for number, row in read_rows(file, shard, [column, *([address] if address else [])]):
        yield _from_row(shard.source, number, row[column], row.get(address or ""))


def read_rows(
    file: IO[bytes], shard: Shard, columns: list[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows in the range of a shard, each with its number; other row groups are not read."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as table:
        end = table.metadata.num_rows if shard.end < 0 else shard.end
        for first, batch in _read_batches(table, shard.begin, end, columns):
            begin, stop = max(shard.begin - first, 0), end - first
            if begin < batch.num_rows and stop > begin:
                rows = batch.slice(begin, stop - begin).to_pylist()
                yield from enumerate(rows, first + begin)


def _read_batches(
    table: ParquetFile, begin: int, end: int, columns: list[str]
) -> Iterator[tuple[int, RecordBatch]]:
    """The batches of the row groups in a range, each with the number of its first row."""
    number = 0
    for group in range(table.num_row_groups):
        size = table.metadata.row_group(group).num_rows
        first = number
        if number + size > begin and number < end:
            for batch in table.iter_batches(_BATCH, row_groups=[group], columns=columns):
                yield first, batch
                first += batch.num_rows
        number += size


def _from_row(path: str, number: int, html: Any, url: Any) -> RawPage:
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
    if not isinstance(html, bytes):
        return RawPage(path, number, url and str(url), error="input: the row holds no HTML")
    return RawPage(path, number, url and str(url), html)
