"""The parent of a run: plans, hands out tasks and counts. It reads no page and writes no row."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from tearsheet.bulk.locations import file_names, open_file, publish, remove, remove_unfinished
from tearsheet.bulk.runs import CLIP, BulkRun, Manifest
from tearsheet.bulk.shards import Shard
from tearsheet.bulk.tasks import DUPLICATES, MARK, SURVEY, TEMPLATES, Task
from tearsheet.errors import TearsheetError

JOIN = "join"
Note = Callable[[Manifest, bool], None]


class Engine(Protocol):
    """Does tasks: by worker processes on this machine, Ray or Spark."""

    def perform(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """The manifests of the tasks, as they are done."""


def drive(run: BulkRun, shards: list[Shard], engine: Engine, note: Note) -> None:
    """Does the tasks that are not done yet; calls `note` with the manifest of each shard that is
    clipped or marked, and whether this start did it."""
    if run.settings.templates:
        _stage(run, engine, [Task(SURVEY, shard.number, shard) for shard in shards])
        _stage(run, engine, _buckets(run, TEMPLATES))
    _stage(run, engine, [Task(CLIP, shard.number, shard) for shard in shards], note)
    _mend(run, shards, engine)
    if run.settings.minhash:
        _stage(run, engine, _buckets(run, DUPLICATES))
        _stage(run, engine, [Task(MARK, shard.number, shard) for shard in shards], note)
    for folder in (run.part(0).rpartition("/")[0], run.side_file("done", CLIP)):
        remove_unfinished(folder)
    if run.joined_file:
        _join(run)


def _buckets(run: BulkRun, stage: str) -> list[Task]:
    return [Task(stage, bucket) for bucket in range(run.buckets)]


def _stage(
    run: BulkRun,
    engine: Engine,
    tasks: list[Task],
    note: Note = lambda manifest, is_new: None,
) -> None:
    """Does the tasks of a stage that have no manifest."""
    if not tasks:
        return
    done = run.manifests(tasks[0].stage)
    for manifest in done.values():
        note(manifest, False)
    left = [task for task in tasks if task.number not in done]
    for manifest in engine.perform(left) if left else ():
        note(manifest, True)


def _mend(run: BulkRun, shards: list[Shard], engine: Engine) -> None:
    """Clips again the shards that began at a false beginning of a record, inside a page that
    contains an archive. A shard must begin where the one before it in the same file ended."""
    wrong: list[Task] = []
    for _ in shards:
        done = run.manifests()
        wrong = [
            Task(CLIP, shard.number, replace(shard, begin=done[before.number]["after"]))
            for before, shard in pairwise(shards)
            if shard.kind == "warc"
            and shard.source == before.source
            and done[before.number]["after"] >= 0 <= done[shard.number]["first"]
            and done[before.number]["after"] != done[shard.number]["first"]
        ]
        if not wrong:
            return
        list(engine.perform(wrong))
    if wrong:
        raise TearsheetError(f"{run.out}: shards of one file do not meet")


def _join(run: BulkRun) -> None:
    """Writes the parts into one file, in their order, and removes them."""
    if run.manifests(JOIN):
        return
    folder = run.side_file("parts")
    parts = [run.part(number) for number in range(run.shards)]
    with tempfile.TemporaryDirectory() as temporary:
        whole = Path(temporary) / "whole"
        with whole.open("wb") as file:
            for part in parts:
                with open_file(part, run.reading.options) as rows:
                    shutil.copyfileobj(rows, file, 1 << 20)
        publish(whole, run.joined_file)
    run.note_done(JOIN, {"number": 0, "parts": len(parts)})
    remove(f"{folder}/{name}" for name in file_names(folder))
