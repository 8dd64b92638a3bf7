"""Facts about characters for every stage: which have no width, which no document may contain, and
the direction of a text."""

from __future__ import annotations

import re
from typing import Final

WIDTHLESS: Final = "\u00ad\u200b\u200e\u200f\u2060\ufeff"
"""Soft hyphen, zero-width space, the two direction marks, word joiner and byte order mark: no
reader sees them. Zero-width joiners are not among them, for they change how letters are drawn."""

CONTROLS: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
)
"""Part of a regular expression: characters that act on a terminal (escape and control characters),
that change the direction of the text after them (bidirectional embeddings, overrides and isolates),
and that XML forbids. Tabs and line breaks are not among them."""

_CONTROLS: Final = re.compile(f"[{CONTROLS}]")
_WIDTHLESS: Final = re.compile(f"[{WIDTHLESS}{CONTROLS}]")
_RTL_LANGUAGES: Final = frozenset("ar arc ckb dv fa he iw khw ks nqo ps sd syr ug ur yi".split())
_RTL_SCRIPTS: Final = frozenset("adlm arab aran hebr mand nkoo rohg samr syrc thaa".split())


def drop_widthless(text: str) -> str:
    """The text without characters that have no width, including controls.

    >>> drop_widthless("Schiff\\u00adfahrt")
    'Schifffahrt'
    """
    return text if text.isprintable() else _WIDTHLESS.sub(_replacement, text)


def drop_controls(text: str) -> str:
    """The text without characters that act instead of being read.

    >>> drop_controls("red\\x1b[31m and \\u202edesrever")
    'red[31m and desrever'
    """
    return text if text.isprintable() else _CONTROLS.sub(_replacement, text)


def _replacement(sign: re.Match[str]) -> str:
    """The replacement of a character without width: nothing; a space if it separates words; or the
    Windows-1252 character that its code means (as HTML reads `&#146;`).

    >>> drop_controls("we\\x92re")
    'we’re'
    """
    if sign[0].isspace():
        return " "
    is_windows = "\x80" <= sign[0] <= "\x9f"
    return sign[0].encode("latin-1").decode("cp1252", "ignore") if is_windows else ""


def is_right_to_left(language: str) -> bool:
    """Whether a language (BCP 47) is written from right to left; its script decides if it is given.

    >>> [is_right_to_left(code) for code in ("ar-EG", "ku", "ku-Arab", "az-Latn")]
    [True, False, True, False]
    """
    first, *others = language.lower().replace("_", "-").split("-")
    script = next((part for part in others if len(part) == 4 and part.isalpha()), "")
    return script in _RTL_SCRIPTS if script else first in _RTL_LANGUAGES
