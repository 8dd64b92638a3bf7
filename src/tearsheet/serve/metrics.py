"""Counts for Prometheus, in its text format."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Final

_BOUNDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts since the process began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clips: Counter[str] = Counter()
        self._answers: Counter[int] = Counter()
        self._within: Counter[float] = Counter()
        self._seconds = 0.0

    def count_clip(self, outcome: str, seconds: float) -> None:
        with self._lock:
            self._clips[outcome] += 1
            self._seconds += seconds
            self._within.update(bound for bound in _BOUNDS if seconds <= bound)

    def count_answer(self, status: int) -> None:
        with self._lock:
            self._answers[status] += 1

    def text(self, waiting: int) -> str:
        """
        >>> print(Metrics().text(waiting=3))  # doctest: +ELLIPSIS
        # HELP tearsheet_queue Clips that wait.
        # TYPE tearsheet_queue gauge
        tearsheet_queue 3
        ...
        """
        with self._lock:
            clips, answers = sorted(self._clips.items()), sorted(self._answers.items())
            count = sum(self._clips.values())
            within = [(f"{bound:g}", self._within[bound]) for bound in _BOUNDS]
            seconds = self._seconds
        lines = [
            *_head("tearsheet_queue", "gauge", "Clips that wait."),
            f"tearsheet_queue {waiting}",
            *_head("tearsheet_clips_total", "counter", "Clips that were made, by outcome."),
            *(f'tearsheet_clips_total{{outcome="{name}"}} {number}' for name, number in clips),
            *_head("tearsheet_answers_total", "counter", "Answers, by status."),
            *(f'tearsheet_answers_total{{status="{name}"}} {number}' for name, number in answers),
            *_head("tearsheet_clip_seconds", "histogram", "Time to make a clip."),
            *(f'tearsheet_clip_seconds_bucket{{le="{le}"}} {n}' for le, n in within),
            f'tearsheet_clip_seconds_bucket{{le="+Inf"}} {count}',
            f"tearsheet_clip_seconds_sum {seconds:.6f}",
            f"tearsheet_clip_seconds_count {count}",
        ]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"
