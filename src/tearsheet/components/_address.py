"""The words that an address names its page with: `/2024/how-to-start-an-llc.html`."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final
from urllib.parse import unquote, urlsplit

_SPELT: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "o", "å": "a", "æ": "ae", "ł": "l", "đ": "d"}
)
"""How letters are written in addresses; other accents fall off."""
_APOSTROPHE: Final = re.compile("[’'`´]")
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
_EXTENSION: Final = re.compile(r"\.[a-z]{2,5}$", re.I)
_NUMBER: Final = 5  # letters of a word with digits that is the page's number, not a year


def named(url: str | None) -> list[str]:
    """The words of the longest name in an address, numbers of the page left out.

    >>> named("https://example.org/tech/why-4-days-suffice-120345.html")
    ['why', '4', 'days', 'suffice']
    """
    path = urlsplit(url or "").path
    names = (spelt(_EXTENSION.sub("", unquote(name))) for name in path.split("/"))
    told = ([word for word in name if not _is_number(word)] for name in names)
    return max(told, key=len)


def spelt(text: str) -> list[str]:
    """The words of a text in the letters that addresses are written with.

    >>> spelt("Beginner’s Größe")
    ['beginners', 'groesse']
    """
    text = _APOSTROPHE.sub("", text.casefold().translate(_SPELT))
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return [word for word in _BETWEEN_WORDS.split(bare) if word]


def told(text: str, name: list[str]) -> int:
    """How many of an address's words a text has."""
    return (Counter(spelt(text)) & Counter(name)).total()


def _is_number(word: str) -> bool:
    return len(word) >= _NUMBER and any(c.isdigit() for c in word)
