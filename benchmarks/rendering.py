"""`python -m benchmarks.rendering [--pages 96] [--jobs 1 2]`: pages that browsers draw in bulk, per
second and core.

All processes are bound to one core. Pages of WCXB's development set come from an archive, without
their style sheets and pictures; saves come with all their files. Pages per second by the clock mean
something on an idle machine only; by processor time (of our processes, the browsers and theirs),
other work hardly shows.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import archive, traffic
from tearsheet import datasets
from tearsheet.bulk import Settings
from tearsheet.bulk.runs import CLIP, BulkRun
from tearsheet.bulk.sources import Reading
from tearsheet.bulk.tasks import Task, open_workers
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.datasets import choose_evenly
from tearsheet.workers import family, family_memory

_EACH = 8
"""Pages of an archive."""


def main() -> None:
    """Prints a line for each kind of page and number of workers."""
    args = _arguments()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        pages = _write_archives(Path(folder), args.pages)
        saves = choose_evenly([one for one in datasets.read("saves") if one.has_files], args.pages)
        kinds = {"archive": pages, "saves with files": [str(one.path) for one in saves]}
        for kind, inputs in kinds.items():
            for jobs in args.jobs:
                print(_measure(kind, inputs, Path(folder) / f"{kind} {jobs}", jobs), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=96, help="of each kind")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="workers on the core")
    return parser.parse_args()


def _write_archives(folder: Path, count: int) -> list[str]:
    """Pages in archives of a few each, so that there are shards for all workers."""
    examples, files = choose_evenly(datasets.read("wcxb"), count), []
    for begin in range(0, count, _EACH):
        path = folder / f"{begin:04}.warc.gz"
        path.write_bytes(b"".join(map(archive.make_record, examples[begin : begin + _EACH])))
        files.append(str(path))
    return files


def _measure(kind: str, inputs: Sequence[str], out: Path, jobs: int) -> str:
    """The time and memory that it took to draw and clip the pages of the inputs."""
    # No browser is replaced: what one has used would be lost with it.
    settings = Settings(DEFAULT_METHOD, render=True, browser_pages=1 << 30)
    run = BulkRun(str(out), "parquet", settings, Reading(render=True, files=True))
    run, shards = run.open(inputs, inputs)
    tasks = [Task(CLIP, shard.number, shard) for shard in shards]
    if len(tasks) < jobs:
        return f"{kind:17} {jobs} workers: too few pages (a shard has up to 16)"
    pages = errors = most = 0
    with open_workers(run, jobs) as workers:
        list(workers.results(tasks[:jobs]))  # so that every process and its browser has started
        began, before = time.monotonic(), _processor_seconds()
        for manifest in workers.results(tasks):
            pages += manifest["rows"]
            errors += sum(manifest["errors"].values())
            most = max(most, family_memory(os.getpid()))
        clock, cost = time.monotonic() - began, (_processor_seconds() - before) / pages
    return (
        f"{kind:17} {jobs} workers on one core: {pages} pages, {errors} errors; "
        f"{pages / clock:.2f} pages/s by the clock; {1e3 * cost:.0f} ms of processor time a page, "
        f"{1 / cost:.2f} pages/s per core; at most {most >> 20} MB"
    )


def _processor_seconds() -> float:
    """Seconds of processor time of this process and all below it."""
    return sum(map(traffic.cpu, family(os.getpid())))


if __name__ == "__main__":
    main()
