"""The time limits of clipping: processor time for one page, elapsed time for an article."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tearsheet.errors import LimitExceeded

P = ParamSpec("P")
T = TypeVar("T")


class Deadline:
    """CPU seconds for one page: the stages of the pipeline and the parts of its article together.

    Only time within `run` counts, in the thread that runs: neither what others do nor what happens
    between two stages. A stage is not interrupted; `max_bytes` and `max_nodes` bound what each can
    take. Service and bulk end the process besides.
    """

    __slots__ = ("_seconds", "spent")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.spent = 0.0
        """CPU seconds so far."""

    def run(self, stage: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs one stage; raises LimitExceeded if the time is over before or after it.

        Stages do not nest: the time of an inner one would count twice.
        """
        self._check()
        begin = time.thread_time()
        try:
            result = stage(*args, **kwargs)
        finally:
            self.spent += time.thread_time() - begin
        self._check()
        return result

    def _check(self) -> None:
        if self.spent >= self._seconds:
            raise LimitExceeded(f"the page took longer than {self._seconds:g} s")


class Budget:
    """Elapsed seconds for an article with all its pages and pictures. The most important parts come
    first; the others share the time that is left.
    """

    __slots__ = ("_until",)

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Seconds that are left; 0 if none."""
        return max(self._until - time.monotonic(), 0.0)

    def part(self, share: float, most: float = float("inf")) -> Budget:
        """A budget with a share of the time left, but at most so many seconds."""
        return Budget(min(self.seconds_left * share, most))
