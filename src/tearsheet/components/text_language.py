"""The language that a text is written in, whatever its page declares.

py3langid tells it (extra `language`): naive Bayes over byte n-grams, after M. Lui and T. Baldwin,
"langid.py: An Off-the-shelf Language Identification Tool", ACL 2012. docs/components.md says why
this one; `python -m benchmarks.detection` compares it with others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from tearsheet.errors import MissingExtra

RULE: Final = "letters of the text"
_SAMPLE: Final = 2000
"""Characters that are read; more would hardly improve the result (docs/components.md)."""
_LEAST: Final = 20
"""Fewest letters; with fewer, the result would be a guess."""
_NO_LANGUAGE: Final = "zxx"
_SAME: Final = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "fil": "tl", "cmn": "zh"}
"""Codes that stand for the same language in the eyes of the detector."""


def detect_language(lines: Iterable[str]) -> tuple[str, float]:
    """The language of a text by its ISO 639 code, and its probability. The code is empty if the
    text has too few letters or is in no language.
    """
    sample = _choose_sample(lines)
    if sum(map(str.isalpha, sample)) < _LEAST:
        return "", 0.0
    language, score = _load_detector().classify(sample)
    return ("", 0.0) if language == _NO_LANGUAGE else (language, round(score, 3))


def is_same_language(one: str, other: str) -> bool:
    """Whether two codes name the same language, in whatever country or script.

    >>> is_same_language("en-GB", "en"), is_same_language("nb-NO", "no"), is_same_language("de", "")
    (True, True, False)
    """
    return _plain_code(one) == _plain_code(other)


def _plain_code(code: str) -> str:
    language = code.replace("_", "-").partition("-")[0].lower()
    return _SAME.get(language, language)


def _choose_sample(lines: Iterable[str]) -> str:
    """The longest lines of a text, because they are sentences; short ones are often names."""
    chosen: list[str] = []
    left = _SAMPLE
    for line in sorted(lines, key=len, reverse=True):
        chosen.append(line[:left])
        left -= len(line) + 1
        if left <= 0:
            break
    return "\n".join(chosen)


@cache
def _load_detector() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ModuleNotFoundError as error:
        raise MissingExtra("the language of a text", error.name, "language") from None
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
