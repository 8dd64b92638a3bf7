"""Facts about characters for every stage: which have no width, which no document may contain, and
the direction of a text."""

from __future__ import annotations

import html
import re
from typing import Final

WIDTHLESS: Final = "\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff"
"""Soft hyphen, zero-width space, the three direction marks, word joiner and byte order mark: no
reader sees them. Zero-width joiners are not among them, for they change how letters are drawn."""

CONTROLS: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
)
"""Part of a regular expression: characters that act on a terminal (escape and control characters),
that change the direction of the text after them (bidirectional embeddings, overrides and isolates),
and that XML forbids. Tabs and line breaks are not among them."""

TAGS: Final = "\U000e0000-\U000e007f"
"""Part of a regular expression: letters that nobody sees, though programs read them. Only a flag
(Scotland's) needs them."""

KANA: Final = "\u3040-\u30ff"
HAN: Final = "\u3400-\u9fff"
HANGUL: Final = "\uac00-\ud7af"
"""Parts of a regular expression: the letters of Japanese syllables, Chinese characters, and Korean
syllables, which are written without spaces, or may be."""

_FLAG: Final = "\U0001f3f4[\U000e0030-\U000e007a]{2,6}\U000e007f"
_LONG_NUMBER: Final = re.compile(r"&#\d{9,}")
"""The number of no character. Python's `html` fails at one of more than 4,300 digits."""
_CONTROLS: Final = re.compile(f"{_FLAG}|[{CONTROLS}{TAGS}]")
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_WIDTHLESS: Final = re.compile(f"{_FLAG}|[{WIDTHLESS}{CONTROLS}{TAGS}]")
_RTL_LANGUAGES: Final = frozenset("ar arc ckb dv fa he iw khw ks nqo ps sd syr ug ur yi".split())
_LETTERS: Final = {
    "Hani": re.compile(f"[{KANA}{HAN}]"),
    "Hang": re.compile("[\u1100-\u11ff\uac00-\ud7af]"),
    "Arab": re.compile("[\u0620-\u064a\u066e-\u06d3\u0750-\u077f]"),
    "Hebr": re.compile("[\u05d0-\u05ea]"),
}
"""The scripts that are set in another way than all others; kana count as Chinese characters."""
_KANA: Final = re.compile(f"[{KANA}]")
_WRITTEN_IN: Final = {
    **dict.fromkeys("zh yue wuu cmn ja".split(), "Hani"), "ko": "Hang",
    **dict.fromkeys("ar fa ur ps sd ug ckb".split(), "Arab"),
    **dict.fromkeys("he iw yi".split(), "Hebr"),
}  # fmt: skip
_LIKELIEST: Final = {"Hani": "zh", "Hang": "ko", "Arab": "ar", "Hebr": "he"}
_FEWEST_LETTERS: Final = 200
"""Letters of a text whose script is looked at."""
_MOSTLY: Final = 0.25
"""Share of the letters that a script has in a text of its languages: code and names are Latin, and
a Chinese character is half a word …"""
_PARTLY: Final = 0.06
"""… and in a text whose page declares no language."""
_HARDLY: Final = 0.02
_RTL_SCRIPTS: Final = frozenset("adlm arab aran hebr mand nkoo rohg samr syrc thaa".split())


def unescape(text: str) -> str:
    """The text with characters in place of the references to them (as `&eacute;`).

    >>> unescape("caf&eacute; &#" + "1" * 5000 + ";")
    'café �'
    """
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_LONG_NUMBER.sub("&#0", text))


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


def drop_non_xml(text: str) -> str:
    """The text without characters that no XML document may contain, and without deletes.

    >>> drop_non_xml("a\\x00b\\u202ec") == "ab\\u202ec"
    True
    """
    return text if text.isprintable() else _NOT_IN_XML.sub("", text)


def _replacement(sign: re.Match[str]) -> str:
    """The replacement of a character without width: nothing; a space if it separates words; or the
    Windows-1252 character that its code means (as HTML reads `&#146;`). A flag stays.

    >>> drop_controls("we\\x92re")
    'we’re'
    """
    if len(sign[0]) > 1:
        return sign[0]
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


def fit_language(language: str, text: str) -> str:
    """The declared language, or another one if the text is in another script. Pages often declare
    the language of their menus or of their template.

    >>> fit_language("en", "渡船在黄昏时分最后一次驶离码头。" * 20)
    'zh'
    >>> fit_language("zh-CN", "The ferry left the quay at dusk for the last time. " * 20)
    'und'
    """
    total = sum(map(str.isalpha, text))
    if total < _FEWEST_LETTERS:
        return language
    counts = {script: len(letters.findall(text)) for script, letters in _LETTERS.items()}
    script, count = max(counts.items(), key=lambda item: item[1])
    own = _WRITTEN_IN.get(language.partition("-")[0].lower())
    if count < (_PARTLY if language == "und" else _MOSTLY) * total:
        return "und" if own and counts[own] < _HARDLY * total else language
    if own == script or (script == "Arab" and is_right_to_left(language)):
        return language
    is_japanese = script == "Hani" and len(_KANA.findall(text)) > _MOSTLY * count
    return "ja" if is_japanese else _LIKELIEST[script]
