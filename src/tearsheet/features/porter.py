"""Porter's stemmer for English.

M. F. Porter: An algorithm for suffix stripping. Program 14 (3), 1980. The five steps as published,
on lower-case words of letters a to z; any other word comes back as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

# A word is [C](VC)^m[V]; y is a vowel after a consonant.
_CONSONANT: Final = r"(?:[^aeiouy]|(?<![^aeiou])y)"
_VOWEL: Final = r"(?:[aeiou]|(?<=[^aeiou])y)"
_MEASURED: Final = re.compile(f"{_VOWEL}+{_CONSONANT}+")
_HAS_VOWEL: Final = re.compile(_VOWEL)
_DOUBLE: Final = re.compile(r"([^aeiouylsz])\1$")
_SHORT: Final = re.compile(f"{_CONSONANT}{_VOWEL}[^aeiouwxy]$")
_PLAIN: Final = re.compile(r"[a-z]{3,}")


def _suffixes(text: str) -> dict[str, str]:
    pairs = (pair.partition(">") for pair in text.split())
    return {suffix: new for suffix, _, new in pairs}


_STEP_2: Final = _suffixes(
    "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e "
    "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous "
    "aliti>al iviti>ive biliti>ble"
)
_STEP_3: Final = _suffixes("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP_4: Final = _suffixes(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> "
    "ive> ize>"
)


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of a word.

    >>> [stem(word) for word in ("caresses", "relational", "hopping", "generalizations")]
    ['caress', 'relat', 'hop', 'gener']
    """
    if not _PLAIN.fullmatch(word):
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replace_suffix(word, _STEP_2, 0)
    word = _replace_suffix(word, _STEP_3, 0)
    return _step_5(_replace_suffix(word, _STEP_4, 1))


def measure(word: str) -> int:
    """m: how many times a vowel group is followed by a consonant group.

    >>> [measure(word) for word in ("tree", "by", "trouble", "oats", "private")]
    [0, 0, 1, 1, 2]
    """
    return len(_MEASURED.findall(word))


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        root = word.removesuffix(suffix)
        if root != word and _HAS_VOWEL.search(root):
            return _restore_ending(root)
    return word


def _restore_ending(root: str) -> str:
    """A stem without -ed or -ing, corrected: hopp → hop, fil → file, conflat → conflate."""
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if _DOUBLE.search(root):
        return root[:-1]
    return root + "e" if measure(root) == 1 and _SHORT.search(root) else root


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _HAS_VOWEL.search(word[:-1]) else word


def _replace_suffix(word: str, suffixes: Mapping[str, str], least: int) -> str:
    """The word with its longest known suffix replaced, if the measure before it exceeds `least`."""
    for start in range(max(len(word) - 7, 0), len(word)):
        new = suffixes.get(word[start:])
        if new is not None:
            root = word[:start]
            if word.endswith("ion") and suffixes is _STEP_4 and not root.endswith(("s", "t")):
                return word
            return root + new if measure(root) > least else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        root = word[:-1]
        m = measure(root)
        if m > 1 or (m == 1 and not _SHORT.search(root)):
            word = root
    return word[:-1] if word.endswith("ll") and measure(word[:-1]) > 1 else word
