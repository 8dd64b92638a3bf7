"""The text and runs of a caption, without its credit, label and buttons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice, takewhile
from typing import Final, TypeAlias

from tearsheet.addresses import link_address
from tearsheet.components._wording import named_author
from tearsheet.languages import any_of, phrases
from tearsheet.tags import CODES, HEADINGS, MARKS, mask
from tearsheet.types import Page, Run, Runs, Segments
from tearsheet.writing import WIDTHLESS

Style: TypeAlias = tuple[frozenset[str], str | None]
"""Marks and link of a run."""
_PLAIN: Final[Style] = (frozenset(), None)
_AGENCY: Final = re.compile(
    r"\b(?:getty|reuters|afp|dpa|epa|imago|picture alliance|shutterstock|istock|alamy|ap|aap|bbc|"
    r"efe|ansa|keystone|adobe stock|unsplash|pixabay|pexels|xinhua|anadolu|handout|supplied|"
    r"courtesy|associated press|cbc)\b|연합뉴스|뉴시스|뉴스1",
    re.I,
)
# A text after the last sentence, in brackets at the end, or after a stroke or "=".
_TAIL: Final = re.compile(
    r"(?:(?<=[.!?»”\"…。])\s+([^.!?]{2,60})|\s*\(([^()]{2,60})\)|\s+[/|]\s+(.{2,60})|[＝=](\S{1,12}))$"
)
_NUMBERED: Final = re.compile(r"[^\W\d]{2,12}\.?\s*\d+(?:[.-]\d+)*[.:]?")
LONGEST_CAPTION: Final = 1_200
_MARK_OR_LINK_TAGS: Final = mask("a", *(name for name, code in CODES.items() if code in MARKS))
LEVELS: Final = 40
"""Most elements around a picture or a caption that are looked at."""
MOST_ROWS: Final = 400
"""Most rows of a caption that are read; real ones have a few."""


def split_credit(text: str) -> tuple[str, str]:
    """The caption without its credit, and the credit.

    >>> split_credit("Boats at noon. Photo: A. Lee/AP"), split_credit("Boats at noon (Reuters)")
    (('Boats at noon.', 'Photo: A. Lee/AP'), ('Boats at noon', 'Reuters'))
    """
    text = _label().sub("", text)
    credit = ""
    if match := _credit().search(text):
        text, credit = text[: match.start()].strip(), match[0]
    match = _TAIL.search(text)
    if match and _NUMBERED.fullmatch(text[: match.start()].strip()):
        match = None  # "Figure 1." stands before the caption itself
    if match and _names_a_source(next(filter(None, match.groups()))):
        text, credit = text[: match.start()].strip(), credit or next(filter(None, match.groups()))
    if len(text.split()) <= 4 and _AGENCY.search(text):
        text, credit = "", credit or text
    text = text.strip(f" |/–—-{WIDTHLESS}")
    return ("" if button_pattern().match(text) else text), credit.strip(" |/()[]")


@cache
def _credit() -> re.Pattern[str]:
    """Finds a credit from its first word to the end of the caption."""
    words = [re.escape(word) for word in sorted(phrases("credit"), key=len, reverse=True)]
    short = "|".join(word for word in words if word.endswith("."))
    whole = "|".join(word for word in words if not word.endswith("."))
    return re.compile(
        r"(?:^|(?<=[\W_]))[\[(]?(?:(?:AP|AFP|EPA)\s)?"
        rf"(?:(?:{whole})\s*(?:{any_of('credit_by')}\s|[:：/©])|(?:{short})\s|©)\s*.{{2,120}}$",
        re.I,
    )


@cache
def _not_a_credit() -> re.Pattern[str]:
    return re.compile(rf"{any_of('not_credit')}|^[a-z]{{1,6}}\.|\d{{4}}", re.I)


@cache
def _label() -> re.Pattern[str]:
    """A label before a caption: "Enlarge / Boats", "Image caption Boats", not "Image of boats"."""
    return re.compile(rf"^{any_of('caption_label')}(?:\s*[:/]\s+|\s+(?-i:(?![a-z])))(?=\S)", re.I)


@cache
def button_pattern() -> re.Pattern[str]:
    """Matches all of a text that is a button on a picture, a count or a duration."""
    verb, what = any_of("image_button_verb"), any_of("image_button_object")
    return re.compile(
        rf"^(?:{verb}\b.{{0,40}}{what}.{{0,20}}|{any_of('image_button')}|"
        rf"\d+\s*(?:/|{any_of('of')})\s*\d+\W*|\d+\s?min\w*|[\W\d_]*)$",
        re.I,
    )


def _names_a_source(text: str) -> bool:
    """Whether a short text is the name of an agency, or words with capitals."""
    if _not_a_credit().search(text):
        return False
    names = text.replace("/", " ").split()
    capitals = all(not name[0].islower() for name in names if len(name) > 3)
    return bool(_AGENCY.search(text)) or (capitals and len(names) <= 5)


def may_be_caption(page: Page, segments: Segments, i: int) -> bool:
    above = islice(page.ancestors(int(segments.first[i])), 4)
    return (
        segments.link_chars[i] < segments.chars[i]
        and segments.chars[i] <= LONGEST_CAPTION
        and not named_author(segments.text[i])
        and not any(HEADINGS[page.tag[at]] for at in above)
    )


def read_text(page: Page, rows: list[int], without: list[int]) -> str:
    """The text of these rows without some elements inside them."""
    left_out = set(rows_inside(page, without))
    words, line = "", -1
    for row in rows_inside(page, rows):
        if page.text[row] and row not in left_out:
            words += page.text[row] if page.breaks[row] == line else f" {page.text[row]}"
            line = int(page.breaks[row])
    return " ".join(words.split())


def rows_inside(page: Page, rows: list[int]) -> Iterator[int]:
    """The first rows inside these elements, as many as a caption may have: very many pictures may
    share an element."""
    inside = (range(row, int(page.end[row])) for row in rows)
    return islice(chain.from_iterable(inside), MOST_ROWS)


def read_runs(page: Page, rows: list[int], caption: str) -> Runs:
    """The runs of a caption with links or marks; empty for a plain one."""
    inside = range(rows[0], int(page.end[rows[-1]])) if rows else range(0)
    inside = inside[:MOST_ROWS]
    if not caption or not any(_MARK_OR_LINK_TAGS[page.tag[row]] for row in inside):
        return ()
    styles, letters = [], ""
    for at in rows_inside(page, rows):
        if own := "".join(page.text[at].split()):
            letters += own
            styles += [_read_style(page, at, rows[0])] * len(own)
    start = letters.find("".join(caption.split()))
    return _group_runs(caption, styles[start:]) if start >= 0 else ()


def _read_style(page: Page, row: int, top: int) -> Style:
    """The marks and the link that the elements around a text row give it."""
    above = list(takewhile(lambda at: at >= top, islice(page.ancestors(row), LEVELS)))
    marks = frozenset(MARKS[tag] for at in above if (tag := int(page.tag[at])) in MARKS)
    links = (at for at in above if page.tag[at] == CODES["a"])
    hrefs = (link_address(page.base_url, page.attribute(at, "href")) for at in links)
    return marks, next(filter(None, hrefs), None)


def _group_runs(caption: str, styles: list[Style]) -> Runs:
    """The caption as runs of one style each; `styles` has one entry for each of its letters."""
    found: list[tuple[Style, list[str]]] = []
    before, at = _PLAIN, 0
    for sign in caption:
        style = styles[at]
        if sign != " ":
            before, at = style, min(at + 1, len(styles) - 1)
        elif style is not before:  # between two styles a space has what they share
            href = style[1] if style[1] == before[1] else None
            style = style[0] & before[0], href
        if found and found[-1][0] == style:
            found[-1][1].append(sign)
        else:
            found.append((style, [sign]))
    return tuple([Run("".join(signs), *style) for style, signs in found])
