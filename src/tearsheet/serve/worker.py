"""A process that works on pages of strangers: it can be killed, and another takes its place."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Final

from tearsheet.errors import LimitExceeded, TearsheetError

log = logging.getLogger("tearsheet")

_LOOK: Final = 0.1  # seconds between looks at a process that works
_PAGE: Final = 4096
_RECYCLE: Final = 2_000  # tasks after which a process is replaced


class WorkerDied(TearsheetError):
    """The process ended in mid-work: killed from outside, or by a crash of a library."""

    code = "worker"


class TaskFailed(TearsheetError):
    """An error of the tree that happened in the other process."""

    def __init__(self, message: str, code: str, status: int | None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Worker:
    """One process at a time, started when there is something to do."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._served = 0

    def call(
        self,
        task: str,
        values: dict[str, Any],
        seconds: float,
        say: Callable[[str], None] = lambda stage: None,
        tick: Callable[[], None] = lambda: None,
    ) -> Any:
        """What the task gives; its stages are said as they come, and `tick` is called meanwhile."""
        with self._lock:
            pipe = self._started()
            deadline = time.monotonic() + seconds
            try:
                pipe.send((task, values))
                return self._answer(pipe, deadline, say, tick)
            except (EOFError, OSError):
                self.kill()
                raise WorkerDied("the process that worked on this page ended") from None

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        process, self._process = self._process, None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if process is not None:
            process.kill()
            process.join()
            process.close()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def _started(self) -> Connection:
        if self._served >= _RECYCLE:
            self.kill()
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            self._served += 1
            return self._pipe
        self.kill()
        self._served = 0
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe

    def _answer(
        self,
        pipe: Connection,
        deadline: float,
        say: Callable[[str], None],
        tick: Callable[[], None],
    ) -> Any:
        while True:
            self._check(deadline)
            tick()
            if pipe.poll(_LOOK):
                kind, *rest = pipe.recv()
                if kind == "done":
                    return rest[0]
                if kind == "failed":
                    raise TaskFailed(*rest)
                say(rest[0])

    def _check(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            self.kill()
            raise LimitExceeded("the page took longer than is allowed")
        if _memory(self.pid) > self._limit:
            self.kill()
            raise LimitExceeded("the page needs more memory than is allowed")


def _memory(pid: int | None) -> int:
    """Bytes that a process holds; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def _work(pipe: Connection) -> None:
    """The other process: one task after the other until the pipe closes."""
    from tearsheet.serve.work import TASKS

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service ends us when it ends
    with contextlib.suppress(EOFError, OSError):
        while True:
            task, values = pipe.recv()
            pipe.send(_outcome(TASKS[task], lambda stage: pipe.send(("stage", stage)), values))


def _outcome(
    task: Callable[..., Any], say: Callable[[str], None], values: dict[str, Any]
) -> tuple[Any, ...]:
    try:
        return "done", task(say, **values)
    except TearsheetError as error:
        return "failed", str(error), error.code, getattr(error, "status", None)
    except MemoryError:
        return "failed", "the page needs more memory than is allowed", "limit", None
    except Exception:
        log.exception("a task failed")  # the reader of an answer learns nothing of our insides
        return "failed", "something went wrong on our side", "internal", None
