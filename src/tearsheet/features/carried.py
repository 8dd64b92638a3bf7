"""Text that a page carries as data: the body of an article or of a post in its JSON-LD.

Some pages show a stub, or nothing before their scripts run, and yet have all of the text in the
data meant for search engines.
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


def bodies(page: Page) -> list[list[str]]:
    """The paragraphs of each longer text in the page's JSON-LD; the longest text first."""
    found = []
    for kind, text in page.scripts:
        if "ld+json" in kind and ('"articleBody"' in text or '"text"' in text):
            found += [_paragraphs(value) for value in _values(text)]
    long = [body for body in found if sum(len(p.split()) for p in body) >= FEWEST_WORDS]
    return sorted(long, key=lambda body: -sum(map(len, body)))


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
