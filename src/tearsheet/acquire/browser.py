"""A headless Chromium that is started once and used for many pages.

    with Browser() as browser:
        title = browser.run(lambda tab: tab.call("Runtime.evaluate", expression="document.title"))

Every job gets a tab in a browser context of its own, behind its own gate of the proxy. A `Browser`
outlives its processes: it starts one when needed, replaces it after so many pages or when it holds
half of the memory that it may, and runs a job once more when the process crashes, or loses the one
that makes its requests. A page that needs more memory than that ends the process and is a
`LimitExceeded`.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from tearsheet.acquire.chromium import Chromium, Tab, find_browser
from tearsheet.acquire.devtools import BrowserGone
from tearsheet.acquire.guard import Guard
from tearsheet.errors import FetchFailed, LimitExceeded, RenderFailed
from tearsheet.limits import BROWSER_PAGES
from tearsheet.types import Options

__all__ = ["Browser", "BrowserGone", "Tab", "find_browser", "shared_browser"]

T = TypeVar("T")

log = logging.getLogger("tearsheet")


class Browser:
    """Tabs in a browser process that is started when needed and replaced when worn or dead."""

    def __init__(
        self,
        *,
        pages: int = 2,
        recycle: int = BROWSER_PAGES,
        isolate: bool = True,
        most_bytes: int = 0,
    ) -> None:
        self._pages, self._recycle, self._isolate = pages, recycle, isolate
        self._most_bytes = most_bytes
        self._places = threading.Semaphore(pages)
        self._lock = threading.Lock()
        self._current: Chromium | None = None
        self._closed = False
        self._process = os.getpid()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(
        self,
        job: Callable[[Tab], T],
        options: Options | None = None,
        guard: Guard | None = None,
        *,
        paced: bool = False,
    ) -> T:
        """The result of a job that gets a new tab. If the browser dies, the job runs once more.

        Paced: the browser makes and paints frames only when the job asks for them.
        """
        if self._process != os.getpid():
            raise RenderFailed("a forked process cannot use the browser of its parent: start one")
        options = options or Options()
        guard = guard or Guard.from_options(options)
        with self._places:
            try:
                return self._attempt(job, options, guard, paced)
            except BrowserGone as error:
                log.warning(
                    "the browser ended in the middle of a page (%s): starting another", error
                )
                return self._attempt(job, options, guard, paced)

    def close(self) -> None:
        """Ends the browser; in a forked process nothing, as it belongs to the parent."""
        if self._process != os.getpid():
            return
        with self._lock:
            self._closed = True
            current, self._current = self._current, None
        if current is not None:
            current.close()

    def _attempt(self, job: Callable[[Tab], T], options: Options, guard: Guard, paced: bool) -> T:
        chromium = self._take()
        try:
            with chromium.tab(options, guard, paced=paced) as tab:
                try:
                    result = job(tab)
                except (FetchFailed, RenderFailed):
                    chromium.check_network()
                    raise
                chromium.check_network()
                return result
        except BrowserGone:
            chromium.is_broken = True
            if chromium.was_too_large:
                megabytes = self._most_bytes >> 20
                raise LimitExceeded(f"the page needs more than {megabytes} MB to draw") from None
            raise
        finally:
            self._give_back(chromium)

    def _take(self) -> Chromium:
        """The running process, or a new one; counts the jobs that it takes."""
        with self._lock:
            if self._closed:
                raise RenderFailed("the browser was closed")
            current = self._current
            if current is None or self._is_worn(current):
                self._retire(current)
                current = self._current = Chromium(
                    self._pages, isolate=self._isolate, most_bytes=self._most_bytes
                )
            current.served += 1
            current.busy += 1
            return current

    def _is_worn(self, chromium: Chromium) -> bool:
        """Whether the next job needs another process, because the memory of this one would count as
        its own."""
        if not chromium.alive or chromium.is_broken or chromium.served >= self._recycle:
            return True
        return bool(self._most_bytes) and chromium.memory_bytes > self._most_bytes // 2

    def _give_back(self, chromium: Chromium) -> None:
        with self._lock:
            chromium.busy -= 1
            if chromium is not self._current:
                self._retire(chromium)

    @staticmethod
    def _retire(chromium: Chromium | None) -> None:
        """Closes a process that gets no more jobs, once its last job has ended."""
        if chromium is not None and chromium.busy == 0:
            chromium.close()


_shared: Browser | None = None
_shared_lock = threading.Lock()


def shared_browser() -> Browser:
    """The browser that everything in this Python process shares; closed at exit."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Browser()
            atexit.register(_shared.close)
        return _shared


def _forget_shared() -> None:
    """In a forked child: the browser belongs to the parent, so the child starts its own."""
    global _shared, _shared_lock
    _shared, _shared_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_shared)
