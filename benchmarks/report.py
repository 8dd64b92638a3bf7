"""A promise with its measured value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """What was measured, and what it may be at most."""

    name: str
    value: float
    limit: float

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        word = "PASS" if self.holds else "FAIL"
        return f"{word}  {self.value:8.3f}  (at most {self.limit:.3f})  {self.name}"
