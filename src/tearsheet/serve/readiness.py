"""Tests whether the service can work now: it stores something, and has a worker draw a page."""

from __future__ import annotations

import math
import threading
import time
from typing import Final, Literal, NamedTuple

from tearsheet.errors import TearsheetError, public_message
from tearsheet.serve.job_runner import JobRunner
from tearsheet.store import Store
from tearsheet.store.database import StoreFailed
from tearsheet.workers import WorkerDied

State = Literal["ok", "full", "store", "worker", "browser"]

_GOOD_SECONDS: Final = 10.0  # seconds for which a good result is used again
_BAD_SECONDS: Final = 1.0  # … and a bad one
_PATIENCE: Final = 20.0  # seconds for a worker to draw its page


class Readiness(NamedTuple):
    """The state of each part; if one does not work, why."""

    state: State
    waiting: int = 0
    detail: str = ""


class ReadinessCheck:
    """Tests the parts that the service needs, but not at every request."""

    def __init__(self, store: Store, jobs: JobRunner, queue: int) -> None:
        self._store, self._jobs, self._queue = store, jobs, queue
        self._looking = threading.Lock()
        self._until, self._last = -math.inf, Readiness("ok")

    def look(self) -> Readiness:
        """The last result, or a new one; while one request tests, others get the last result."""
        is_first = self._until == -math.inf
        if time.monotonic() >= self._until and self._looking.acquire(blocking=is_first):
            try:
                if time.monotonic() >= self._until:
                    self._last = self._look_up()
                    lasts = _GOOD_SECONDS if self._last.state == "ok" else _BAD_SECONDS
                    self._until = time.monotonic() + lasts
            finally:
                self._looking.release()
        return self._with_queue(self._last)

    def _with_queue(self, found: Readiness) -> Readiness:
        """… and how many clips wait, which is known at any time."""
        if found.state != "ok":
            return found
        if self._jobs.trouble:
            return Readiness("store", 0, self._jobs.trouble)
        try:
            waiting = self._store.count_waiting()
        except StoreFailed as error:
            return _describe_failure(error)
        return Readiness("full" if waiting >= self._queue else "ok", waiting)

    def _look_up(self) -> Readiness:
        try:
            self._store.check_writing()
            self._jobs.check_worker(_PATIENCE)
        except TearsheetError as error:
            return _describe_failure(error)
        return Readiness("ok")


def _describe_failure(error: TearsheetError) -> Readiness:
    known: dict[str, State] = {StoreFailed.code: "store", WorkerDied.code: "worker"}
    return Readiness(known.get(error.code, "browser"), 0, public_message(error))
