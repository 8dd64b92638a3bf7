"""Text that a page carries as data: the body of an article or of a post in its JSON-LD, or in the
state of the program that would draw it (`__NEXT_DATA__`, `__NUXT_DATA__`, `__INITIAL_STATE__` …).

Some pages show a stub, or nothing before their scripts run, and yet have all of the text in the
data meant for search engines or for their own scripts.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tearsheet.types import Page

FEWEST_WORDS: Final = 40
_TAG: Final = re.compile(r"<[^<>]*>")
_BREAK: Final = re.compile(r"<(?:br|p|div|li|h\d)\b[^<>]*>|\n\s*\n|\n", re.I)
_DEEPEST: Final = 30
_MOST: Final = 0.7  # of the prose, which the part of a state that is the article has
_SENTENCE: Final = 6  # words
_LETTERS: Final = 0.75  # of the characters of prose
_STOP: Final = re.compile(r"[.!?…。！？।۔][\s”’\"'»)]*(?:$|\s|<)")


def bodies(page: Page) -> list[list[str]]:
    """The paragraphs of each longer text in the page's JSON-LD; the longest text first."""
    found = []
    for kind, text in page.scripts:
        if "ld+json" in kind and ('"articleBody"' in text or '"text"' in text):
            found += [_paragraphs(value) for value in _values(text)]
    long = [body for body in found if sum(len(p.split()) for p in body) >= FEWEST_WORDS]
    return sorted(long, key=lambda body: -sum(map(len, body)))


def states(page: Page) -> list[list[str]]:
    """The paragraphs of the prose in each application state; the longest text first.

    From the whole state down to the smallest part that still has most of its prose: menus, labels
    and what is said of other articles stand elsewhere.
    """
    found = []
    for kind, text in page.scripts:
        if "json" in kind and "ld+json" not in kind and len(text) >= FEWEST_WORDS:
            try:
                state = json.loads(text, strict=False)
            except (ValueError, RecursionError):
                continue
            said = (p for value in _main_part(state) for p in _paragraphs(value))
            found.append(list(dict.fromkeys(said)))
    long = [body for body in found if sum(len(p.split()) for p in body) >= FEWEST_WORDS]
    return sorted(long, key=lambda body: -sum(map(len, body)))


def _main_part(state: Any) -> list[str]:
    """The prose of the smallest part of a state that has most of it."""
    strings = dict.fromkeys(_strings(state, 0))
    known = frozenset(text for text in strings if _reads(text))
    prose = _prose(state, known)
    while prose and isinstance(state, dict | list):
        parts = list(state.values() if isinstance(state, dict) else state)
        told = [_prose(part, known) for part in parts]
        best = max(range(len(parts)), key=lambda i: sum(map(len, told[i])))
        if sum(map(len, told[best])) < _MOST * sum(map(len, prose)):
            break
        state, prose = parts[best], told[best]
    return prose


def _prose(value: Any, known: frozenset[str]) -> list[str]:
    """The strings below a value that are known for prose, in order."""
    return [text for text in _strings(value, 0) if text in known]


def _strings(value: Any, depth: int) -> Iterator[str]:
    """The strings below a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth <= _DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part, depth + 1)


def _reads(text: str) -> bool:
    """Whether a string is prose: some words, a sentence's end, and no program or address."""
    plain = _TAG.sub(" ", text) if "<" in text else text
    words = plain.split()
    if len(words) < _SENTENCE or not _STOP.search(plain) or "{" in plain or "://" in words[0]:
        return False
    return sum(map(str.isalpha, plain)) > _LETTERS * len("".join(words))


def _values(text: str) -> Iterator[str]:
    try:
        waiting: list[tuple[Any, int]] = [(json.loads(text, strict=False), 0)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(value, list):
            waiting += ((item, depth + 1) for item in value)
        elif isinstance(value, dict):
            waiting += ((item, depth + 1) for item in value.values())
            for name in ("articleBody", "text"):
                if isinstance(value.get(name), str):
                    yield value[name]


def _paragraphs(text: str) -> list[str]:
    """Plain paragraphs of a text that may hold markup, or markup written as entities."""
    if "&lt;" in text:
        text = html.unescape(text)
    pieces = _BREAK.split(text)
    plain = (" ".join(html.unescape(_TAG.sub(" ", piece)).split()) for piece in pieces)
    return [piece for piece in plain if piece]
