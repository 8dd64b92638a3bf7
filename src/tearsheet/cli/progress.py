"""A line on the terminal that tells what a command waits for, shown after a second."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Final, Self, TextIO

from tearsheet.addresses import drop_password
from tearsheet.writing import drop_controls

_PATIENCE: Final = 1.0  # seconds before anything is shown
_STEP: Final = 0.2
_BAR: Final = 20


class SourceProgress:
    """Shows the progress over `total` sources; silent if quiet or not on a terminal."""

    def __init__(self, total: int, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._total = total
        self._number = 0
        self._name = ""
        self._stage = ""
        self._shown = False
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._active = self._stream.isatty() and not quiet

    def __enter__(self) -> Self:
        if self._active:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        if self._active:
            self._thread.join()

    def next(self, name: str) -> None:
        """The next source begins."""
        with self._lock:
            self._number += 1
            self._name = drop_controls(drop_password(name))
            self._stage = ""

    def show_stage(self, stage: str) -> None:
        """Shows the current stage of the source: "fetching", "page 3"."""
        with self._lock:
            self._stage = stage

    def say(self, line: str) -> None:
        """Prints a line that stays, above the one that moves."""
        with self._lock:
            self._erase()
            print(drop_controls(line), file=self._stream)

    def _run(self) -> None:
        began = time.monotonic()
        self._done.wait(_PATIENCE)
        while not self._done.is_set():
            with self._lock:
                self._erase()
                self._stream.write(self._line(time.monotonic() - began))
                self._stream.flush()
                self._shown = True
            self._done.wait(_STEP)
        with self._lock:
            self._erase()

    def _line(self, seconds: float) -> str:
        full = _BAR * (self._number - 1) // self._total
        bar = f"[{'#' * full}{'.' * (_BAR - full)}] " if self._total > 1 else ""
        count = f"{self._number}/{self._total} " if self._total > 1 else ""
        stage = f"  {self._stage}" if self._stage else ""
        return f"{bar}{count}{seconds:.0f} s  {self._name[:40]}{stage}"

    def _erase(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False
