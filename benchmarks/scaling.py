"""`python -m benchmarks.scaling [--workers 1 8 32] [--shards 4000]`: what the parent of a run can
serve.

The parent is the real one, with its pool and its processes; the workers sleep instead of clipping
and return a manifest as a shard's. Sleeping takes no core, so two cores can have many workers.
Printed is the parent's processor time per shard, and how many workers it could feed before it is
full.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from tearsheet.bulk.runs import Manifest
from tearsheet.bulk.shards import Shard
from tearsheet.bulk.tasks import Task
from tearsheet.workers import Pool, Program, Step

PAGES = 1000
"""Pages of a shard, of which 10 ms each would be ten seconds."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--shards", type=int, default=600)
    parser.add_argument("--sleep", type=float, default=0.2, help="seconds that a shard takes")
    parser.add_argument("--ms", type=float, default=10.0, help="of a worker per page, to compare")
    args = parser.parse_args()
    for workers in args.workers:
        cost, clock = measure(workers, args.shards, args.sleep)
        most = PAGES * args.ms / 1e3 / cost
        print(
            f"{workers:4} workers: {1e3 * cost:6.2f} ms of the parent's processor time a shard, "
            f"{1e6 * cost / PAGES:6.2f} µs a page; {args.shards * args.sleep / clock:6.1f} workers "
            f"busy on average; full at {most:,.0f} workers of {args.ms:g} ms a page",
            flush=True,
        )


def measure(workers: int, shards: int, sleep: float) -> tuple[float, float]:
    """Seconds of the parent per shard, and seconds by the clock for all."""
    with Pool(workers, Program(begin, sleep)) as pool:
        list(pool.results(_tasks(workers)))  # so that every process has started
        own, began = time.process_time(), time.monotonic()
        list(pool.results(_tasks(shards)))
        return (time.process_time() - own) / shards, time.monotonic() - began


def _tasks(count: int) -> list[Task]:
    shard = Shard(0, "warc", "s3://bucket/crawl-data/segments/0.warc.gz", 0, 1 << 25, 1 << 30)
    return [Task("clip", number, shard) for number in range(count)]


def begin(sleep: float, step: Step) -> Callable[[Task], Manifest]:
    """In the worker process: a shard takes its time."""

    def work(task: Task) -> Manifest:
        time.sleep(sleep)
        shard = task.shard
        assert shard is not None
        return {
            "run": "0" * 16, "number": task.number, "source": shard.source, "begin": 0,
            "end": shard.end, "first": 0, "after": shard.end, "rows": PAGES, "errors": {"limit": 2},
            "filtered": {}, "bytes": 1 << 24, "seconds": 10.0,
        }  # fmt: skip

    return work


if __name__ == "__main__":
    from benchmarks.scaling import main as run  # so that `begin` has an importable name

    run()
