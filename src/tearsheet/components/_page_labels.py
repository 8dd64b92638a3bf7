"""Labels of links to a next page: a number, a word for "next" in any language, an arrow."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from tearsheet.components._compare import split_camel_case
from tearsheet.components._links import SIGNS, read_phrase
from tearsheet.languages import phrases
from tearsheet.tags import CODES
from tearsheet.types import Page

HINT: Final = re.compile(r"[\d›»→>▶►⇒⟩❯▸⏵]")
"""A number, or an arrow that points forward: without one, only known words are a label."""
RANGE: Final = re.compile(r"(\d+)\s?[-–—]\s?(\d+)")
"""The entries of a page: "51-100"."""
_IMG: Final = CODES["img"]
_WORDS: Final = 8  # most words of a label with a word for next in it
_FORTH: Final = re.compile(r"[›»→>▶►⇒⟩❯▸⏵]|&gt;")
_BACK: Final = re.compile(r"[‹«←<◀◄⇐⟨❮◂⏴]")
_LAST: Final = re.compile(r"[›»>▶►]\s*[|›»>▶►]|⏭|⏩|»\|")
_DIGITS: Final = re.compile(r"\d+")
_NAMED: Final = re.compile(r"((?:\w+ )?(\d{1,2}))[.:)] ")
"""The number of a page before its name."""


def read_label(label: str) -> tuple[int | None, bool] | None:
    """The number on a link, and whether it says "next"; None if the label is neither."""
    bare = read_phrase(label)
    if bare not in all_phrases() and not HINT.search(label):
        return None  # most links
    if RANGE.fullmatch(bare) or _counts_entries(bare):
        return None, not bare[0].isdigit()
    numbers = _DIGITS.findall(bare)
    if len(numbers) == 1 and len(numbers[0]) <= 4:
        names_page = not bare.isdigit() and _DIGITS.sub("0", bare) in known_phrases("next")
        if bare.isdigit() or names_page or _is_name_with_number(bare):
            return int(numbers[0]), names_page
    if named := _NAMED.match(bare):  # "page 2: the crew"
        start = _DIGITS.sub("0", named[1])
        if start == "0" or start in known_phrases("next"):
            return int(named[2]), False
    if bare in known_phrases("next") or bare in known_phrases("older"):
        return None, True
    if bare in known_phrases("continued"):
        return None, False
    if not any(map(str.isalnum, label)) and _FORTH.search(label) and not _BACK.search(label):
        return None, True
    return None


def _counts_entries(phrase: str) -> bool:
    """Whether a phrase is a word for next and how many entries follow: "next 20"."""
    first, _, rest = phrase.partition(" ")
    return rest[:1].isdigit() and len(rest.split()) <= 2 and first in next_words()


def _is_name_with_number(phrase: str) -> bool:
    """Whether a phrase is one or two words and a number: "archive 2"; a title is longer."""
    words = phrase.split()
    return len(words) <= 3 and words[-1].isdigit()


def says_next(label: str) -> bool:
    """Whether a label asks for more, or says "next" without naming something other than a page."""
    if read_phrase(label) in known_phrases("more"):
        return True
    words = [word.strip(SIGNS) for word in label.casefold().split()]
    if len(words) > _WORDS or next_words().isdisjoint(words):
        return False
    return known_phrases("not_next").isdisjoint(words)


@cache
def known_phrases(part: str) -> frozenset[str]:
    """The labels of one kind ("next", "older") in all languages, with 0 as the page's number."""
    return frozenset(read_phrase(text.replace("{}", "0")) for text in phrases(part))


@cache
def all_phrases() -> frozenset[str]:
    return frozenset().union(*map(known_phrases, ("next", "older", "more", "continued")))


@cache
def next_words() -> frozenset[str]:
    return frozenset(phrase for phrase in known_phrases("next") if phrase.isalpha())


def is_double_arrow(label: str) -> bool:
    """Whether a label is a sign for the last page, which may be the next one."""
    return _LAST.search(label) is not None and not any(map(str.isalnum, label))


def label_without_text(page: Page, row: int, end: int) -> str:
    """The label of a link without text, from its attributes."""
    for at in range(row, end):
        if at == row or page.tag[at] == _IMG:
            for name in ("alt", "title", "aria-label"):
                value = page.attribute(at, name) if name in page.attrs[at] else None
                if value and value.strip():
                    return " ".join(value.split())
    return "next" if is_marked_next(page, row) else ""


def is_marked_next(page: Page, row: int) -> bool:
    """Whether the class or the relation of a link is next: `pagination-next`."""
    if "next" not in page.attrs[row].casefold():
        return False
    names = f"{page.attribute(row, 'rel') or ''} {page.attribute(row, 'class') or ''}"
    return "next" in re.split(r"[\s_-]+", split_camel_case(names, " ").casefold())
