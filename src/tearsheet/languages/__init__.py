"""The words that Tearsheet looks for in each language: one file per language, in named parts.

To add a language, add its file `CODE.toml` (BCP 47) with any of the parts below, each a list of
texts; nothing else has to be changed. Pages mix languages and declare wrong ones, so the words of
all languages apply to every page. The files are read when a part is asked for the first time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tearsheet.errors import TearsheetError, UnknownName

PARTS: Final[Mapping[str, str]] = {
    "print": "the whole text of a print link that contains no `print_word`",
    "print_word": "words for printing; a print link has one, alone or at the start of a compound",
    "print_noun": "words for printers; they count as a `print_word` only beside another word",
    "print_beside": "words that may stand beside a `print_word` in the text of a print link",
    "print_in_address": "words, or their beginnings, in addresses of print pages and in icons",
    "no_print_in_address": "words that contain such a word but mean something else",
    "not_print_in_address": "words in a path that rule out a print page",
    "next": "the whole text of a link to the next page; {} is the number of the page",
    "older": "the whole text of a link to older entries of a listing",
    "more": "the whole text of a link to more of the same, if its address counts pages",
    "continued": "the whole text of a link that continues the article in another directory",
    "whole": "the whole text of a link to all pages of an article in one",
    "page_in_address": "words before the number of a page in an address",
    "part_in_address": "words before the number of a part in an address",
    "not_page_in_address": "words before other numbers in an address: of chapters, issues, weeks",
    "contents": 'the whole text of a link to a table of contents, beside the "next" of a chapter',
    "not_next": 'words beside "next" that mean something else than a page: next post',
    "of": "stands between a number and a total: 2 of 5",
    "advertisement": "a whole line that calls what is around it an advertisement",
    "byline": "stands before the name of an author",
    "byline_verb": "verbs that may stand before a `byline`: written by",
    "and": "stands between the names of two authors",
    "author_role": "what somebody is, after the name: Ann Lee, editor",
    "author_group": "a word that shows that a name is a group, not a person",
    "not_author": "the whole text of an author element that names nobody",
    "author_button": "stands before or after a name, on a button: Follow Ann Lee",
    "published": "beginnings of words in a line with the date of publication",
    "months": "January to December, as in dates; a vertical bar separates several names of a month",
    "credit": "stands before the source of a picture; with a dot at its end, an abbreviation",
    "credit_by": "may stand between a `credit` and the source: photo by",
    "not_credit": "in brackets at the end of a caption, it shows that they hold no source",
    "caption_label": "stands before a caption and is not part of it",
    "figure_label": "begins a caption, together with a number",
    "image_button": "the whole text of a button on a picture",
    "image_button_verb": "the first word of a longer text on such a button: open the gallery",
    "image_button_object": "what such a button opens",
    "code_button": "the whole text of a button on a listing of code",
    "paywall": "parts of a line that offers a subscription; * is up to 20 characters",
    "consent": "parts of a line that asks for consent",
    "consent_overlay": "parts of the text or name of a box that asks for consent",
}
"""The parts that a language may have, with their meanings."""

FOLDER = Path(__file__).parent
"""The folder of the files."""


class BadLanguage(TearsheetError):
    """A file of a language that cannot be read; the message says what is wrong."""

    code = "language"


@cache
def read_languages() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The parts of each language, by its code."""
    return {file.stem: _read(file) for file in sorted(FOLDER.glob("*.toml"))}


def _read(file: Path) -> dict[str, tuple[str, ...]]:
    import tomllib

    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise BadLanguage(f"{file.name}: {error}") from None
    for part, texts in found.items():
        if part not in PARTS:
            raise BadLanguage(f"{file.name}: {UnknownName('part', part, PARTS)}")
        if not isinstance(texts, list) or not all(isinstance(t, str) and t for t in texts):
            raise BadLanguage(f"{file.name}: '{part}' must be a list of texts")
    if len(found.get("months", range(12))) != 12:
        raise BadLanguage(f"{file.name}: a year has twelve months")
    return {part: tuple(texts) for part, texts in found.items()}


@cache
def phrases(part: str) -> tuple[str, ...]:
    """The texts of a part in all languages, each once.

    >>> "drucken" in phrases("print_word"), "print" in phrases("print_word")
    (True, True)
    """
    if part not in PARTS:
        raise UnknownName("part", part, PARTS)
    found = (text for parts in read_languages().values() for text in parts.get(part, ()))
    return tuple(dict.fromkeys(found))


@cache
def any_of(part: str) -> str:
    """A regular expression, in a group of its own, for the texts of a part.

    >>> re.findall(any_of("of"), "2 of 5")
    ['of']
    """
    longest_first = sorted(phrases(part), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first))})"


def months() -> list[tuple[str, ...]]:
    """The names of the months, a tuple of twelve per language."""
    return [parts["months"] for parts in read_languages().values() if "months" in parts]
