"""Detects why a page hides its text: a paywall, or a question for consent.

Signs are schema.org's `isAccessibleForFree`, the names of overlays, and the words of the lines. A
page with a long text is not checked, for nothing hides it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from tearsheet import json_ld
from tearsheet.languages import phrases
from tearsheet.types import Bools, Page, Segments

SHORT: Final = 300
"""With this many kept words the text is there, whatever the page calls its parts."""
_OVERLAY: Final = re.compile(
    r' (?:class|id)="[^"]*(?:pay-?_?wall|reg-?wall|subscri(?:ber|ption)-?_?(?:wall|only|gate)|'
    r"metered?-?(?:content|wall)|premium-?(?:content|wall|overlay)|piano-|tp-modal|poool|"
    r"content-?gate|article-?gate|plus-?(?:wall|teaser))",
    re.I,
)
_OVERLAY_WORDS: Final = (
    "wall", "gate", "subscri", "meter", "premium", "piano-", "tp-modal", "poool", "plus",
)  # fmt: skip
"""Every match of `_OVERLAY` contains one of these; searching for them first is faster."""
_ASKING: Final = 0.3  # share of the kept words from which on the page only asks


def find_walls(page: Page, segments: Segments, keep: Bools) -> tuple[str, ...]:
    """Why the kept text may not be the whole text, in sentences; empty if nothing hides it."""
    if int(segments.words[keep].sum()) >= SHORT:
        return ()
    found = []
    if _is_behind_paywall(page, segments):
        found.append("a paywall: the page shows a part of its text only")
    if _asks_for_consent(segments, keep):
        found.append("a consent wall: what is kept asks for consent rather than tells")
    return tuple(found)


def _is_behind_paywall(page: Page, segments: Segments) -> bool:
    if any(map(_is_false, json_ld.read_values(page.scripts, "isAccessibleForFree"))):
        return True
    if not _offers_subscription("\n".join(segments.text).lower()):
        return False
    named = (raw for raw in set(page.attrs) if any(word in raw.lower() for word in _OVERLAY_WORDS))
    return any(_OVERLAY.search(raw) for raw in named)


def _is_false(value: Any) -> bool:
    """Whether a value of JSON-LD is false, as publishers write it: `false`, "False", ["no"]."""
    first = value[0] if isinstance(value, list) and value else value
    return first is False or (isinstance(first, str) and first.strip().lower() in ("false", "no"))


def _offers_subscription(text: str) -> bool:
    """Whether one of the lines, in lower case, offers a subscription."""
    for phrase in phrases("paywall"):
        longest = max(phrase.split("*"), key=len)
        if longest in text and ("*" not in phrase or _with_gaps(phrase).search(text)):
            return True
    return False


@cache
def _with_gaps(phrase: str) -> re.Pattern[str]:
    return re.compile(".{0,20}".join(map(re.escape, phrase.split("*"))))


def _asks_for_consent(segments: Segments, keep: Bools) -> bool:
    kept = keep.nonzero()[0].tolist()
    words = phrases("consent")
    lines = ((i, segments.text[i].lower()) for i in kept)
    asking = [i for i, line in lines if any(word in line for word in words)]
    total = int(segments.words[keep].sum())
    return len(asking) > 1 and int(segments.words[asking].sum()) > _ASKING * total
