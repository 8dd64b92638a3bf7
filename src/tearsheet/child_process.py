"""Child processes that end when this one does, however it ends (on Linux).

The system can signal a process when its parent ends (PR_SET_PDEATHSIG), but means by that the
thread that started it. So one thread, which lasts as long as Python does, starts them all.
"""

from __future__ import annotations

import ctypes
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Final, TypeAlias

_PARENT_DEATH_SIGNAL: Final = 1  # PR_SET_PDEATHSIG of linux/prctl.h
_Request: TypeAlias = "tuple[Future[subprocess.Popen[bytes]], Sequence[str], dict[str, Any]]"

_requests: queue.SimpleQueue[_Request] | None = None
_lock = threading.Lock()


def start_process(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Starts a program as `Popen` does; if it calls `end_with_parent`, it ends with us."""
    started: Future[subprocess.Popen[bytes]] = Future()
    _lasting_thread().put((started, command, options))
    return started.result()


def end_with_parent(parent: int) -> None:
    """In the new process: has the system kill it when its parent, given by its id, ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before that
            os._exit(1)


def _lasting_thread() -> queue.SimpleQueue[_Request]:
    """The requests to the thread that starts processes, which begins with the first."""
    global _requests
    with _lock:
        if _requests is None:
            _requests = queue.SimpleQueue()
            threading.Thread(
                target=_start_processes, args=(_requests,), name="tearsheet-start", daemon=True
            ).start()
        return _requests


def _start_processes(requests: queue.SimpleQueue[_Request]) -> None:
    while True:
        _answer(*requests.get())


def _answer(
    started: Future[subprocess.Popen[bytes]], command: Sequence[str], options: dict[str, Any]
) -> None:
    try:
        process: subprocess.Popen[bytes] = subprocess.Popen(command, **options)  # noqa: S603  # ours
    except BaseException as error:
        started.set_exception(error)
    else:
        started.set_result(process)


def _forget_thread() -> None:
    """In a forked child, which has no threads."""
    global _requests, _lock
    _requests, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_thread)
