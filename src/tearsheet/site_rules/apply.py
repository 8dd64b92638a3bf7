"""Rules and a page → the article that follows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from tearsheet.addresses import web_address
from tearsheet.article import Article, assemble
from tearsheet.components.metadata import read_field
from tearsheet.deadline import Deadline
from tearsheet.errors import TearsheetError
from tearsheet.site_rules.rules import Place, SiteRules, find_rules, needs_address
from tearsheet.store.edits import apply_edits, find_edits, with_role
from tearsheet.store.nodes import PageNodes, segments_within
from tearsheet.types import Bools, Clipping, Metadata, Options, Page

T = TypeVar("T")
_NO_ADDRESS: Final = "its rules were not looked for: they go by the page's address (--url)"
_FIELDS: Final = ("title", "authors", "published")
_LINKS: Final = {"next_page": "next_url", "whole_page": "print_url"}


class Finder(Protocol):
    """Finds what a path of one of the notations names on a page."""

    def find(self, path: str) -> list[int]: ...
    def read(self, path: str) -> str: ...


class _PathFinder:
    def __init__(self, page: Page) -> None:
        self._page, self._nodes = page, PageNodes(page)

    def find(self, path: str) -> list[int]:
        return self._nodes.find(path)

    def read(self, path: str) -> str:
        return next((self._page.inner_text(row) for row in self.find(path)), "")


class _RulesOfPage:
    """One file of rules, on one page; `notes` names rules that cannot be used."""

    def __init__(self, clipping: Clipping, rules: SiteRules, notes: list[str]) -> None:
        self._clipping, self._rules, self._notes = clipping, rules, notes
        self._finder = _find_finder(clipping.page, rules)

    def find(self, places: Sequence[Place], *, first: bool = False) -> list[int]:
        """The rows that places name: all of them, or of the first that names any."""
        found: list[int] = []
        for place in places:
            rows = self._try(place, self._finder.find, list[int]())
            found += with_role(self._clipping, rows, place.role)
            if first and found:
                break
        return found

    def read(self, places: Sequence[Place]) -> str:
        """The first text that places name."""
        texts = (self._try(place, self._finder.read, "") for place in places)
        return next(filter(None, texts), "")

    def read_link(self, places: Sequence[Place]) -> str | None:
        """The first address that places name, of the page's own web."""
        page = self._clipping.page
        for place in places:
            rows = self._try(place, self._finder.find, list[int]())
            hrefs = [page.attribute(row, "href") for row in rows]
            for href in (*hrefs, self._try(place, self._finder.read, "")):
                address = web_address(page.base_url, href) if href else None
                if address and address != page.url:
                    return address
        return None

    def _try(self, place: Place, call: Callable[[str], T], nothing: T) -> T:
        try:
            return call(place.path)
        except TearsheetError as error:
            self._notes.append(
                f"the rule '{place.path[:80]}' of {self._rules.name} was left out: {error}"
            )
            return nothing


def _find_finder(page: Page, rules: SiteRules) -> Finder:
    if rules.notation == "path":
        return _PathFinder(page)
    from tearsheet.site_rules.xpath import PageTree

    return PageTree(page)


def apply_rules(clipping: Clipping, options: Options, deadline: Deadline) -> Article:
    """The article of a page as the rules of `options.rules` want it: those of files first, then
    those of stores, then what somebody corrected on this page."""
    found = find_rules(options.rules, clipping.page.url)
    if not clipping.page.url and any(map(needs_address, options.rules)):
        reasons = (*clipping.verdict.reasons, _NO_ADDRESS)
        clipping = replace(clipping, verdict=replace(clipping.verdict, reasons=reasons))
    if not found.files and not found.marks:
        return assemble(clipping, options=options, deadline=deadline)
    notes: list[str] = []
    dropped = np.zeros(len(clipping.page), dtype=np.bool_)
    files = [_RulesOfPage(clipping, rules, notes) for rules in found.files]
    for rules, of_page in zip(found.files, files):
        clipping = deadline.run(_choose_text, clipping, rules, of_page, dropped)
    if found.marks:
        edits = deadline.run(find_edits, clipping, found.marks)
        notes += edits.unused
        for edit in edits.edits:
            dropped[edit.row : clipping.page.end[edit.row]] = edit.do == "deselect"
        clipping = _with_keep(clipping, apply_edits(clipping, edits.edits))
    reasons = tuple(dict.fromkeys((*clipping.verdict.reasons, *notes)))
    clipping = replace(clipping, verdict=replace(clipping.verdict, reasons=reasons))
    changes = {
        name: value for rules, of_page in zip(found.files, files)
        for name, value in _read_metadata(rules, of_page)
    }  # fmt: skip
    return _build(clipping, changes, dropped, options, deadline)


def _choose_text(
    clipping: Clipping, rules: SiteRules, of_page: _RulesOfPage, dropped: Bools
) -> Clipping:
    """The clipping with the text that a file names, and without what it drops."""
    keep, page = clipping.verdict.keep.copy(), clipping.page
    only = of_page.find(rules.only, first=True)
    if only:
        keep[:] = False
        clipping = replace(clipping, verdict=replace(clipping.verdict, confidence=None))
    for row in (*only, *of_page.find(rules.keep)):
        first, last = segments_within(page, clipping.segments, row)
        keep[first:last] = True
    for row in of_page.find(rules.drop):
        dropped[row : page.end[row]] = True
    beside = dropped.copy()
    for name in _FIELDS:  # these stand in the head of the document
        for row in of_page.find(getattr(rules, name), first=True)[:1]:
            beside[row : page.end[row]] = True
    return _with_keep(clipping, keep & ~_lines_within(clipping, beside))


def _lines_within(clipping: Clipping, rows: Bools) -> Bools:
    """Which segments have all their words in some rows: of another line, no part is dropped."""
    segments = clipping.segments
    outside = np.array([bool(text.strip()) for text in clipping.page.text], dtype=np.bool_) & ~rows
    before = np.concatenate(([0], np.cumsum(outside)))
    inside: Bools = before[segments.last + 1] == before[segments.first]
    return inside


def _with_keep(clipping: Clipping, keep: Bools) -> Clipping:
    return replace(clipping, verdict=replace(clipping.verdict, keep=keep, rows=()))


def _read_metadata(rules: SiteRules, of_page: _RulesOfPage) -> Iterator[tuple[str, Any]]:
    """The fields of `Metadata` that a rule file names, as far as the page has them."""
    for name in _FIELDS:
        if text := of_page.read(getattr(rules, name)):
            yield name, read_field(name, text)
    for name, field in _LINKS.items():
        if address := of_page.read_link(getattr(rules, name)):
            yield field, address


def _build(
    clipping: Clipping, changes: dict[str, Any], dropped: Bools, options: Options,
    deadline: Deadline,
) -> Article:  # fmt: skip
    """The article; where metadata or pictures change, these are read now instead of when asked."""
    made = assemble(clipping, options=options, deadline=deadline)
    if not changes and not dropped.any():
        return made
    known: Metadata = made.metadata
    if changes:
        sources = {**known.sources, **dict.fromkeys(changes, "rule of the site")}
        known = replace(known, **changes, sources=sources)
    shown = [image for image in made.images if image.row < 0 or not dropped[image.row]]
    return assemble(clipping, known, shown, options=options, deadline=deadline)
