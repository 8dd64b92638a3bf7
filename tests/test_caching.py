"""Answers are kept for short strings only."""

from __future__ import annotations

from tearsheet.caching import LONGEST, cache_short


def test_a_short_string_is_asked_once_and_a_long_one_each_time() -> None:
    """So that a hostile page cannot fill the memory of a service with its attributes."""
    asked: list[int] = []

    @cache_short(8)
    def length(text: str) -> int:
        asked.append(len(text))
        return len(text)

    for text in ("short", "short", "x" * (LONGEST + 1), "x" * (LONGEST + 1)):
        assert length(text) == len(text)
    assert asked == [5, LONGEST + 1, LONGEST + 1]
