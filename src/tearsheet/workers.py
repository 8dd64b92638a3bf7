"""Worker processes: started when there is work, ended at their limits, replaced when they die.

    Pool(2, Program(begin, settings)) ─ results(jobs) ─▶ the result of each job, in order

`begin(settings, step)` runs once in each new process: it loads what jobs need and returns the
function that does one job. That function may call `step(number)` whenever it starts another part of
its job (a page, a stage), and `step(BETWEEN)` for what belongs to none of them. Jobs and results
are pickled; `begin` must be importable by its name.

A `Worker` promises:

- It has one process at a time, started with the first job, and gives it one job at a time.
- A step that takes longer than `Limits.step_seconds`, a job that takes longer than the `seconds` of
  `call`, and more memory than allowed end as `LimitExceeded`, whatever code runs at that moment.
- A process that ends for another reason is a `WorkerDied`; the next job gets a new process.
- An exception in a job is a `JobFailed`; the process goes on.
- After each of these, `Worker.step` is the step that the job was at.
- When a process ends, everything it started (a browser) and its temporary files go with it. When
  the parent ends, however it ends, so do its processes and theirs (on Linux; elsewhere each ends
  after its current job).
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import math
import mmap
import os
import queue
import secrets
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar

from tearsheet.child_process import end_with_parent, start_process
from tearsheet.errors import LimitExceeded, TearsheetError
from tearsheet.free_memory import give_back_memory
from tearsheet.pipes import can_read, receive, send, stop_blocking
from tearsheet.process_family import family, family_memory

log = logging.getLogger("tearsheet")

_AHEAD: Final = 8
"""Jobs per worker that a pool takes before the first of them is done: the other workers go on while
one job takes its time."""
_PATIENCE: Final = 10.0
"""Seconds that a process has to end by itself when there is no more work."""
_LOOK: Final = 0.1
"""Seconds between two looks at a process that is being watched."""
_WEIGH: Final = 0.5
"""Seconds between two looks at its memory."""
_REST: Final = 1.0
"""Seconds without a job after which a process gives back memory that it does not use."""
_PIPE: Final = 1 << 20
"""Bytes of a pipe. With the usual 64 KB, a batch of pages needs dozens of switches between the
processes, and each waits for Python's lock."""
_STEP: Final = struct.Struct("<q")
BETWEEN: Final = -1
"""Between two steps: there is no time limit."""
_READY, _DONE, _FAILED = "ready", "done", "failed"
_TOO_LONG: Final = "the page took longer than is allowed"
_CODE: Final = "from tearsheet.workers import work; work()"

S = TypeVar("S")
J = TypeVar("J")
R = TypeVar("R")
Step: TypeAlias = Callable[[int], None]


class WorkerDied(TearsheetError):
    """The process ended in the middle of a job: killed from outside, or crashed."""

    code = "worker"
    was_killed = False
    """Whether it was killed: by a person, or by the system when memory is short."""


