"""A promise with its measured value."""

from __future__ import annotations

from dataclasses import dataclass

FAILURES = 0.1
"""Share of the pages that may give no result (WCXB has some without a text)."""


def check_results(name: str, pages: int, failures: int) -> None:
    """Ends the benchmark if so many pages failed that a time would mean nothing."""
    if failures > FAILURES * pages:
        raise SystemExit(f"{name}: {failures} of {pages} pages failed; nothing was measured")


@dataclass(frozen=True, slots=True)
class Bound:
    """A measured value and its upper limit."""

    name: str
    value: float
    limit: float
    is_aim: bool = False
    """An aim, not a promise."""

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        word = "PASS" if self.holds else "miss" if self.is_aim else "FAIL"
        return f"{word}  {self.value:8.3f}  (at most {self.limit:.3f})  {self.name}"
