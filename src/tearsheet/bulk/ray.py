"""The engine for Ray: a task of ours is a task of Ray's, which may be done again anywhere.

Each process of Ray's has a worker process of ours below it, to which the limits for a page apply.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Final

import ray

from tearsheet.bulk.runs import Manifest, Run
from tearsheet.bulk.standing import perform_here
from tearsheet.bulk.tasks import Task

_AHEAD: Final = 8
"""Tasks per core that Ray gets to know before the first of them is done."""


class Engine:
    """Tasks done by a Ray cluster, or by one on this machine."""

    def __init__(self, run: Run, jobs: int, address: str | None = None) -> None:
        self._run = run
        if not ray.is_initialized():
            if address or "RAY_ADDRESS" in os.environ:
                ray.init(address, log_to_driver=False)
            else:  # also where a cluster happens to run on this machine
                cores = max(jobs, 1)
                ray.init("local", log_to_driver=False, include_dashboard=False, num_cpus=cores)

    def perform(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        """The manifests of the tasks, as they are done."""
        work = ray.remote(num_cpus=1, max_retries=-1)(perform_here)
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
