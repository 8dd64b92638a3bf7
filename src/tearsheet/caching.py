"""A cache of results for short strings, which many elements and pages share."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

LONGEST: Final = 300
"""Characters of a string whose result is cached: longer ones could fill the memory."""

T = TypeVar("T")


def cache_short(size: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """`functools.lru_cache` for a function of one string; it does not cache long strings.

    >>> @cache_short(8)
    ... def length(text: str) -> int:
    ...     return len(text)
    >>> length("two"), length("x" * 1000)
    (3, 1000)
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        cached = lru_cache(size)(function)

        @wraps(function)
        def look_up(text: str) -> T:
            return cached(text) if len(text) <= LONGEST else function(text)

        return look_up

    return decorate
