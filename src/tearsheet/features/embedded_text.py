"""Text that a page contains only as data.

Some pages show a stub, or nothing before their scripts run, but have the whole text in their
JSON-LD, or in the state of the program that would draw it (`__NEXT_DATA__`, `__NUXT_DATA__`,
`__INITIAL_STATE__` …), or at least a description for search engines and feeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tearsheet import json_ld
from tearsheet.segments import count_words
from tearsheet.tags import CODES
from tearsheet.types import Page
from tearsheet.writing import unescape

FEWEST_WORDS: Final = 40
MUCH_MORE: Final = 2
"""How many times longer than the kept text a text in the data must be to count as hidden."""
LITTLE_TEXT: Final = 100
"""Kept words below which a page may be drawn by its program."""
_BODY: Final = ("articleBody", "text")
_META: Final = CODES["meta"]
_DESCRIPTION: Final = re.compile(r' (?:name|property)="(?:og:|twitter:)?description"', re.I)
_TAG: Final = re.compile(r"<[^<>]*>")
_BREAK: Final = re.compile(r"<(?:br|p|div|li|h\d)\b[^<>]*>|\n\s*\n|\n", re.I)
_MOST: Final = 0.7  # share of the prose that the part with the article has
_SENTENCE: Final = 6  # fewest words of prose
_LETTERS: Final = 0.75  # least share of letters in prose
_STOP: Final = re.compile(r"[.!?…。！？।۔][\s”’\"'»)]*(?:$|\s|<)")


def find_hidden_text(page: Page, kept: int, visible: int) -> list[str]:
    """The paragraphs that a page has only as data, if it shows much less text than that.

    `kept` and `visible` are the numbers of words that were kept and that a reader can see.
    """
    found = bodies(page) or (application_states(page) if kept < LITTLE_TEXT else [])
    if not found and visible < FEWEST_WORDS:
        found = descriptions(page)
    return found[0] if found and _words(found[0]) > MUCH_MORE * kept else []


def bodies(page: Page) -> list[list[str]]:
    """The paragraphs of each long text in the JSON-LD; the longest text first."""
    found = [_paragraphs(value) for value in _texts(page, *_BODY)]
    return _longest_first(found)


def descriptions(page: Page) -> list[list[str]]:
    """The paragraphs of each long description in the head or the JSON-LD; longest first."""
    metas = (row for row in page.rows(_META) if _DESCRIPTION.search(page.attrs[row]))
    found = [_paragraphs(page.attribute(row, "content") or "") for row in metas]
    found += [_paragraphs(value) for value in _texts(page, "description")]
    return _longest_first(found)


def _words(paragraphs: Iterable[str]) -> int:
    return sum(map(count_words, paragraphs))


def _longest_first(texts: list[list[str]]) -> list[list[str]]:
    long = [body for body in texts if _words(body) >= FEWEST_WORDS]
    return sorted(long, key=lambda body: -sum(map(len, body)))


def application_states(page: Page) -> list[list[str]]:
    """The paragraphs of the prose in each application state; the longest text first.

    The article is the smallest part of a state that has most of its prose; menus, labels and
    teasers are in other parts.
    """
    found = []
    for kind, text in page.scripts:
        if "json" in kind and "ld+json" not in kind and len(text) >= FEWEST_WORDS:
            for state in json_ld.parse_documents(text):
                prose = (p for value in _main_part(state) for p in _paragraphs(value))
                found.append(list(dict.fromkeys(prose)))
    return _longest_first(found)


def _main_part(state: Any) -> list[str]:
    """The prose in the smallest part of a state that has most of it."""
    strings = dict.fromkeys(_strings(state, 0))
    known = frozenset(text for text in strings if _is_prose(text))
    prose = _known_prose(state, known)
    while prose and isinstance(state, dict | list):
        parts = list(state.values() if isinstance(state, dict) else state)
        prose_of_parts = [_known_prose(part, known) for part in parts]
        best = max(range(len(parts)), key=lambda i: sum(map(len, prose_of_parts[i])))
        if sum(map(len, prose_of_parts[best])) < _MOST * sum(map(len, prose)):
            break
        state, prose = parts[best], prose_of_parts[best]
    return prose


def _known_prose(value: Any, known: frozenset[str]) -> list[str]:
    """The strings inside a value that are certainly prose, in order."""
    return [text for text in _strings(value, 0) if text in known]


def _strings(value: Any, depth: int) -> Iterator[str]:
    """The strings inside a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth <= json_ld.DEEPEST:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part, depth + 1)


def _is_prose(text: str) -> bool:
    """Whether a string is prose: some words, the end of a sentence, and no program or address."""
    plain = _TAG.sub(" ", text) if "<" in text else text
    if count_words(plain) < _SENTENCE or not _STOP.search(plain) or "{" in plain:
        return False
    pieces = plain.split()
    signs = sum(map(len, pieces))
    return "://" not in pieces[0] and sum(map(str.isalpha, plain)) > _LETTERS * signs


def _texts(page: Page, *names: str) -> Iterator[str]:
    """The texts under these names in the page's JSON-LD."""
    values = json_ld.read_values(page.scripts, *names)
    return (value for value in values if isinstance(value, str))


def _paragraphs(text: str) -> list[str]:
    """The plain paragraphs of a text that may contain markup, also escaped markup."""
    if "&lt;" in text:
        text = unescape(text)
    pieces = _BREAK.split(text)
    plain = (" ".join(unescape(_TAG.sub(" ", piece)).split()) for piece in pieces)
    return [piece for piece in plain if piece]
