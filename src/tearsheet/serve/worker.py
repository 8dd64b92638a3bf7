"""The service's worker processes: they work on pages of strangers, and can be killed."""

from __future__ import annotations

import errno
import logging
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, Final, TypeAlias

from tearsheet import gc_pause
from tearsheet.errors import TearsheetError
from tearsheet.workers import Limits, Program, Step, Worker, WorkerDied

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
_SLOW: Final = 5.0
"""Seconds for which a client holds a worker before it is one of the slow ones …"""
_TOO_SLOW: Final = 10.0
"""… after which it may lose the worker to a client that waits and is not slow …"""
_REMEMBERED: Final = 60.0
"""… and for how long it stays one."""
_SPARES: Final = 5
"""Spare workers for each regular one."""
WORKERS: Final = 1 + _SPARES
"""Workers in all for each regular one."""
_IDLE: Final = 60.0
"""Seconds after which a spare worker that nobody needed is ended."""
_RECYCLE: Final = 10_000  # tasks after which a process is replaced at the latest


class TaskFailed(TearsheetError):
    """A bug in one of our tasks. The log has the details; the client gets none."""

    code = "internal"


class MachineFailed(TearsheetError):
    """The machine has no room for more files or processes: no fault of the page."""

    code = "machine"


class TakenAway(TearsheetError):
    """The process was needed for a client that is not slow: the task waits its turn again."""

    code = "stopped"


class TaskWorker:
    """A worker process that does tasks; `limit` is the memory in bytes that it may hold, together
    with its browser."""

    def __init__(self, limit: int) -> None:
        program = Program(begin_tasks, None, Limits(family_bytes=limit), jobs=_RECYCLE)
        self._worker: Worker[Task, Any] = Worker(program)
        self._is_taken = False
        self.close = self._worker.close

    def call(
        self,
        task: str,
        values: dict[str, Any],
        seconds: float,
        watch: Callable[[str], None] = lambda stage: None,
    ) -> Any:
        """The result of a task; `watch` hears now and then which stage it is at."""
        self._is_taken = False
        try:
            return self._worker.call(
                (task, values), seconds, lambda step: watch(STAGES[max(step, 0)])
            )
        except WorkerDied:
            if self._is_taken:
                raise TakenAway("the page is slow, and others wait") from None
            raise

    @property
    def pid(self) -> int | None:
        return self._worker.pid

    @property
    def is_starting(self) -> bool:
        """Whether the process has not come as far as its first task."""
        return self._worker.is_starting

    def rest(self) -> None:
        """Ends the process until there is another task."""
        self._worker.kill()

    def take_away(self) -> None:
        """Ends the process in the middle of a task, for another client."""
        self._is_taken = True
        self._worker.kill()


class TaskWorkers:
    """Some workers, each lent to one thread at a time; one that was just used goes first.

    They are lent fairly: of the clients that wait, whoever has the fewest gets the next one. There
    are spare ones, each started when it is needed and ended when nobody needs it any more, for
    clients that have none while others have all: most of a clip's time is waiting for its pages.
    And clients with slow pages, however many, together get a third of what the others leave, but at
    least half of `count`, so that the others keep most of what they had.
    """

    def __init__(self, count: int, limit: int) -> None:
        self._most_slow = max(1, count // 2)
        self._free = [TaskWorker(limit) for _ in range(count)]
        self._spare = [TaskWorker(limit) for _ in range(_SPARES * count)]
        self._workers = (*self._free, *self._spare)
        self._regular = frozenset(self._free)
        self._since: dict[TaskWorker, tuple[str, float]] = {}
        """Who holds each worker, and since when it is at work for them."""
        self._used: dict[TaskWorker, float] = {}
        """When each spare worker that has a process was given back."""
        self._slow: OrderedDict[str, float] = OrderedDict()
        """When each client last held a worker for long."""
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

    def shut_out(self) -> set[str]:
        """The clients that would get no worker now, because slow ones have all that they may."""
        with self._change:
            slow = self._slow_clients()
            return slow if self._is_full(slow) else set()

    def make_room(self, client: str) -> None:
        """Takes a worker from the slow clients if they hold more than they may, for one that waits
        and has none: the worker that has worked for the shortest time, so that little is lost.
        Work without a client, as the service's own test, stays: nobody would do it again."""
        with self._change:
            slow = self._slow_clients()
            if client in slow or self._held[client] or self._free or self._spare:
                return
            if sum(self._held[one] for one in slow) <= self._most_of(slow):
                return
            late = time.monotonic() - _TOO_SLOW
            held = [(since, at) for at, (one, since) in self._since.items() if one and one in slow]
            found = max((one for one in held if one[0] < late), key=itemgetter(0), default=None)
        if found is not None:
            found[1].take_away()

    def end_idle(self) -> None:
        """Ends the processes of spare workers that nobody has needed for a while."""
        with self._change:
            before = time.monotonic() - _IDLE
            idle = [one for one in self._spare if self._used.get(one, math.inf) < before]
            self._spare = [one for one in self._spare if one not in idle]
        for worker in idle:
            worker.rest()
            del self._used[worker]
        with self._change:
            self._spare = [*idle, *self._spare]  # the last ones are lent first
            self._change.notify_all()

    def _take(self, seconds: float, client: str) -> TaskWorker | None:
        with self._change:
            self._waiting[client] += 1
            try:
                if not self._change.wait_for(lambda: self._is_turn(client), seconds):
                    return None
                self._held[client] += 1
                worker = (self._free or self._spare).pop()
                self._since[worker] = client, time.monotonic()
                return worker
            finally:
                _take_one(self._waiting, client)
                self._change.notify_all()

    def _is_turn(self, client: str) -> bool:
        slow = self._slow_clients()
        is_full = self._is_full(slow)
        if is_full and client in slow:
            return False
        if not self._free:
            return bool(self._spare) and not self._held[client]
        others = (one for one in self._waiting if not (is_full and one in slow))
        return all(self._held[client] <= self._held[other] for other in others)

    def _is_full(self, slow: set[str]) -> bool:
        """Whether slow clients have as many workers as they may."""
        return sum(self._held[one] for one in slow) >= self._most_of(slow)

    def _most_of(self, slow: set[str]) -> int:
        """How many workers slow clients may have together."""
        others = self._held.total() - sum(self._held[one] for one in slow)
        return max(self._most_slow, (len(self._workers) - others) // 3)

    def _slow_clients(self) -> set[str]:
        """Those who hold a worker for long, or did so a while ago. A process that starts is at work
        for nobody yet: on a busy machine that takes longer than most pages."""
        now = time.monotonic()
        for worker, (client, since) in self._since.items():
            if worker.is_starting:
                self._since[worker] = client, now
            elif now - since > _SLOW:
                self._slow[client] = now
                self._slow.move_to_end(client)
        while self._slow and now - next(iter(self._slow.values())) > _REMEMBERED:
            self._slow.popitem(last=False)
        return set(self._slow)

    def _give_back(self, worker: TaskWorker, client: str) -> None:
        with self._change:
            self._slow_clients()
            del self._since[worker]
            if worker in self._regular:
                self._free.append(worker)
            else:
                self._spare.append(worker)
                self._used[worker] = time.monotonic()
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
