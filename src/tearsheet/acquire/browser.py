"""A headless Chromium as a held resource.

    with Browser() as browser:
        title = browser.run(lambda tab: tab.call("Runtime.evaluate", expression="document.title"))

Every job gets a tab in a browser context of its own, behind a gate of the proxy of its own. A
`Browser` outlives its processes: it starts one when needed, replaces it after so many pages, and
when one crashes it runs the job once more.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from tearsheet.acquire.chromium import Chromium, Tab, find
from tearsheet.acquire.devtools import BrowserGone
from tearsheet.acquire.guard import Guard
from tearsheet.errors import RenderFailed
from tearsheet.types import Options

__all__ = ["Browser", "BrowserGone", "Tab", "find", "shared"]

T = TypeVar("T")

log = logging.getLogger("tearsheet")


class Browser:
    """A pool of pages in a browser that is started when needed and replaced when worn or dead."""

    def __init__(self, *, pages: int = 2, recycle: int = 200, isolate: bool = True) -> None:
        self._pages, self._recycle, self._isolate = pages, recycle, isolate
        self._places = threading.Semaphore(pages)
        self._lock = threading.Lock()
        self._current: Chromium | None = None
        self._closed = False

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
        """What the job makes of a fresh tab. Runs it once more when the browser dies under it.

        Paced: frames are made, and painted, only where the job says so.
        """
        options = options or Options()
        guard = guard or Guard(allow_private=options.allow_private)
        with self._places:
            try:
                return self._attempt(job, options, guard, paced)
            except BrowserGone as error:
                log.warning("the browser ended in mid-page (%s): starting another", error)
                return self._attempt(job, options, guard, paced)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            current, self._current = self._current, None
        if current is not None:
            current.close()

    def _attempt(self, job: Callable[[Tab], T], options: Options, guard: Guard, paced: bool) -> T:
        chromium = self._taken()
        try:
            with chromium.tab(options, guard, paced=paced) as tab:
                return job(tab)
        finally:
            self._given_back(chromium)

    def _taken(self) -> Chromium:
        """The running process, or a new one; each job that it takes on is counted."""
        with self._lock:
            if self._closed:
                raise RenderFailed("the browser was closed")
            current = self._current
            if current is None or not current.alive or current.served >= self._recycle:
                self._retire(current)
                current = self._current = Chromium(self._pages, isolate=self._isolate)
            current.served += 1
            current.busy += 1
            return current

    def _given_back(self, chromium: Chromium) -> None:
        with self._lock:
            chromium.busy -= 1
            if chromium is not self._current:
                self._retire(chromium)

    @staticmethod
    def _retire(chromium: Chromium | None) -> None:
        """Closes a process that takes on no more jobs, once its last one has ended."""
        if chromium is not None and chromium.busy == 0:
            chromium.close()


_shared: Browser | None = None
_shared_lock = threading.Lock()


def shared() -> Browser:
    """The browser that everything in this process shares; it is closed at exit."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Browser()
            atexit.register(_shared.close)
        return _shared
