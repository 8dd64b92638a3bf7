"""Processor time, the least of several runs, in which other work on the machine hardly shows."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

REPEATS = 3


def least_seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Least seconds of processor time that `work` takes."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def program_seconds(code: str, repeats: int = 7) -> float:
    """Least seconds of processor time of a whole Python process."""
    return min(_once([sys.executable, "-c", code]) for _ in range(repeats))


def _once(command: Sequence[str]) -> float:
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system