class JobFailed(TearsheetError):
    """An exception in the other process; `code` and `status` are those of the original error."""

    def __init__(self, message: str, code: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class CannotStart(TearsheetError):
    """No process gets as far as its first job, so another attempt would not help."""

    code = "worker"


class Stopped(TearsheetError):
    """The workers were closed before this job was done."""

    code = "stopped"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a process; 0 means no limit."""

    step_seconds: float = 0.0
    """For one step. The system's alarm ends the process (not on Windows)."""
    own_bytes: int = 0
    """Memory of the process itself. Beyond it, Python raises MemoryError (not on Windows)."""
    family_bytes: int = 0
    """Memory of the process and all processes below it, checked from outside (on Linux)."""


@dataclass(frozen=True, slots=True)
class Program(Generic[S, J, R]):
    """The program of a worker process."""

    begin: Callable[[S, Step], Callable[[J], R]]
    settings: S
    limits: Limits = Limits()
    jobs: int = 0
    """Jobs after which a process is replaced at the latest; 0: never. It works on until the next
    one is ready."""
    is_quiet: bool = False
    """Discard what the process writes to standard error, unless TEARSHEET_DEBUG is set."""


class Worker(Generic[J, R]):
    """One process at a time, which does one job at a time."""

    def __init__(self, program: Program[Any, J, R]) -> None:
        self._program = program
        self._busy = threading.Lock()
        self._change = threading.Lock()
        self._process: _Process | None = None
        self._next: _Process | None = None
        self._is_closed = False
        self._served = self._most = 0
        self._weighed = 0.0
        self.step = BETWEEN

    def call(
        self,
        job: J,
        seconds: float | None = None,
        watch: Callable[[int], None] | None = None,
    ) -> R:
        """The result of a job; calls `watch` about ten times a second with the current step."""
        with self._busy:
            process = self._ready_process()
            until = math.inf if seconds is None else time.monotonic() + seconds
            try:
                process.send(job, until)
                found: R = self._result(process, until, watch)
                return found
            except JobFailed:
                raise
            except TimeoutError:  # it does not even read its job
                self._bury(process)
                raise LimitExceeded(_TOO_LONG) from None
            except (EOFError, OSError, ValueError):  # the pipe is broken or closed
                raise self._bury(process) from None
            except BaseException:  # its result would be taken for that of the next job
                self._bury(process)
                raise
            finally:
                self.step = process.step

    def kill(self) -> None:
        """Ends the process at once; the next job gets a new one."""
        with self._change:
            for process in (self._process, self._next):
                if process is not None:
                    process.end()
            self._process = self._next = None

    def close(self, *, wait: bool = False) -> None:
        """Ends the process for good: at once, or after it has cleaned up."""
        self._is_closed = True
        process = self._process
        if wait and process is not None:
            process.finish()
        self.kill()

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None else None

    @property
    def is_starting(self) -> bool:
        """Whether its process is not ready for its first job yet."""
        process = self._process
        return process is not None and not process.is_ready

    def _ready_process(self) -> _Process:
        with self._change:
            if self._is_closed:
                raise Stopped("the workers were stopped")
            self._replace()
            if self._process is None or not self._process.is_alive():
                if self._process is not None:
                    self._process.end()
                self._install(self._start_process())
            assert self._process is not None
            self._served += 1
            return self._process

    def _start_process(self) -> _Process:
        try:
            return _Process(self._program)
        except OSError as error:  # no room for its files, too many processes
            raise CannotStart(f"a worker process cannot start: {error}") from None

    def _replace(self) -> None:
        """Puts the next process in the place of one that has served long enough."""
        if not self._program.jobs or self._process is None or self._served < self._most:
            return
        if self._next is None:
            self._next = self._start_process()
        elif self._next.has_answered():
            old, new, self._next = self._process, self._next, None
            self._install(new)
            old.end()

    def _install(self, process: _Process) -> None:
        self._process, self._served = process, 0
        if most := self._program.jobs:  # different for each: all at once would be felt
            self._most = most // 2 + secrets.randbelow(max(most // 2, 1))

    def _result(self, process: _Process, until: float, watch: Callable[[int], None] | None) -> Any:
        is_watched = bool(until < math.inf or watch or self._program.limits.family_bytes)
        while True:
            if is_watched:
                self._check(process, until)
                left = until - time.monotonic()
                if not process.has_answered(min(_LOOK, max(left, 0.0))):
                    if watch is not None:
                        watch(process.step)
                    continue
            kind, *rest = process.receive()
            if kind == _FAILED:
                raise JobFailed(*rest)
            if kind == _DONE:
                return rest[0]

    def _check(self, process: _Process, until: float) -> None:
        now = time.monotonic()
        if now > until:
            self._bury(process)
            raise LimitExceeded(_TOO_LONG)
        limit = self._program.limits.family_bytes
        if not limit or now - self._weighed < _WEIGH:
            return
        self._weighed = now
        if family_memory(process.pid) > limit:
            self._bury(process)
            raise LimitExceeded("the page needs more memory than is allowed")

    def _bury(self, process: _Process) -> TearsheetError:
        """Ends a process that cannot be used any more; returns an error with the reason."""
        has_started = process.has_started()
        code = process.end()
        with self._change:
            if self._process is process:
                self._process = None
            if self._is_closed:
                return Stopped("the workers were stopped")
        if code == -getattr(signal, "SIGALRM", 0):
            seconds = self._program.limits.step_seconds
            return LimitExceeded(f"the page took longer than {seconds:g} s")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if not has_started:
            return CannotStart(
                f"a worker process cannot start ({name}); TEARSHEET_DEBUG=1 shows more"
            )
        died = WorkerDied(f"the process that worked on the page ended with {name}")
        died.was_killed = name == "SIGKILL"
        return died


_STARTS: Final = 3
"""Attempts to start a process for a job: from outside, it may be killed while it starts."""


class Pool(Generic[J, R]):
    """Several workers, and a thread for each that talks to it.

    `blame(job, step, error)` returns a job without the step that ended the process, or raises if
    there is none (a negative `step`: between two). The pool then does the rest of the job again;
    without `blame` the error is the job's result.
    """

    def __init__(
        self,
        count: int,
        program: Program[Any, J, R],
        blame: Callable[[J, int, TearsheetError], J] | None = None,
    ) -> None:
        self._workers = [Worker(program) for _ in range(count)]
        self._blame = blame
        self._idle: queue.SimpleQueue[Worker[J, R]] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count, "tearsheet-worker")

    def __enter__(self) -> Pool[J, R]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self.close(wait=kind is None)

    def close(self, *, wait: bool = False) -> None:
        """Ends all processes; `wait` lets them clean up first."""
        for worker in self._workers:
            worker.close(wait=wait)
        self._threads.shutdown(cancel_futures=True)

    def submit(self, job: J) -> Future[R]:
        """The result of a job, later."""
        return self._threads.submit(self._run, job)

    def results(self, jobs: Iterable[J]) -> Iterator[R]:
        """The results in the order of the jobs, which are read only a little ahead."""
        waiting: deque[Future[R]] = deque()
        for job in jobs:
            waiting.append(self.submit(job))
            while waiting and (len(waiting) > _AHEAD * len(self._workers) or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _run(self, job: J) -> R:
        worker = self._idle.get()
        try:
            return self._without_fatal_steps(worker, job)
        finally:
            self._idle.put(worker)

    def _without_fatal_steps(self, worker: Worker[J, R], job: J) -> R:
        failed = 0
        while True:
            try:
                return worker.call(job)
            except CannotStart:
                failed += 1
                if failed == _STARTS:
                    raise
            except (WorkerDied, LimitExceeded, JobFailed) as error:
                if self._blame is None:
                    raise
                job = self._blame(job, worker.step, error)


class _Process:
    """A started process, its pipes, its folder, and the number of its current step. The step lies
    in shared memory: a message for each step would wake the parent, mostly for nothing.
    """

    def __init__(self, program: Program[Any, Any, Any]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tearsheet-"))
        self._ending = threading.Lock()
        self._code: int | None = None
        self.is_ready = False
        """Whether the process has reported that it is ready, which it does before its first
        result."""
        self._last_step = BETWEEN
        self._step = _step_memory(self._folder, create=True)
        is_silent = program.is_quiet and not os.environ.get("TEARSHEET_DEBUG")
        self._process = start_process(
            [
                sys.executable,
                "-c",
                _CODE,
                json.dumps(sys.path),
                str(self._folder),
                f"{os.getpid()}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if is_silent else None,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for the parent, which ends us
            pipesize=_PIPE,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        with contextlib.suppress(OSError):  # if it is dead, its first job will show it
            stop_blocking(self._in)
            send(self._in, program)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def step(self) -> int:
        """The current or last step; negative before the first step of a job."""
        with self._ending:
            return self._last_step if self._code is not None else self._current_step()

    def _current_step(self) -> int:
        found: int = _STEP.unpack(self._step)[0]
        return found

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def send(self, job: Any, until: float) -> None:
        _STEP.pack_into(self._step, 0, BETWEEN)
        send(self._in, job, until)

    def receive(self) -> Any:
        found = receive(self._out)
        self.is_ready = True
        return found

    def has_started(self) -> bool:
        """Whether the process is ready."""
        with contextlib.suppress(EOFError, OSError, ValueError):
            if not self.is_ready and self.has_answered():
                self.receive()
        return self.is_ready

    def has_answered(self, seconds: float = 0.0) -> bool:
        """Whether there is something to receive, or the process has ended."""
        return can_read(self._out, seconds)

    def finish(self) -> None:
        """Lets the process end by itself, so that it can close its browser."""
        with contextlib.suppress(OSError):
            self._in.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)

    def end(self) -> int:
        """Ends it and all that it has started; its exit code."""
        with self._ending:
            if self._code is None:
                code = self._kill_family()
                self._last_step = self._current_step()
                self._step.close()
                self._code = code
                shutil.rmtree(self._folder, ignore_errors=True)
            return self._code

    def _kill_family(self) -> int:
        others = family(self.pid)[1:]  # now, while it still is their parent
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        for pid in others:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        code = self._process.wait()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):
                pipe.close()
        return code


def _step_memory(folder: Path, *, create: bool = False) -> mmap.mmap:
    """The memory with the number of the step, which lies in a file of the process's folder."""
    path = folder / "step"
    if create:
        path.write_bytes(_STEP.pack(BETWEEN))
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), _STEP.size)


