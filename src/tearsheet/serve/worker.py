"""A process that works on pages of strangers: it can be killed, and another takes its place."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import secrets
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Final, Protocol

from tearsheet import gc_pause
from tearsheet.errors import LimitExceeded, TearsheetError

log = logging.getLogger("tearsheet")

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
_LOOK: Final = 0.1  # seconds between looks at a process that works
_WEIGH: Final = 0.5  # seconds between looks at its memory
_PAGE: Final = 4096
_RECYCLE: Final = 10_000  # tasks after which a process is replaced at the latest


class WorkerDied(TearsheetError):
    """The process ended in mid-work: killed from outside, or by a crash of a library."""

    code = "worker"


class TaskFailed(TearsheetError):
    """An error of the tree that happened in the other process."""

    def __init__(self, message: str, code: str, status: int | None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Stage(Protocol):
    """The number of a stage, in memory that two processes share: a message for each would wake the
    service for what nobody sees, since most take a few milliseconds."""

    value: int


class Worker:
    """One process at a time, started when there is something to do, with a folder for what it and
    its browser write; `limit` is the memory in bytes that all of them may hold. One that has served
    long enough goes on until another is ready to take its place."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._next: _Process | None = None
        self._stage: Stage = multiprocessing.get_context("spawn").RawValue("b", 0)
        self._served = self._most = 0
        self._weighed = 0.0

    def call(
        self,
        task: str,
        values: dict[str, Any],
        seconds: float,
        tick: Callable[[str], None] = lambda stage: None,
    ) -> Any:
        """What the task gives; `tick` is told now and then at which stage it is."""
        with self._lock:
            pipe = self._started()
            deadline = time.monotonic() + seconds
            self._stage.value = 0
            try:
                pipe.send((task, values))
                return self._answer(pipe, deadline, tick)
            except (EOFError, OSError):
                self.kill()
                raise WorkerDied("the process that worked on this page ended") from None

    def kill(self) -> None:
        """Ends the process and its browser, whatever they do."""
        processes, self._process, self._next = (self._process, self._next), None, None
        for process in processes:
            if process is not None:
                process.end()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def _started(self) -> Connection:
        self._replace()
        if self._process is None or not self._process.is_alive():
            self.kill()
            self._begin(_Process(self._stage))
        assert self._process is not None
        self._served += 1
        return self._process.pipe

    def _replace(self) -> None:
        """Has another process take the place of one that has served long enough, once it can."""
        if self._process is None or self._served < self._most:
            return
        if self._next is None:
            self._next = _Process(self._stage)
        elif self._next.is_ready():
            old, new, self._next = self._process, self._next, None
            self._begin(new)
            old.end()

    def _begin(self, process: _Process) -> None:
        self._process, self._served = process, 0
        # Each after another number: were all replaced at once, everybody would feel it.
        self._most = _RECYCLE // 2 + secrets.randbelow(_RECYCLE // 2)

    def _answer(self, pipe: Connection, deadline: float, tick: Callable[[str], None]) -> Any:
        while True:
            self._check(deadline)
            if pipe.poll(_LOOK):
                kind, *rest = pipe.recv()
                if kind == "failed":
                    raise TaskFailed(*rest)
                if kind == "done":
                    return rest[0]
            tick(STAGES[self._stage.value])

    def _check(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            self.kill()
            raise LimitExceeded("the page took longer than is allowed")
        if time.monotonic() - self._weighed < _WEIGH:
            return
        self._weighed = time.monotonic()
        if sum(map(_memory, process_tree(self.pid or 0))) > self._limit:
            self.kill()
            raise LimitExceeded("the page needs more memory than is allowed")


class _Process:
    """A process that was started to work, and its folder."""

    def __init__(self, stage: Stage) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self._folder = tempfile.mkdtemp(prefix="tearsheet-")
        given = theirs, stage, self._folder
        self._process = spawn.Process(target=_work, args=given, daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def is_ready(self) -> bool:
        """Whether it has loaded all that it needs, or has ended over it."""
        return self.pipe.poll()

    def end(self) -> None:
        """Ends it and its browser, whatever they do."""
        self.pipe.close()
        for pid in process_tree(self.pid)[1:]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._process.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def process_tree(pid: int) -> list[int]:
    """A process and all below it; only itself where the system does not tell."""
    found = [pid]
    for one in found:
        found += _children(one)
    return found


def _children(pid: int) -> list[int]:
    """The processes that a process has started. (To look through all of /proc takes 5 ms.)"""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, _said(f"/proc/{pid}/task/{thread}/children").split())
    return found


def _memory(pid: int) -> int:
    """Bytes that a process holds for itself; 0 where the system does not tell."""
    try:
        resident, shared = _said(f"/proc/{pid}/statm").split()[1:3]
        return (int(resident) - int(shared)) * _PAGE
    except (OSError, ValueError):
        return 0


def _said(path: str) -> bytes:
    """What a file of the system says now. (A browser has many, and `open` takes thrice as long.)"""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def _work(pipe: Connection, stage: Stage, folder: str) -> None:
    """The other process: one task after the other until the pipe closes."""
    from tearsheet.serve.tasks import TASKS, warm_up

    def say(name: str) -> None:
        stage.value = STAGES.index(name)

    tempfile.tempdir = folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service ends us when it ends
    with contextlib.suppress(EOFError, OSError):
        warm_up()
        pipe.send(("ready",))
        while True:
            task, values = pipe.recv()
            with gc_pause.pause_gc():
                pipe.send(_outcome(TASKS[task], say, values))


def _outcome(
    task: Callable[..., Any], say: Callable[[str], None], values: dict[str, Any]
) -> tuple[Any, ...]:
    try:
        return "done", task(say, **values)
    except TearsheetError as error:
        return "failed", str(error), error.code, getattr(error, "status", None)
    except BrokenPipeError:
        raise  # the service is gone: nobody hears what comes of this
    except MemoryError:
        return "failed", "the page needs more memory than is allowed", "limit", None
    except Exception:
        log.exception("a task failed")  # the reader of an answer learns nothing of our insides
        return "failed", "something went wrong on our side", "internal", None
