"""Words for printing: in the text of a link, in an address, in the name of an icon.

The text of a print link follows a small grammar: at least one word for printing, and every other
word from a list of words that may stand beside it, in one language or with English mixed in. Words
may be written together: "Druckversion", "印刷用ページ". Each language has its words in its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from tearsheet.components._links import SIGNS, read_phrase
from tearsheet.languages import phrases, read_languages
from tearsheet.writing import HAN, HANGUL, KANA

_MOST_WORDS: Final = 12
_ROOT: Final = 5
"""Letters by which texts are looked through before the grammar reads them."""
_SHORTEST_PIECE: Final = 4
"""Fewest letters of a word in a compound: "ein" + "druck" is not one."""
_BETWEEN: Final = re.compile(
    rf"[\s{re.escape(SIGNS)}!-/:-@\[-`{{-~‘’“”„´&、。・「」『』【】（）／：]+"
)
_UNSPACED: Final = re.compile(f"[\u0e00-\u0eff{KANA}{HAN}{HANGUL}]")
"""Letters of scripts that are written without spaces, or may be."""
_NAME_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
"""The words of a name, also of one in camel case: "lnkPrintPage"."""


class _Grammar(NamedTuple):
    """The words of print links in one language."""

    known: frozenset[str]
    """Words for printing, words beside them, and the English ones."""
    nouns: frozenset[str]
    """Words for printers, which alone do not make a print link."""
    roots: tuple[str, ...]
    """The shortest list of beginnings of the words for printing."""


def is_print_phrase(text: str) -> bool:
    """Whether a text is the label of a print link.

    >>> is_print_phrase("[ Show Printable Version ]"), is_print_phrase("Fine print")
    (True, False)
    """
    phrase = read_phrase(text)
    if phrase in _whole_phrases():
        return True
    words = [word for word in _BETWEEN.split(phrase) if word]
    if not 0 < len(words) <= _MOST_WORDS:
        return False
    return any(
        _follows(grammar, words)
        for grammar in _grammars()
        if any(root in phrase for root in grammar.roots)
    )


def _follows(grammar: _Grammar, words: list[str]) -> bool:
    prints = False
    for word in words:
        if word not in grammar.known and not _is_compound(word, grammar.known):
            return False
        prints = prints or any(root in word for root in grammar.roots)
    return prints and not grammar.nouns.issuperset(words)


def _is_compound(word: str, known: frozenset[str]) -> bool:
    """Whether a word is put together from known words."""
    least = 1 if _UNSPACED.search(word) else _SHORTEST_PIECE
    ends = {0}
    for start in range(len(word)):
        if start in ends:
            stops = range(start + least, len(word) + 1)
            ends.update(stop for stop in stops if word[start:stop] in known)
    return len(word) in ends


def pick_texts(texts: Sequence[str]) -> list[int]:
    """The numbers of the texts, given in lower case, that may say print. Most pages have few."""
    plain = "\0".join([text for text in texts if text.isascii()])
    other = "\0".join([text for text in texts if not text.isascii()])
    roots = [root for root in _all_roots() if root in other or (root.isascii() and root in plain)]
    found = {n for root in roots for n, text in enumerate(texts) if root in text}
    if not _short_phrases().isdisjoint(texts):
        found.update(n for n, text in enumerate(texts) if text in _short_phrases())
    return sorted(found)


@cache
def _whole_phrases() -> frozenset[str]:
    return frozenset(map(read_phrase, phrases("print")))


@cache
def _grammars() -> tuple[_Grammar, ...]:
    languages = read_languages()
    english = _words(languages.get("en", {}), "print_word", "print_noun", "print_beside")
    return tuple(
        _Grammar(
            known=_words(parts, "print_word", "print_noun", "print_beside") | english,
            nouns=_words(parts, "print_noun") | _words(languages.get("en", {}), "print_noun"),
            roots=_shortest_words(_words(parts, "print_word", "print_noun")),
        )
        for parts in languages.values()
        if "print_word" in parts
    )


def _words(parts: Mapping[str, tuple[str, ...]], *names: str) -> frozenset[str]:
    return frozenset(word.casefold() for name in names for word in parts.get(name, ()))


def _shortest_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words that contain no other of them."""
    found: list[str] = []
    for word in sorted(words, key=len):
        if not any(shorter in word for shorter in found):
            found.append(word)
    return tuple(found)


@cache
def _all_roots() -> tuple[str, ...]:
    """The beginnings of the labels of print links, in all languages."""
    roots = _shortest_words(root[:_ROOT] for grammar in _grammars() for root in grammar.roots)
    whole = (text for text in _whole_phrases() if not any(root in text for root in roots))
    return _shortest_words((*roots, *(text[:_ROOT] for text in whole if len(text) > _ROOT)))


@cache
def _short_phrases() -> frozenset[str]:
    """Phrases that must be the whole text: "in" is part of too many words."""
    return frozenset(phrase for phrase in _whole_phrases() if len(phrase) <= _ROOT)


def says_print(name: str) -> bool:
    """Whether an address, a class or the name of a file has a word for printing.

    >>> says_print("/cgi-bin/PrintStory.pl?id=7"), says_print("/news/sprint-48213")
    (True, False)
    """
    return any(map(_is_print_word, name_words(name)))


def name_words(name: str) -> list[str]:
    """The words of a name in lower case.

    >>> name_words("lnkPrint_page2.gif")
    ['lnk', 'print', 'page', 'gif']
    """
    return [word.casefold() for word in _NAME_WORD.findall(name)]


@cache
def _name_pattern() -> re.Pattern[str]:
    words = "|".join(map(re.escape, _shortest_words(phrases("print_in_address"))))
    return re.compile(rf"(?:{words})\w*|\w*(?:{words})")


def _is_print_word(word: str) -> bool:
    if len(word) < _SHORTEST_PIECE or word in _look_alikes():
        return False
    return _name_pattern().fullmatch(word) is not None


@cache
def _look_alikes() -> frozenset[str]:
    return frozenset(phrases("no_print_in_address"))