def work() -> None:
    """The program of a worker process: one job after another until its input ends."""
    end_with_parent(int(sys.argv[3]))
    sys.path[:] = json.loads(sys.argv[1])
    folder = Path(sys.argv[2])
    tempfile.tempdir = str(folder)
    jobs, results = io.FileIO(os.dup(0), "rb"), io.FileIO(os.dup(1), "wb")
    os.dup2(2, 1)  # prints of libraries must not mix with the results
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)  # becomes standard input
    with contextlib.suppress(EOFError, BrokenPipeError):
        program: Program[Any, Any, Any] = receive(jobs)
        run = program.begin(program.settings, _steps(folder, program.limits.step_seconds))
        _limit_memory(program.limits.own_bytes)
        send(results, (_READY,))
        while True:
            if not can_read(jobs, _REST):
                give_back_memory()
            outcome = _outcome(run, receive(jobs))  # without a name for the job, which may be large
            _alarm(0)
            send(results, outcome)
            del outcome


def _steps(folder: Path, seconds: float) -> Step:
    shared = _step_memory(folder)

    def step(number: int) -> None:
        _alarm(0)
        _STEP.pack_into(shared, 0, number)
        _alarm(seconds if number != BETWEEN else 0)  # not before the step is noted

    return step


def _outcome(run: Callable[[Any], Any], job: Any) -> tuple[Any, ...]:
    try:
        return _DONE, run(job)
    except TearsheetError as error:
        return _FAILED, str(error), error.code, getattr(error, "status", None)
    except MemoryError:
        return _FAILED, "the page needs more memory than is allowed", "limit"
    except Exception as error:
        log.exception("a job failed")
        return _FAILED, f"{type(error).__name__}: {error}", "internal"


def _alarm(seconds: float) -> None:
    """Makes the system end this process in so many seconds, whatever code runs then; 0: never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(size: int) -> None:
    if not size:
        return
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
