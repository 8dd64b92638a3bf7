"""What several components ask of a line: does it name an author, is it an advertisement's label."""

from __future__ import annotations

import re
from functools import cache

from tearsheet.languages import any_of, phrases


def named_author(line: str) -> str:
    """What follows "by" in a line that names who wrote a text; empty if it names nobody.

    >>> named_author("Written by Ann Lee"), named_author("Von: Ann Lee"), named_author("Bye, Ann")
    ('Ann Lee', 'Ann Lee', '')
    """
    match = _byline().match(line)
    return match[1] if match else ""


@cache
def _byline() -> re.Pattern[str]:
    verb, before = any_of("byline_verb"), any_of("byline")
    return re.compile(rf"^(?:{verb}\s+)?{before}\s*[:：]?\s+(.{{3,80}})$", re.I)


@cache
def advertisement_labels() -> frozenset[str]:
    """What stands above an advertisement, alone on a line, in lower case."""
    return frozenset(phrases("advertisement"))
