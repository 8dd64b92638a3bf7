"""Tests of a line that several components need: does it name an author, is it the label of an
advertisement, does it speak of publication?"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from tearsheet._core.text_search import find_begins
from tearsheet.languages import any_of, phrases

_AMBIGUOUS: Final = frozenset(("ad", "ads"))  # before a dash they may begin any line


def named_author(line: str) -> str:
    """The name after "by" in a line that names the author; empty if it names nobody.

    >>> named_author("Written by Ann Lee"), named_author("Von: Ann Lee"), named_author("Bye, Ann")
    ('Ann Lee', 'Ann Lee', '')
    """
    match = _byline().match(line)
    return match[1] if match else ""


@cache
def _byline() -> re.Pattern[str]:
    verb, before = any_of("byline_verb"), any_of("byline")
    return re.compile(rf"^(?:{verb}\s+)?{before}\s*[:：]?\s+(.{{3,80}})$", re.I)


LONGEST_LABEL: Final = 60
"""Most characters of the label of an advertisement, with what it adds."""


def says_advertisement(line: str) -> bool:
    """Whether a line is the label of an advertisement: such a word alone, or a word and, after a
    dash or the like, a short remark.

    >>> says_advertisement("– Anzeige –"), says_advertisement("Advertisement - story continues")
    (True, True)
    >>> says_advertisement("Advertisement rates fell"), says_advertisement("Ad – hoc")
    (False, False)
    """
    return len(line) <= LONGEST_LABEL and _label().search(line.lower()) is not None


def find_advertisements(lines: list[str]) -> list[int]:
    """The numbers of the lines that are such labels. Most lines begin with other letters.

    >>> find_advertisements(["Home", "– Anzeige –", "Advertisement rates fell"])
    [1]
    """
    likely = find_begins(lines, _label_begins(), LONGEST_LABEL)
    if not likely or not _label().search("\n".join([lines[i] for i in likely]).lower()):
        return []
    return [i for i in likely if says_advertisement(lines[i])]


@cache
def _label_begins() -> frozenset[str]:
    """The first two letters of each word that calls a line an advertisement, in any case."""
    return frozenset(
        one + two
        for word in phrases("advertisement")
        for one in (word[0], word[0].upper())
        for two in (word[1], word[1].upper())
    )


@cache
def _label() -> re.Pattern[str]:
    """Finds a line, in lower case, that is a label."""
    known = sorted(phrases("advertisement"), key=len, reverse=True)
    alone = "|".join(map(re.escape, known))
    whole = "|".join(re.escape(word) for word in known if word not in _AMBIGUOUS)
    remark = r"[ \t]*[-–—:|·•]+[^.!?\n]{1,40}"
    return re.compile(rf"(?m)^[^\w\n]*(?:(?:{alone})[^\w\n]*|(?:{whole}){remark})$")


@cache
def publication_word() -> re.Pattern[str]:
    """Finds a word for publication, such as "posted", in any language."""
    return re.compile(any_of("published"), re.I)
