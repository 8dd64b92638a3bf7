"""The engine for Ray: each task is a Ray task, which may be done again anywhere. Each Ray process
starts one of our worker processes, to which the limits for a page apply. With browsers, tasks go to
actors instead: each keeps its browser from one task to the next, and has a core and the memory for
both reserved, so that no machine gets more browsers than it can hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import ray

from tearsheet.bulk.cluster_worker import perform_in_worker
from tearsheet.bulk.runs import BulkRun, Manifest
from tearsheet.bulk.tasks import Task
from tearsheet.errors import TearsheetError

_AHEAD: Final = 8
"""Tasks per core that are submitted to Ray before the first is done."""


class RayEngine:
    """Runs tasks on a Ray cluster, or on one that is started on this machine."""

    def __init__(self, run: BulkRun, jobs: int, address: str | None = None) -> None:
        self._run = run
        if not ray.is_initialized():
            if address or "RAY_ADDRESS" in os.environ:
                ray.init(address, log_to_driver=False)
            else:  # also where a cluster happens to run on this machine
                cores = max(jobs, 1)
                ray.init("local", log_to_driver=False, include_dashboard=False, num_cpus=cores)

    def perform(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """The manifests of the tasks, as they are done."""
        if self._run.settings.render:
            return self._perform_by_actors(tasks)
        return self._perform_anywhere(tasks)

    def _perform_anywhere(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        work = ray.remote(num_cpus=1, max_retries=-1)(perform_in_worker)
        run = ray.put(self._run)
        most = _AHEAD * max(int(ray.cluster_resources().get("CPU", 1)), 1)
        waiting: list[Any] = []
        for task in tasks:
            waiting.append(work.remote(run, task))
            if len(waiting) >= most:
                done, waiting = ray.wait(waiting)
                yield from ray.get(done)
        while waiting:
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)

    def _perform_by_actors(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """An actor gets its next task when it has done one. One without a task ends, so that one
        whose machine was lost finds room elsewhere."""
        settings = self._run.settings
        memory = (settings.memory + settings.browser_memory) << 20
        work = ray.remote(num_cpus=1, memory=memory, max_restarts=-1, max_task_retries=-1)(_Drawer)
        run, left = ray.put(self._run), iter(tasks)
        waiting: dict[Any, Any] = {}

        def assign(actor: Any, task: Task) -> None:
            waiting[actor.perform.remote(run, task)] = actor

        for task in islice(left, _count_places(memory)):
            assign(work.remote(), task)
        while waiting:
            (done,), _ = ray.wait([*waiting])
            actor = waiting.pop(done)
            for task in islice(left, 1):
                assign(actor, task)
            del actor  # the last mention of one that has no more tasks
            yield ray.get(done)


class _Drawer:
    """An actor: a process of Ray that keeps one of our worker processes and its browser."""

    def perform(self, run: BulkRun, task: Task) -> Manifest:
        return perform_in_worker(run, task)


def _count_places(memory: int) -> int:
    """How many actors fit on the machines of the cluster, with a core and so many bytes each."""
    machines = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    found = sum(
        min(int(one.get("CPU", 0)), int(one.get("memory", 0) // memory)) for one in machines
    )
    if not found:
        raise TearsheetError(
            f"no machine of the cluster has a core and {memory >> 20} MB for a process with its "
            "browser: choose less --memory"
        )
    return found
