"""The service's worker processes: they work on pages of strangers, and can be killed."""

from __future__ import annotations

import errno
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from tearsheet import gc_pause
from tearsheet.errors import TearsheetError
from tearsheet.workers import Limits, Program, Step, Worker

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
_NO_ROOM: Final = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EAGAIN,
)  # fmt: skip
_RECYCLE: Final = 10_000  # tasks after which a process is replaced at the latest


class TaskFailed(TearsheetError):
    """A bug of ours in a task. The log has the details; the client gets none."""

    code = "internal"


class MachineFailed(TearsheetError):
    """The machine has no room for more files or processes: no fault of the page."""

    code = "machine"


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
        return self._worker.call((task, values), seconds, lambda step: watch(STAGES[max(step, 0)]))

    @property
    def pid(self) -> int | None:
        return self._worker.pid


class TaskWorkers:
    """Some workers, each lent to one thread at a time; one that was just used goes first.

    They are lent fairly: of the clients that wait, whoever has the fewest gets the next one. And
    there is one more, started when it is needed, for a client that has none while others have all:
    so nobody's slow pages keep everybody else waiting.
    """

    def __init__(self, count: int, limit: int) -> None:
        self._free = [TaskWorker(limit) for _ in range(count)]
        self._spare = TaskWorker(limit)
        self._workers = (*self._free, self._spare)
        self._has_spare = True
        self._held: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        self._change = threading.Condition()

    @contextmanager
    def lend(self, seconds: float, client: str = "") -> Iterator[TaskWorker | None]:
        """A worker for a client; None if it gets none in so many seconds."""
        worker = self._take(seconds, client)
        try:
            yield worker
        finally:
            if worker is not None:
                self._give_back(worker, client)

    def _take(self, seconds: float, client: str) -> TaskWorker | None:
        with self._change:
            self._waiting[client] += 1
            try:
                if not self._change.wait_for(lambda: self._is_turn(client), seconds):
                    return None
                self._held[client] += 1
                if self._free:
                    return self._free.pop()
                self._has_spare = False
                return self._spare
            finally:
                _take_one(self._waiting, client)
                self._change.notify_all()

    def _is_turn(self, client: str) -> bool:
        if not self._free:
            return self._has_spare and not self._held[client] and bool(self._held.total())
        return all(self._held[client] <= self._held[other] for other in self._waiting)

    def _give_back(self, worker: TaskWorker, client: str) -> None:
        with self._change:
            if worker is self._spare:
                self._has_spare = True
            else:
                self._free.append(worker)
            _take_one(self._held, client)
            self._change.notify_all()

    def close(self) -> None:
        """Ends all processes at once."""
        for worker in self._workers:
            worker.close()

    @property
    def pids(self) -> list[int]:
        return [pid for worker in self._workers if (pid := worker.pid) is not None]


def _take_one(counts: Counter[str], name: str) -> None:
    counts[name] -= 1
    if not counts[name]:
        del counts[name]


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
        except OSError as error:
            if error.errno not in _NO_ROOM:
                log.exception("a task failed")
                raise TaskFailed("something went wrong on our side") from None
            raise MachineFailed(f"the service's machine has no room: {error}") from None
        except Exception:
            log.exception("a task failed")
            raise TaskFailed("something went wrong on our side") from None

    warm_up()
    return run
