"""The words in the name that an address gives its page: `/2024/how-to-start-an-llc.html`."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final
from urllib.parse import unquote

from tearsheet.addresses import address_path

_SPELLING: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "o", "å": "a", "æ": "ae", "ł": "l", "đ": "d"}
)
"""How addresses spell these letters; other letters only lose their accents."""
_APOSTROPHE: Final = re.compile("[’'`´]")
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
_EXTENSION: Final = re.compile(r"\.[a-z]{2,5}$", re.I)
_NUMBER: Final = 5  # characters from which a word with digits is the number of the page, no year


def address_words(url: str | None) -> list[str]:
    """The words of the longest name in an address, without the number of the page.

    >>> address_words("https://example.org/tech/why-4-days-suffice-120345.html")
    ['why', '4', 'days', 'suffice']
    """
    parts = address_path(url or "").split("/")
    names = (spell(_EXTENSION.sub("", unquote(part))) for part in parts)
    return max(([word for word in name if not _is_number(word)] for name in names), key=len)


def spell(text: str) -> list[str]:
    """The words of a text as addresses spell them.

    >>> spell("Beginner’s Größe")
    ['beginners', 'groesse']
    """
    text = _APOSTROPHE.sub("", text.casefold().translate(_SPELLING))
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return [word for word in _BETWEEN_WORDS.split(bare) if word]


def count_shared(text: str, name: list[str]) -> int:
    """How many of an address's words a text has."""
    return (Counter(spell(text)) & Counter(name)).total()


def _is_number(word: str) -> bool:
    return len(word) >= _NUMBER and any(c.isdigit() for c in word)
