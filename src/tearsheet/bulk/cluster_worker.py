"""A worker process below each process of a cluster; it lasts from one task to the next."""

from __future__ import annotations

from functools import lru_cache

from tearsheet.bulk.runs import BulkRun, Manifest
from tearsheet.bulk.tasks import Task, open_workers
from tearsheet.workers import Pool


def perform_in_worker(run: BulkRun, task: Task) -> Manifest:
    """Does a task in the worker process below this one."""
    return _workers(run).submit(task).result()


@lru_cache(maxsize=1)
def _workers(run: BulkRun) -> Pool[Task, Manifest]:
    return open_workers(run, 1)
