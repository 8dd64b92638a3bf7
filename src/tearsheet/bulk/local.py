"""The engine for one machine: worker processes that keep the model warm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tearsheet.bulk.runs import BulkRun, Manifest
from tearsheet.bulk.tasks import Task, open_workers


class LocalEngine:
    """Runs tasks in so many processes of this machine."""

    def __init__(self, run: BulkRun, jobs: int, address: str | None = None) -> None:
        self._run, self._jobs = run, max(jobs, 1)

    def perform(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """The manifests of the tasks, as they are done."""
        with open_workers(self._run, min(self._jobs, max(len(tasks), 1))) as workers:
            yield from workers.results(tasks)
