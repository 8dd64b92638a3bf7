"""The fingerprint of a text, as trafilatura has it, so that those of earlier runs still compare.

M. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002.
"""

from __future__ import annotations

import string
import unicodedata
from hashlib import blake2b
from typing import Final

_BITS: Final = 64
_FEWEST: Final = 32
"""Words that suffice; short ones count only if there are fewer without them."""


def fingerprint(text: str) -> str:
    """64 bits as hexadecimal digits; texts that are alike differ in few of them.

    >>> fingerprint("The tide rises and falls twice a day.")
    '7d784bebd966fba3'
    """
    votes = [0] * _BITS
    for word in _sample_words(text):
        bits = int.from_bytes(blake2b(word.encode(), digest_size=_BITS // 8).digest(), "big")
        for place in range(_BITS):
            votes[place] += 1 if bits >> place & 1 else -1
    return f"{sum(1 << place for place in range(_BITS) if votes[place] >= 0):x}"


def _sample_words(text: str) -> list[str]:
    words = [word for part in text.split() if (word := part.strip(string.punctuation)).isalnum()]
    if not words:
        spaced = (" " if unicodedata.category(sign)[0] == "P" else sign for sign in text)
        words = [word for word in "".join(spaced).split() if word.isalnum()]
    for length in (4, 3, 2, 1):
        longer = [word for word in words if len(word) > length]
        if len(longer) >= _FEWEST:
            return longer
    return words
