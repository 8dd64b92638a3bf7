"""Rows → one file, by one of these forms:

- `parquet`: the columns of the schema; the file's metadata says what made it;
- `jsonl`, `jsonl.zst`, `jsonl.gz`: an object per line;
- `wet.gz`: WARC records of plain text, as Common Crawl's; a row with an error is a `metadata`
  record.

A file is written on the worker's own disk and moved to its place when it is complete.
"""

from __future__ import annotations

import gzip
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from tearsheet.bulk.tables import unpack_lines

_GROUP: Final = 512
"""Rows that are collected before they are written."""
ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)

Row = dict[str, Any]


class PartWriter(Protocol):
    """Writes rows to a file."""

    def add(self, row: Row) -> None: ...

    def close(self) -> None: ...


def open_part(path: Path, form: str, schema: pa.Schema, made_by: Mapping[str, str]) -> PartWriter:
    """A writer for a new file."""
    return _FORMS[form](path, schema, made_by)


def read_rows(path: Path, form: str) -> Iterator[Row]:
    """The rows of a file; a WET file has none."""
    if form == "parquet":
        yield from pq.ParquetFile(path).read().to_pylist()
    else:
        with path.open("rb") as file:
            yield from map(json.loads, unpack_lines(file, form))


class _Parquet:
    def __init__(self, path: Path, schema: pa.Schema, made_by: Mapping[str, str]) -> None:
        notes = {f"tearsheet.{name}": value for name, value in made_by.items()}
        self._schema = schema
        self._file = pq.ParquetWriter(path, schema.with_metadata(notes), compression="zstd")
        self._held: list[Row] = []

    def add(self, row: Row) -> None:
        self._held.append(row)
        if len(self._held) == _GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        if self._held:
            self._file.write_table(pa.Table.from_pylist(self._held, schema=self._schema))
            self._held = []


class _Lines:
    def __init__(self, path: Path, schema: pa.Schema, made_by: Mapping[str, str]) -> None:
        self._file, self._names = _open_packed(path), schema.names

    def add(self, row: Row) -> None:
        values = {name: row.get(name) for name in self._names}
        self._file.write(f"{ENCODER.encode(values)}\n".encode())

    def close(self) -> None:
        self._file.close()


def _open_packed(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return gzip.GzipFile(path, "wb", 6, mtime=0)  # type: ignore[return-value]
    if path.suffix == ".zst":
        import zstandard

        return zstandard.ZstdCompressor().stream_writer(path.open("wb"))
    return path.open("wb")


class _Wet:
    """Each record is compressed by itself, so that a reader can begin at any of them."""

    def __init__(self, path: Path, schema: pa.Schema, made_by: Mapping[str, str]) -> None:
        self._file = path.open("wb")
        fields = "".join(f"{name}: {value}\r\n" for name, value in made_by.items())
        self._write(
            {"WARC-Type": "warcinfo", "Content-Type": "application/warc-fields"}, fields, path.name
        )

    def add(self, row: Row) -> None:
        known = {
            "WARC-Target-URI": row["url"],
            "WARC-Date": row["captured"],
            "WARC-Refers-To": row["record_id"] and f"<{row['record_id']}>",
        }
        place = f"{row['source']} {row['offset']}"
        if row.get("error"):
            kind = {"WARC-Type": "metadata", "Content-Type": "application/warc-fields"}
            self._write(kind | known, f"error: {row['error']}\r\n", place)
            return
        kind = {"WARC-Type": "conversion", "Content-Type": "text/plain"}
        language = {"WARC-Identified-Content-Language": row.get("language")}
        self._write(kind | known | language, row["text"], place)

    def close(self) -> None:
        self._file.close()

    def _write(self, headers: Mapping[str, str | None], text: str, place: str) -> None:
        """The id of a record follows from its place, so that a second run writes the same."""
        body = text.encode("utf-8", "replace")
        name = uuid.uuid5(uuid.NAMESPACE_URL, place)
        lines = ["WARC/1.0", f"WARC-Record-ID: <urn:uuid:{name}>"]
        for header, value in headers.items():
            if value:
                lines.append(f"{header}: {' '.join(value.split())}")
        lines += [f"Content-Length: {len(body)}", "", ""]
        record = "\r\n".join(lines).encode("utf-8", "replace") + body + b"\r\n\r\n"
        self._file.write(gzip.compress(record, 6, mtime=0))


_FORMS: Final[Mapping[str, Callable[[Path, pa.Schema, Mapping[str, str]], PartWriter]]] = {
    "parquet": _Parquet,
    "jsonl": _Lines,
    "jsonl.zst": _Lines,
    "jsonl.gz": _Lines,
    "wet.gz": _Wet,
}
FORMS: Final = tuple(_FORMS)
JOINED: Final = ("jsonl", "jsonl.zst", "jsonl.gz")
"""Forms whose files can be joined into one by writing them one after another."""
