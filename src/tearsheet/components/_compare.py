"""Comparing short texts: titles, names, addresses."""

from __future__ import annotations

import re
from typing import Final

_SPACE_AND_SIGNS: Final = re.compile(r"[\W_]+")
_CAPITAL_INSIDE: Final = re.compile(r"[A-Z](?<=[a-z][A-Z])")
_ASCII_SIGNS: Final = bytes(c for c in range(128) if not chr(c).isalnum() and c != 10)
_SIGNS_IN_LINES: Final = re.compile(r"[^\w\n]+|_+")
_USUAL_SIGNS: Final = "’‘“”–—…«»„·•\xa0"


def fold(text: str) -> str:
    """Lower case and single spaces: two texts that a reader takes for the same become equal.

    >>> fold(" The  Straße ") == fold("the strasse")
    True
    """
    return " ".join(text.split()).casefold()


def split_camel_case(names: str, sign: str) -> str:
    """The names with a sign where a small letter meets a capital.

    >>> split_camel_case("relatedPosts", "-")
    'related-Posts'
    """
    return _CAPITAL_INSIDE.sub(rf"{sign}\g<0>", names)


def only_letters(text: str) -> str:
    """Only the letters and digits, in lower case."""
    return only_letters_by_line(text.replace("\n", " "))


def only_letters_by_line(text: str) -> str:
    """The letters and digits of each line, in lower case: faster than one text at a time.

    >>> only_letters_by_line("No. 1!\\nA – Z")
    'no1\\naz'
    """
    left = (
        text.encode("utf-8", "surrogatepass")
        .translate(None, _ASCII_SIGNS)
        .decode("utf-8", "surrogatepass")
    )
    if not left.isascii():
        for sign in _USUAL_SIGNS:
            left = left.replace(sign, "")
        if not left.replace("\n", "").isalnum():
            left = _SIGNS_IN_LINES.sub("", left)
    return left.casefold()


def word_set(text: str) -> set[str]:
    """The different words of a text, in lower case."""
    return {word for word in _SPACE_AND_SIGNS.split(text.casefold()) if word}


def similarity(s: str, t: str) -> float:
    """How similar `s` is to `t`, 0 to 1: m = 1 - min(d, L) / L (Article Clipper, §2.3).

    d is the Levenshtein distance and L the length of `t`.

    >>> similarity("kitten", "sitting")  # three edits, seven letters
    0.5714285714285714
    """
    if not t:
        return 0.0
    if s == t:
        return 1.0
    return 1 - min(levenshtein(s, t), len(t)) / len(t)


def levenshtein(s: str, t: str) -> int:
    """The fewest letters to insert, delete or replace that turn `s` into `t`.

    A column of the distance table is two integers of len(s) bits, so a step costs a handful of
    integer operations (Myers, "A fast bit-vector algorithm for approximate string matching",
    JACM 46(3), 1999; in Hyyrö's form).
    """
    if not s or not t:
        return len(s) + len(t)
    where: dict[str, int] = {}
    for i, letter in enumerate(s):
        where[letter] = where.get(letter, 0) | 1 << i
    full, last = (1 << len(s)) - 1, 1 << len(s) - 1
    plus, minus, distance = full, 0, len(s)
    for letter in t:
        match = where.get(letter, 0)
        diagonal = (((match & plus) + plus) ^ plus) | match | minus
        up = minus | ~(diagonal | plus) & full
        down = plus & diagonal
        distance += bool(up & last) - bool(down & last)
        up = (up << 1 | 1) & full
        plus = (down << 1 | ~(diagonal | up)) & full
        minus = up & diagonal
    return distance
