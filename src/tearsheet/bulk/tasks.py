"""What a worker does with one task, from beginning to end; every engine calls `perform`.

| stage | a task is | it writes |
|---|---|---|
| survey | a shard | hashes of its segments, by host (`--templates`) |
| templates | a bucket of hosts | what repeats on their pages |
| clip | a shard | its part; with `--unique` the keys of its rows, too |
| duplicates | a bucket of keys | which rows share one |
| mark | a shard | its part again, duplicates marked |

Each ends with a manifest. Doing a task twice, even at the same time, gives the same files.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from tearsheet import gc_pause
from tearsheet.bulk.duplicates import earliest_repeats, find_duplicates, mark_duplicate
from tearsheet.bulk.extract import Settings, describe_error, make_row, survey_page, warm_up
from tearsheet.bulk.keys import Keys, read_keys, write_keys
from tearsheet.bulk.locations import (
    join_location,
    publish,
    read_bytes,
    remove,
    write_bytes,
)  # fmt: skip
from tearsheet.bulk.parts import PartWriter, Row, open_part, read_rows
from tearsheet.bulk.runs import CLIP, BulkRun, Manifest
from tearsheet.bulk.schema import MINHASH, RawPage
from tearsheet.bulk.shards import Shard
from tearsheet.bulk.sources import Span, is_passing, read_pages
from tearsheet.bulk.templates import find_templates, survey_rows
from tearsheet.errors import LimitExceeded, TearsheetError
from tearsheet.workers import BETWEEN, JobFailed, Limits, Pool, Program, Step

SURVEY, TEMPLATES, DUPLICATES, MARK = "survey", "templates", "duplicates", "mark"
_STRIKES: Final = 2
"""How often a process must end on a page before the page gets the blame: once may be chance."""
_TRIES: Final = 3
"""How often a shard is read if a store or the network fails."""
_PAUSE: Final = 2.0
"""Seconds before the second attempt, doubled each time."""
CONTENT: Final = ("text", "markdown", "html", "blocks", "document")
"""Columns that are not in the index of a folder of documents."""


@dataclass(frozen=True, slots=True)
class Task:
    """A unit of work, done by one worker."""

    stage: str
    number: int
    shard: Shard | None = None
    fatal: Mapping[int, str] = field(default_factory=dict)
    """Pages that end the process, by number in the shard, with the error for their rows; BETWEEN
    means that reading itself ended it."""
    strikes: Mapping[int, int] = field(default_factory=dict)
    """How often a process has ended on a page."""


def open_workers(run: BulkRun, count: int) -> Pool[Task, Manifest]:
    """Worker processes that do tasks; one that a page ends is replaced, and its task done again."""
    limits = Limits(run.settings.seconds, run.settings.memory << 20)
    return Pool(count, Program(_begin, run, limits, is_quiet=True), blame)


def open_extractors(settings: Settings) -> Pool[RawPage, Row | str]:
    """A worker process that makes rows of single pages, within the same limits."""
    limits = Limits(settings.seconds, settings.memory << 20)
    program = Program(_begin_pages, settings, limits, is_quiet=True)
    return Pool(1, program, lambda page, step, error: page._replace(error=describe_error(error)))


def _begin_pages(settings: Settings, step: Step) -> Callable[[RawPage], Row | str]:
    warm_up(settings)

    def work(page: RawPage) -> Row | str:
        step(0)
        return make_row(page, settings)

    return work


def _begin(run: BulkRun, step: Step) -> Callable[[Task], Manifest]:
    """In the worker process: loads the models and returns the function for a task."""
    warm_up(run.settings)
    return lambda task: perform(run, task, step)


def blame(task: Task, step: int, error: TearsheetError) -> Task:
    """The task to do after one that ended its process: without the page to blame, if there is
    one."""
    strikes = {**task.strikes, step: task.strikes.get(step, 0) + 1}
    most = _TRIES if step == BETWEEN else _STRIKES
    is_limit = isinstance(error, LimitExceeded) and step != BETWEEN
    if not is_limit and strikes[step] < most:
        return replace(task, strikes=strikes)
    if task.stage != CLIP or isinstance(error, JobFailed) or step in task.fatal:
        raise error
    return replace(task, fatal={**task.fatal, step: describe_error(error)}, strikes=strikes)


def perform(run: BulkRun, task: Task, step: Step = lambda number: None) -> Manifest:
    """Does a task; returns its manifest."""
    began = time.process_time()
    found = _STAGES[task.stage](run, task, step)
    known = {"number": task.number, **found, "seconds": time.process_time() - began}
    return run.note_done(task.stage, known)


def _clip(run: BulkRun, task: Task, step: Step) -> Manifest:
    for attempt in range(1, _TRIES + 1):
        try:
            return _clip_once(run, task, step, is_last=attempt == _TRIES)
        except _ReadAgain:
            time.sleep(_PAUSE * 2 ** (attempt - 1))
    raise AssertionError


class _ReadAgain(Exception):
    """A store or the network has failed, but may work again."""


def _clip_once(run: BulkRun, task: Task, step: Step, *, is_last: bool) -> Manifest:
    shard, span = task.shard, Span()
    assert shard is not None
    counts = _Counts()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"part.{run.form}"
        part = _OpenPart(run, shard, file)
        for number, page in enumerate(_pages(run, task, span, is_last=is_last)):
            row = _row(run, page, number, task, step)
            if isinstance(row, str):
                counts.filtered[row] += 1
                continue
            counts.note(row)
            part.add(row, number, page.offset)
        part.close()
        publish(file, run.part(shard.number))
        size = file.stat().st_size
    return {
        "source": shard.source, "begin": shard.begin, "end": shard.end, "first": span.first,
        "after": span.after, **counts.as_dict(), "bytes": size,
    }  # fmt: skip


@dataclass(slots=True)
class _Counts:
    rows: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    filtered: Counter[str] = field(default_factory=Counter)

    def note(self, row: Row) -> None:
        self.rows += 1
        if row.get("error"):
            self.errors[row["error"].partition(":")[0]] += 1

    def as_dict(self) -> Manifest:
        return {
            "rows": self.rows, "errors": dict(self.errors), "filtered": dict(self.filtered),
        }  # fmt: skip


def _pages(run: BulkRun, task: Task, span: Span, *, is_last: bool) -> Iterator[RawPage]:
    """The pages of the shard. After the last attempt, an unreadable page becomes a page with an
    error."""
    shard = task.shard
    assert shard is not None
    if BETWEEN in task.fatal:
        yield RawPage(shard.source, shard.begin, error=task.fatal[BETWEEN])
        return
    try:
        yield from read_pages(shard, run.reading, span)
    except Exception as error:
        if not is_passing(error):
            raise
        if not is_last:
            raise _ReadAgain from error
        yield RawPage(shard.source, shard.begin, error=f"fetch: {error}")


def _row(run: BulkRun, page: RawPage, number: int, task: Task, step: Step) -> Row | str:
    if reason := run.settings.filters.refuses_address(page.url):
        return reason
    if number in task.fatal:
        page = page._replace(error=task.fatal[number])
    if page.error:
        return make_row(page, run.settings)
    step(number)
    with gc_pause.pause_gc():
        row = make_row(page, run.settings)
    step(BETWEEN)
    return row


class _OpenPart:
    """The part of a shard while it is written, its documents, and the keys of its rows."""

    def __init__(self, run: BulkRun, shard: Shard, file: Path) -> None:
        self._run, self._shard, self._number = run, shard, 0
        self._writer = _writer(run, file)
        self._keys: list[tuple[int, int, int]] = []

    def add(self, row: Row, page: int, offset: int) -> None:
        if keys := row.pop(MINHASH, None):
            place = offset if self._shard.kind in _OFFSETS else page
            self._keys += [(key, self._number, place) for key in keys]
        if self._run.settings.form:
            row = self._write_document(row)
        self._writer.add(row)
        self._number += 1

    def close(self) -> None:
        self._writer.close()
        if self._run.settings.minhash:
            keys = np.array(self._keys, dtype=np.uint64).reshape(-1, 3)
            write_keys(_keys_of(self._run, self._shard.number), keys, self._run.buckets)

    def _write_document(self, row: Row) -> Row:
        """Writes the document of a row; returns the line of the index."""
        document, name = row.pop("document", None), None
        if document is not None:
            words = re.sub(r"[^\w]+", "-", (row.get("title") or "").lower()).strip("-")
            name = f"{self._shard.number:05}-{self._number:05}-{words[:40] or 'untitled'}"
            name = f"{name}.{self._run.settings.form}"
            write_bytes(join_location(self._run.out, name), document)
        return {"file": name, **row}


_OFFSETS: Final = ("warc", "wacz", "jsonl", "parquet", "addresses")
"""Kinds of shards whose source and offset identify a page."""


def _writer(run: BulkRun, file: Path) -> PartWriter:
    return open_part(file, run.form, written_schema(run), run.notes())


def written_schema(run: BulkRun) -> pa.Schema:
    """The columns of a part. An index of documents has their names instead of their content."""
    schema = run.settings.schema
    if not run.settings.form:
        return schema
    fields = [field for field in schema if field.name not in CONTENT]
    return pa.schema([pa.field("file", pa.string()), *fields])


def _keys_of(run: BulkRun, number: int) -> str:
    return run.side_file("keys", f"{number:05}.keys")


def _survey_of(run: BulkRun, number: int) -> str:
    return run.side_file("survey", f"{number:05}.keys")


def _duplicates_of(run: BulkRun, bucket: int) -> str:
    return run.side_file("duplicates", f"{bucket:05}.keys")


def _survey(run: BulkRun, task: Task, step: Step) -> Manifest:
    assert task.shard is not None
    rows: list[tuple[int, int, int]] = []
    for number, page in enumerate(read_pages(task.shard, run.reading, Span())):
        step(number)
        rows += survey_rows(number, page.url, survey_page(page, run.settings))
        step(BETWEEN)
    keys = np.array(rows, dtype=np.uint64).reshape(-1, 3)
    write_keys(_survey_of(run, task.number), keys, run.buckets)
    return {}


def _find_templates(run: BulkRun, task: Task, step: Step) -> Manifest:
    found = find_templates(_bucket(run, task.number, _survey_of))
    write_bytes(
        join_location(run.settings.templates, f"{task.number:05}.hashes"),
        found.astype("<u8").tobytes(),
    )
    return {"templates": len(found)}


def _find_duplicates(run: BulkRun, task: Task, step: Step) -> Manifest:
    found = find_duplicates(_bucket(run, task.number, _keys_of))
    write_keys(_duplicates_of(run, task.number), found, run.shards)
    return {"duplicates": len(found)}


def _bucket(
    run: BulkRun, bucket: int, location: Callable[[BulkRun, int], str]
) -> Iterator[tuple[int, Keys]]:
    """The rows of a bucket, by shard."""
    for number in range(run.shards):
        yield number, read_keys(location(run, number), bucket, run.buckets)


def _mark(run: BulkRun, task: Task, step: Step) -> Manifest:
    """Writes the part again if it has duplicates. A part that was marked before stays the same."""
    tables = [
        read_keys(_duplicates_of(run, bucket), task.number, run.shards)
        for bucket in range(run.buckets)
    ]
    found = earliest_repeats(np.concatenate(tables))
    if len(found):
        firsts = {int(row): (int(shard), int(place)) for _, row, shard, place in found}
        _rewrite(run, task.number, firsts)
    return {"errors": {"duplicate": len(found)} if len(found) else {}}


def _rewrite(run: BulkRun, number: int, firsts: Mapping[int, tuple[int, int]]) -> None:
    location = run.part(number)
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder) / f"old.{run.form}", Path(folder) / f"new.{run.form}"
        old.write_bytes(read_bytes(location))
        writer = _writer(run, new)
        for place, row in enumerate(read_rows(old, run.form)):
            if place in firsts:
                remove([join_location(run.out, row["file"])] if row.get("file") else ())
                row = mark_duplicate(row, _describe(run, *firsts[place]))
            writer.add(row)
        writer.close()
        publish(new, location)


def _describe(run: BulkRun, number: int, place: int) -> str:
    """A page by its shard and its place in it."""
    shard = _shards(run)[number]
    if shard.kind == "pages":
        return shard.names[place]
    if shard.kind in _OFFSETS:
        return f"{'/'.join([shard.source, *shard.names])} at {place}"
    return f"page {place} of {shard.source} from {shard.begin}"


@cache
def _shards(run: BulkRun) -> list[Shard]:
    return run.read_shards()


_STAGES: Final[Mapping[str, Callable[[BulkRun, Task, Step], Manifest]]] = {
    SURVEY: _survey,
    TEMPLATES: _find_templates,
    CLIP: _clip,
    DUPLICATES: _find_duplicates,
    MARK: _mark,
}
