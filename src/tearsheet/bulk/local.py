"""The engine for one machine: worker processes that keep the model warm.

A worker that dies in mid-batch, by its limits or by a crash, is replaced; the page it was at
becomes a row with an error, and the rest of its batch is done again.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

import pyarrow as pa

from tearsheet.bulk.extract import Settings
from tearsheet.bulk.worker import receive, send
from tearsheet.errors import TearsheetError

_AHEAD: Final = 8
"""Batches per worker that are read before the first of them is written: others go on meanwhile
while one page takes its time."""
_PATIENCE: Final = 10.0
"""Seconds for a worker to end itself when there is no more to do."""


class Stopped(TearsheetError):
    """The run was ended before this batch was done."""

    code = "stopped"


def run(
    batches: Iterable[pa.RecordBatch], settings: Settings, jobs: int
) -> Iterator[pa.RecordBatch]:
    """As `extract_batches`, in `jobs` processes with limits; the order stays."""
    with Crew(jobs, settings) as crew:
        waiting: deque[Future[pa.RecordBatch]] = deque()
        for batch in batches:
            waiting.append(crew.submit(batch))
            while waiting and (len(waiting) > _AHEAD * jobs or waiting[0].done()):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Crew:
    """Workers, and a thread for each that talks to it."""

    def __init__(self, jobs: int, settings: Settings) -> None:
        self._workers = [_Worker(settings) for _ in range(jobs)]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(jobs, "tearsheet-bulk")

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        for worker in self._workers:
            if kind is None:
                worker.finish()
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.ended()

    def submit(self, batch: pa.RecordBatch) -> Future[pa.RecordBatch]:
        """The rows of a batch, later."""
        return self._threads.submit(self._extract, batch)

    def _extract(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        worker = self._idle.get()
        try:
            return worker.extract(batch)
        finally:
            self._idle.put(worker)


class _Worker:
    """One process at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def extract(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of a batch, with as many processes as it takes."""
        while not self._closed:
            begun: list[int] = []
            rows = self._attempt(batch, begun)
            if rows is not None:
                return rows
            why = self.ended()
            if self._closed:
                break
            if not begun:  # it did not even start: the next one would not either
                raise TearsheetError(
                    f"a worker process cannot work ({why}); TEARSHEET_DEBUG=1 shows more"
                )
            batch = _with_error(batch, begun[-1], why)
        raise Stopped("the run was stopped")

    def finish(self) -> None:
        """Lets the process end itself, and close its browser if it has one."""
        if self._process is not None:
            _close(self._process.stdin)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        self._closed = True
        if self._process is not None:
            self._process.kill()

    def _attempt(self, batch: pa.RecordBatch, begun: list[int]) -> pa.RecordBatch | None:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, batch)
            return receive(process.stdout, begun)
        except (OSError, ValueError):  # a broken or closed pipe
            return None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-m", "tearsheet.bulk.worker", self._settings.to_json()]
            self._process = subprocess.Popen(  # noqa: S603  # ourselves
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if os.environ.get("TEARSHEET_DEBUG") else subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us; we end the workers
            )
        return self._process

    def ended(self) -> str:
        """Why the process is gone, as an error of a row."""
        process, self._process = self._process, None
        if process is None:
            return "worker: it never began"
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            _close(pipe)
        if code == -getattr(signal, "SIGALRM", 0):
            return f"limit: the page took longer than {self._settings.seconds:g} s"
        return f"worker: the process that worked on the page ended with {_name(code)}"


def _close(pipe: object) -> None:
    try:
        pipe.close()  # type: ignore[attr-defined]
    except OSError:  # what was not sent yet cannot be
        return


def _name(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _with_error(batch: pa.RecordBatch, number: int, error: str) -> pa.RecordBatch:
    """The batch with a page that is known to be bad: it will not be touched again."""
    place = batch.schema.get_field_index("error")
    errors = batch.column(place).to_pylist()
    errors[number] = error
    return batch.set_column(place, batch.schema.field(place), pa.array(errors, pa.string()))
