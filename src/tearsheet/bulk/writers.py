"""Batches of rows → files that stay valid when a run is killed.

Rows are written in the order of the inputs, so that the last row says where the next run continues.
The name of the output decides its shape:

- `NAME.jsonl`: one file, appended to; an incomplete last line is cut off;
- any other name: a folder of Parquet files, each of which gets its name when it is complete;
- the same with a format: a folder with a document per article, and `index.jsonl`, whose line for a
  page is written after its document.

The settings of the run are stored beside the output (`_run.json`). Only a run with the same ones
may continue it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from tearsheet.bulk.sources import Place
from tearsheet.errors import TearsheetError

_PART: Final = 4096
"""Most rows of one Parquet file."""
_AGE: Final = 120.0
"""Seconds after which a file is completed anyway: the most work that a killed run loses."""
_GROUP: Final = 512
"""Rows that are collected before they are written."""
CONTENT: Final = ("text", "markdown", "html", "blocks", "document")
"""Columns that are not in the index of a folder of documents."""
_LINES: Final = (".jsonl", ".ndjson")


class Writer(Protocol):
    """Where rows go."""

    def last_written(self) -> Place | None:
        """The last row that earlier runs have written."""

    def earlier(self) -> Iterator[dict[str, Any]]:
        """Name and `minhash` of the rows that earlier runs have written."""

    def write(self, batch: pa.RecordBatch) -> None: ...

    def close(self) -> None:
        """Completes what was written, so that it lasts."""


class OtherRun(TearsheetError):
    """The output holds the rows of another run."""

    code = "output"


def writer_for(out: str, made_by: Mapping[str, Any]) -> Writer:
    """The writer for an output, by its name and the `format` in `made_by`; an output that something
    else has made is refused."""
    _check_run(out, dict(made_by))
    if form := made_by.get("format"):
        return _Documents(Path(out), form)
    return _Lines(Path(out)) if out.endswith(_LINES) else _Parts(Path(out))


def beside(out: str, name: str) -> Path:
    """A file that belongs to an output; readers of folders skip names that begin with `_`."""
    return Path(f"{out}._{name}") if out.endswith(_LINES) else Path(out) / f"_{name}"


def _check_run(out: str, made_by: dict[str, Any]) -> None:
    record = beside(out, "run.json")
    if record.exists():
        _compare(out, json.loads(record.read_text("utf-8")), made_by)
    elif any(path.exists() for path in _output_files(out)):
        raise OtherRun(f"{out} was not made by this command: choose another output")
    else:
        record.parent.mkdir(parents=True, exist_ok=True)
        half = record.with_suffix(".unfinished")
        half.write_text(json.dumps(made_by, indent=1), "utf-8")
        half.rename(record)


def _output_files(out: str) -> list[Path]:
    path = Path(out)
    return [path] if out.endswith(_LINES) else [path / "index.jsonl", *path.glob("*.parquet")]


def _compare(out: str, then: dict[str, Any], now: dict[str, Any]) -> None:
    now = json.loads(json.dumps(now))  # as it is stored: a tuple becomes a list
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if names:
        differences = ", ".join(
            f"{name} {then.get(name)!r} (now {now.get(name)!r})" for name in names
        )
        raise OtherRun(
            f"{out} was made with {differences}: use the same settings or choose another output"
        )


class _Parts:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir(parents=True, exist_ok=True)
        for half in folder.glob("_part-*"):
            half.unlink()
        self._number = len(self._parts())
        self._file: pq.ParquetWriter | None = None
        self._held: list[pa.RecordBatch] = []
        self._rows, self._began = 0, 0.0

    def last_written(self) -> Place | None:
        parts = self._parts()
        if not parts:
            return None
        with pq.ParquetFile(parts[-1]) as file:
            group = file.read_row_group(file.num_row_groups - 1, columns=list(_NAMING))
        return _place(group.slice(group.num_rows - 1).to_pylist()[0])

    def earlier(self) -> Iterator[dict[str, Any]]:
        for part in self._parts():
            with pq.ParquetFile(part) as file:
                yield from file.read([*_NAMING, "minhash"]).to_pylist()

    def write(self, batch: pa.RecordBatch) -> None:
        self._began = self._began if self._rows else time.monotonic()
        self._held.append(batch)
        self._rows += batch.num_rows
        if sum(held.num_rows for held in self._held) >= _GROUP:
            self._flush()
        if self._rows >= _PART or time.monotonic() - self._began > _AGE:
            self.close()

    def close(self) -> None:
        self._flush()
        if self._file is not None:
            self._file.close()
            _to_disk(self._half())
            self._half().rename(self._folder / f"part-{self._number:05}.parquet")
            self._file, self._rows = None, 0
            self._number += 1

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("part-*.parquet"))

    def _half(self) -> Path:
        return self._folder / f"_part-{self._number:05}.parquet"

    def _flush(self) -> None:
        if not self._held:
            return
        if self._file is None:
            self._file = pq.ParquetWriter(self._half(), self._held[0].schema, compression="zstd")
        self._file.write_table(pa.Table.from_batches(self._held))
        self._held = []


_NAMING: Final = ("source", "offset", "url")


class _Lines:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        self._last = self._last_line()

    def last_written(self) -> Place | None:
        return _place(json.loads(self._last)) if self._last else None

    def earlier(self) -> Iterator[dict[str, Any]]:
        with self._path.open("rb") as file:
            yield from map(json.loads, file)

    def write(self, batch: pa.RecordBatch) -> None:
        self.append(batch.to_pylist())

    def append(self, rows: Iterable[dict[str, Any]]) -> None:
        lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
        self._file.write("".join(f"{line}\n" for line in lines).encode())
        self._file.flush()

    def close(self) -> None:
        os.fsync(self._file.fileno())
        self._file.close()

    def _last_line(self) -> bytes:
        """The last complete line; what follows it is cut off."""
        end, tail = self._file.seek(0, os.SEEK_END), b""
        place = end
        while place and tail.rstrip(b"\n").count(b"\n") < 2:
            step = min(place, 1 << 16)
            place = self._file.seek(place - step)
            tail = self._file.read(step) + tail
        whole, mark, half = tail.rpartition(b"\n")
        self._file.truncate(end - len(half))
        return whole.rpartition(b"\n")[2] if mark else b""


class _Documents:
    def __init__(self, folder: Path, form: str) -> None:
        self._folder, self._form = folder, form
        self._index = _Lines(folder / "index.jsonl")
        with (folder / "index.jsonl").open("rb") as file:
            self._number = sum(1 for _ in file)

    def last_written(self) -> Place | None:
        return self._index.last_written()

    def earlier(self) -> Iterator[dict[str, Any]]:
        return self._index.earlier()

    def write(self, batch: pa.RecordBatch) -> None:
        self._index.append([self._write_document(row) for row in batch.to_pylist()])

    def close(self) -> None:
        self._index.close()

    def _write_document(self, row: dict[str, Any]) -> dict[str, Any]:
        """Writes the document of a row; returns the line of the index."""
        document, name = row["document"], None
        if document is not None:
            words = re.sub(r"[^\w]+", "-", (row.get("title") or "").lower()).strip("-")
            name = f"{self._number:08}-{words[:40] or 'untitled'}.{self._form}"
            (self._folder / name).write_bytes(document)
        self._number += 1
        return {"file": name} | {n: v for n, v in row.items() if n not in CONTENT}


def _place(row: dict[str, Any]) -> Place:
    return Place(row["source"], row["offset"])


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
