"""The service's worker processes: they work on pages of strangers, and can be killed."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeAlias

from tearsheet import gc_pause
from tearsheet.errors import TearsheetError
from tearsheet.workers import CannotStart, Limits, Program, Step, Worker, WorkerDied

log = logging.getLogger("tearsheet")

Task: TypeAlias = tuple[str, dict[str, Any]]
"""The name of one of `tasks.TASKS`, and its values."""

STAGES: Final = (
    "queued",
    "fetching",
    "drawing",
    "reading",
    "following",
    "pictures",
    "setting",
    "done",
)
_RECYCLE: Final = 10_000  # tasks after which a process is replaced at the latest


class TaskFailed(TearsheetError):
    """A bug of ours in a task. The log has the details; the client gets none."""

    code = "internal"


class TaskWorker:
    """A worker process that does tasks; `limit` is the memory in bytes that it may hold, together
    with its browser."""

    def __init__(self, limit: int) -> None:
        program = Program(begin_tasks, None, Limits(family_bytes=limit), jobs=_RECYCLE)
        self._worker: Worker[Task, Any] = Worker(program)
        self.close = self._worker.close

    def call(
        self,
        task: str,
        values: dict[str, Any],
        seconds: float,
        watch: Callable[[str], None] = lambda stage: None,
    ) -> Any:
        """The result of a task; `watch` hears now and then which stage it is at."""
        try:
            return self._worker.call(
                (task, values), seconds, lambda step: watch(STAGES[max(step, 0)])
            )
        except CannotStart as error:  # perhaps it was killed just then
            raise WorkerDied(str(error)) from None

    @property
    def pid(self) -> int | None:
        return self._worker.pid


class TaskWorkers:
    """Some workers, each lent to one thread at a time; one that was just used goes first."""

    def __init__(self, count: int, limit: int) -> None:
        self._workers = [TaskWorker(limit) for _ in range(count)]
        self._free: queue.LifoQueue[TaskWorker] = queue.LifoQueue()
        for worker in self._workers:
            self._free.put(worker)

    @contextmanager
    def lend(self, seconds: float) -> Iterator[TaskWorker | None]:
        """A worker that is free; None if there is none in so many seconds."""
        worker = None
        with suppress(queue.Empty):
            worker = self._free.get(timeout=seconds)
        try:
            yield worker
        finally:
            if worker is not None:
                self._free.put(worker)

    def close(self) -> None:
        """Ends all processes at once."""
        for worker in self._workers:
            worker.close()

    @property
    def pids(self) -> list[int]:
        return [pid for worker in self._workers if (pid := worker.pid) is not None]


def begin_tasks(settings: None, step: Step) -> Callable[[Task], Any]:
    """In the worker process: loads what tasks need, and returns the function that does one."""
    from tearsheet.serve.tasks import TASKS, warm_up

    def report(stage: str) -> None:
        step(STAGES.index(stage))

    def run(task: Task) -> Any:
        name, values = task
        try:
            with gc_pause.pause_gc():
                return TASKS[name](report, **values)
        except (TearsheetError, MemoryError):
            raise
        except Exception:
            log.exception("a task failed")
            raise TaskFailed("something went wrong on our side") from None

    warm_up()
    return run
