"""Roles → the lines that play them, and the selection by the options about roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tearsheet.addresses import drop_tracking, link_address
from tearsheet.tags import CODES
from tearsheet.types import (
    ROLES,
    Bools,
    Clipping,
    Ints,
    Options,
    Page,
    RelatedLink,
    Verdict,
)  # fmt: skip

_LINK: Final = CODES["a"]
_AROUND: Final = 6
"""Elements around a line that are looked at for its link."""
_LONGEST_BYLINE: Final = 200
"""Most characters of a line that names who wrote the text."""


def likeliest_roles(verdict: Verdict) -> Ints:
    """For each segment the number of its most likely role in `ROLES`; -1: the method cannot tell.

    >>> likeliest_roles(Verdict("a", np.ones(2), np.ones(2, dtype=bool))).tolist()
    [-1, -1]
    """
    if not verdict.roles:
        return np.full(len(verdict.keep), -1, dtype=np.int32)
    found: Ints = np.stack([verdict.roles[name] for name in ROLES]).argmax(axis=0).astype(np.int32)
    return found


def mark_role(verdict: Verdict, *names: str) -> Bools:
    """Marks the segments whose most likely role is one of these."""
    numbers = [ROLES.index(name) for name in names]
    found: Bools = np.isin(likeliest_roles(verdict), numbers)
    return found


def find_lines(clipping: Clipping, role: str) -> tuple[str, ...]:
    """The texts of the segments that most likely play a role."""
    text = clipping.segments.text
    return tuple(text[i] for i in np.flatnonzero(mark_role(clipping.verdict, role)).tolist())


def find_role(clipping: Clipping, likeliest: Ints, first: int, end: int) -> str:
    """The role of most words between two rows; empty if the method cannot tell."""
    low, high = np.searchsorted(clipping.segments.first, (first, end)).tolist()
    return _find_role(clipping, likeliest, low, high)


def find_roles(clipping: Clipping, places: Sequence[tuple[int, int]]) -> list[str]:
    """The same for many places: (first row, row after the last)."""
    likeliest = likeliest_roles(clipping.verdict)
    borders = clipping.segments.first.searchsorted(np.array(places).ravel()).tolist()
    return [
        _find_role(clipping, likeliest, low, high) for low, high in zip(borders[::2], borders[1::2])
    ]


def _find_role(clipping: Clipping, likeliest: Ints, low: int, high: int) -> str:
    """The role of most words of some segments."""
    role = likeliest.item(low) if low < high else -1
    if role >= 0 and high - low > 1:
        words = clipping.segments.words[low:high] + 1
        role = int(np.bincount(likeliest[low:high], words).argmax())
    return ROLES[role] if role >= 0 else ""


def find_byline(clipping: Clipping) -> str:
    """The line that most likely names who wrote the text; empty without one."""
    verdict, segments = clipping.verdict, clipping.segments
    found = mark_role(verdict, "byline") & (segments.chars <= _LONGEST_BYLINE)
    if not found.any():
        return ""
    return segments.text[int(np.argmax(np.where(found, verdict.roles["byline"], -1)))]


def find_related(clipping: Clipping) -> tuple[RelatedLink, ...]:
    """The links to further articles, each address once."""
    page, segments = clipping.page, clipping.segments
    found: dict[str, RelatedLink] = {}
    for i in np.flatnonzero(mark_role(clipping.verdict, "related")).tolist():
        address = _find_address(page, int(segments.first[i]), int(segments.last[i]))
        if address:
            address = drop_tracking(address)
            found.setdefault(address, RelatedLink(segments.text[i], address))
    return tuple(found.values())


def _find_address(page: Page, first: int, last: int) -> str | None:
    """The address of the link around a line, or of the first link in it."""
    around = [first]
    while len(around) < _AROUND and page.parent[around[-1]] >= 0:
        around.append(int(page.parent[around[-1]]))
    for row in (*around, *range(first, last + 1)):
        if page.tag[row] == _LINK and (href := page.attribute(row, "href")):
            return link_address(page.base_url, href)
    return None


def apply_options(clipping: Clipping, options: Options) -> Clipping:
    """The clipping with the roles that the options add, and without those that they remove."""
    verdict = clipping.verdict
    more = [name for name, on in _ADDED.items() if getattr(options, on)]
    less = [name for name, on in _REMOVED.items() if not getattr(options, on)]
    if not verdict.roles or not (more or less):
        return clipping
    keep = (verdict.keep | mark_role(verdict, *more)) & ~mark_role(verdict, *less)
    return replace(clipping, verdict=replace(verdict, keep=keep))


_ADDED: Final = {"comment": "comments", "related": "related"}
"""The roles that are left out unless an option keeps them."""
_REMOVED: Final = {"caption": "captions", "credit": "captions", "table": "tables"}
"""The roles that are kept unless an option leaves them out."""
