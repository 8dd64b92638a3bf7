"""Filters pages of an archive: by address before a page is clipped, by its article after. Filtered
pages are not written; each shard counts them, by filter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tearsheet.addresses import address_host
from tearsheet.errors import InvalidOption

COLUMNS: Final = ("language", "words", "confidence", "page_type")
"""The columns that filters of articles need."""


@dataclass(frozen=True, slots=True)
class Filters:
    """The conditions for a page to be written; without any, every page is."""

    languages: tuple[str, ...] = ()
    least_words: int = 0
    most_words: int = 0
    """0: no limit."""
    least_confidence: float = 0.0
    page_types: tuple[str, ...] = ()
    include: str = ""
    """A regular expression that an address must match."""
    exclude: str = ""
    """A regular expression that an address must not match."""
    blocked: frozenset[str] = frozenset()
    """Hosts whose pages are refused, and all hosts below them."""

    def refuses_address(self, url: str | None) -> str:
        """The filter that refuses an address; empty if all accept it."""
        if self.include and not _compile(self.include).search(url or ""):
            return "include"
        if self.exclude and _compile(self.exclude).search(url or ""):
            return "exclude"
        return "blocked" if self.blocked and self._is_blocked(url or "") else ""

    def columns(self) -> tuple[str, ...]:
        """The columns that the filters need."""
        asked = {
            "language": self.languages, "words": self.least_words or self.most_words,
            "confidence": self.least_confidence, "page_type": self.page_types,
        }  # fmt: skip
        return tuple(name for name in COLUMNS if asked[name])

    def refuses_article(self, row: dict[str, Any]) -> str:
        """The filter that refuses an article, by its columns; empty if all accept it."""
        if self.languages and (row["language"] or "").partition("-")[0] not in self.languages:
            return "language"
        if self.least_words and row["words"] < self.least_words:
            return "least_words"
        if self.most_words and row["words"] > self.most_words:
            return "most_words"
        confidence = row["confidence"] if self.least_confidence else None
        if confidence is not None and confidence < self.least_confidence:
            return "confidence"
        return "page_type" if self.page_types and row["page_type"] not in self.page_types else ""

    def _is_blocked(self, url: str) -> bool:
        labels = address_host(url).split(".")
        return any(".".join(labels[i:]) in self.blocked for i in range(len(labels)))


def read_hosts(lines: Iterable[str]) -> frozenset[str]:
    """The hosts of a block list: one per line, as a name or an address; `#` begins a comment.

    >>> sorted(read_hosts(["# bad", "Spam.example", "https://ads.example/page", "", "http://["]))
    ['ads.example', 'spam.example']
    """
    hosts = (line.partition("#")[0].strip().lower() for line in lines)
    names = (address_host(host) if "://" in host else host.strip(".") for host in hosts)
    return frozenset(filter(None, names))


def check_expression(name: str, text: str) -> str:
    """The expression; raises if it is not a regular expression."""
    try:
        _compile(text)
    except re.error as error:
        raise InvalidOption(name, text, f"a regular expression ({error})") from None
    return text


@cache
def _compile(text: str) -> re.Pattern[str]:
    return re.compile(text)
