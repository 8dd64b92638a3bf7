"""Runs calls in separate processes, which are ended when the time is over, whatever code runs then.

Nothing else can end a parser or a typesetter written in C. A process is started with the first call
and serves the next ones, too; a call that takes too long costs it, and the next gets another. Calls
of several threads at once have a process each: none waits for the time of another.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias, TypeVar

from tearsheet.errors import LimitExceeded, TearsheetError
from tearsheet.workers import Program, Step, Worker

T = TypeVar("T")
Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]

_idle: list[Worker[Call, Any]] = []
_lock = threading.Lock()
_MOST_IDLE: Final = max(os.cpu_count() or 1, 2)
"""Most idle processes that wait for later calls."""


def run_isolated(call: Callable[..., T], *args: Any, seconds: float) -> T:
    """The result of a function of a module; raises LimitExceeded after so many seconds.

    The time until the process has started does not count.
    """
    with _lend_worker() as worker:
        worker.call((_do_nothing, ()))
        try:
            result = worker.call((call, args), seconds)
        except LimitExceeded:
            raise LimitExceeded(f"the page took longer than {seconds:g} s") from None
    if isinstance(result, TearsheetError):
        raise result
    found: T = result
    return found


@contextmanager
def _lend_worker() -> Iterator[Worker[Call, Any]]:
    """A worker for one call, kept for the next one unless there are enough."""
    with _lock:
        worker = _idle.pop() if _idle else Worker(Program(begin_calls, None))
    try:
        yield worker
    finally:
        with _lock:
            is_kept = len(_idle) < _MOST_IDLE
            if is_kept:
                _idle.append(worker)
        if not is_kept:
            worker.close()


def begin_calls(settings: None, step: Step) -> Callable[[Call], Any]:
    """In the other process: the function that makes a call; our own errors are results."""

    def run(call: Call) -> Any:
        function, args = call
        try:
            return function(*args)
        except TearsheetError as error:
            return error

    return run


def _do_nothing() -> None:
    """Is done as soon as the process has started."""


def _close_workers() -> None:
    while _idle:
        _idle.pop().close()


def _forget_workers() -> None:
    """In a forked child: the processes belong to the parent."""
    global _idle, _lock
    _idle, _lock = [], threading.Lock()


atexit.register(_close_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
