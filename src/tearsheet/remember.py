"""Answers kept for short strings that many elements and pages share."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

LONGEST: Final = 300
"""Characters of a string that is kept: a page could fill the memory with longer ones."""

T = TypeVar("T")


def remembered(size: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """`functools.lru_cache` for a function of one string; a long one is answered anew.

    >>> @remembered(8)
    ... def length(text: str) -> int:
    ...     return len(text)
    >>> length("two"), length("x" * 1000)
    (3, 1000)
    """

    def decorate(function: Callable[[str], T]) -> Callable[[str], T]:
        kept = lru_cache(size)(function)

        @wraps(function)
        def answer(text: str) -> T:
            return kept(text) if len(text) <= LONGEST else function(text)

        return answer

    return decorate
