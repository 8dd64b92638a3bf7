"""Calls in a process of their own, which is ended when their time is over, whatever runs then.

Nothing else can end a parser or a typesetter written in C. One process is started with the first
call and serves the next ones, too; a call that takes too long costs it, and the next gets another.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from tearsheet.errors import LimitExceeded, TearsheetError
from tearsheet.workers import Program, Step, Worker

T = TypeVar("T")
Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]

_worker: Worker[Call, Any] | None = None
_lock = threading.Lock()


def run_isolated(call: Callable[..., T], *args: Any, seconds: float) -> T:
    """The result of a function of a module; raises LimitExceeded after so many seconds.

    The time until the process has started does not count.
    """
    worker = _shared_worker()
    worker.call((_do_nothing, ()))
    try:
        result = worker.call((call, args), seconds)
    except LimitExceeded:
        raise LimitExceeded(f"the page took longer than {seconds:g} s") from None
    if isinstance(result, TearsheetError):
        raise result
    found: T = result
    return found


def _shared_worker() -> Worker[Call, Any]:
    global _worker
    with _lock:
        if _worker is None:
            _worker = Worker(Program(begin_calls, None))
            atexit.register(_worker.close)
        return _worker


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


def _forget_worker() -> None:
    """In a forked child: the process belongs to the parent."""
    global _worker, _lock
    if _worker is not None:
        atexit.unregister(_worker.close)
    _worker, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_worker)
