"""Real pages with the addresses of their print page and next page, judged by hand.

The labels of `links` lie beside its pages; those of the other sets are in `truth/links/`
(docs/reference/link-labels.md says how they were made). Those of `pagination` speak of next pages
only, and correct the set's own; `label_of_set` has that reading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from tearsheet import datasets
from tearsheet.addresses import join_address
from tearsheet.datasets import Example

Part = Literal["tune", "held", "all"]
"""Sites to tune on, sites to judge by, or both."""

_LABELS: Final = Path(__file__).parent / "truth" / "links"
_OWN: Final = ("wcxb", "news", "readability", "saves", "pagination")
_UNKNOWN: Final = "https://address-unknown.invalid/"
"""The place of pages that do not tell their own address."""

NO_CONTROL: Final = "nothing like it"
_LISTING: Final = "has one: listing"
_PRINT_TRAPS: Final = (
    ("link to the page itself", "self link|already the print"),
    ("script, form or fragment only", "script|fragment|onclick|window|widget|form\\b|style sheet"),
    ("another's service", "third-party|what ?you ?like"),
    ("one per entry", "each (?:entry|post|contribution)"),
    ("reprints, permissions", "re-?prints?|eprints|permission"),
    ("more than the page, another document", "whole|entire|issue|another|outbound|document|pdf"),
    ("log-in, subscription, edition", "log-in|abo\\b|subscri|edition|magazine|newspaper"),
    ("e-mail", "e-mail|mail"),
)
_NEXT_TRAPS: Final = (
    ("chapters, sections", "chapter|handbook|section of|of a guide|another node|another topic"),
    ("comments, reviews", "comment|review"),
    ("numbers that are no pages", "numbers are|footnote|calendar|votes|counts|years|'p. "),
    (
        "next post or story",
        "next (?:post|story|recipe|article|thread|photo)|post\\b|another (?:article|thread|recipe)"
        "|stor(?:y|ies)|'next|'newer|numbered series|gallery",
    ),
    ("script or fragment only", "script|fragment"),
    ("another list on the page", "list|teaser|archives|front page|product"),
)
"""Classes of traps: the first whose pattern the words of a label's trap match."""


@dataclass(frozen=True, slots=True)
class LinkLabel:
    """The true address of a page's print page, or of its next page."""

    address: str | None
    also: tuple[str, ...] = ()
    """Addresses that are equally right."""
    kind: str = "none"
    """The visible form of a print link, or the thing that is paged."""
    group: str = NO_CONTROL
    """The class of trap."""

    def accepts(self, found: str) -> bool:
        wanted = (self.address, *self.also)
        return bool(found) and plain_address(found) in {plain_address(a) for a in wanted if a}


@dataclass(frozen=True, slots=True)
class PageLinks:
    """A page and its labels; None where nobody looked."""

    corpus: str
    example: Example
    print_page: LinkLabel | None
    next_page: LinkLabel | None

    @property
    def url(self) -> str:
        return self.example.url or _UNKNOWN + self.example.name

    @property
    def part(self) -> Part:
        return "held" if datasets.fold_number(self.example.domain, 2) else "tune"


def read_labelled_pages(part: Part = "all") -> list[PageLinks]:
    """The labelled pages of all sets, or of half of the sites; one site is in one half only."""
    pages = [*_read_links(), *(page for name in _OWN for page in _read_own(name))]
    return [page for page in pages if part in ("all", page.part)]


def plain_address(address: str) -> str:
    """An address without differences that do not matter: scheme, case of the host, fragment,
    quoting of letters.

    >>> plain_address("http://A.example:80/%7Eb?#c") == plain_address("https://a.example/~b")
    True
    """
    parts = urlsplit(address.strip().replace("&amp;", "&"))
    query = f"?{parts.query}" if parts.query else ""
    return unquote(f"{(parts.hostname or '')}{parts.path or '/'}{query}").replace(" ", "+")


def _read_links() -> Iterator[PageLinks]:
    folder = datasets.root() / "links"
    for entry in json.loads((folder / "truth.json").read_bytes()):
        name = entry["page"]
        example = Example(name.removesuffix(".html.gz"), folder / "pages" / name, entry["url"])
        yield _make_page("links", example, entry)


def _read_own(name: str) -> Iterator[PageLinks]:
    labels = json.loads((_LABELS / f"{name}.json").read_bytes())
    examples = _saves() if name == "saves" else {e.name: e for e in datasets.read(name)}
    for entry in labels["pages"]:
        example = examples[entry["page"]]
        yield _make_page(name, replace(example, url=entry["url"] or example.url), entry)
    for page in labels["none"]:
        yield PageLinks(name, examples[page], LinkLabel(None), LinkLabel(None))


def _saves() -> dict[str, Example]:
    folder = datasets.root() / "saves"
    return {
        save["key"]: Example(save["key"], folder / save["key"] / "index.html", save["url"])
        for save in json.loads((folder / "pages.json").read_bytes())
    }


def _make_page(corpus: str, example: Example, entry: Mapping[str, Any]) -> PageLinks:
    page = PageLinks(corpus, example, None, None)
    return replace(
        page,
        print_page=_label(page.url, entry, "print", _PRINT_TRAPS),
        next_page=_label(page.url, entry, "next", _NEXT_TRAPS),
    )


def _label(
    url: str, entry: Mapping[str, Any], key: str, groups: Sequence[tuple[str, str]]
) -> LinkLabel | None:
    said = entry.get(key)
    if said is None:
        return None
    also = tuple(join_address(url, other) or other for other in said.get("also", ()))
    address = said[f"{key}_url"]
    whole = join_address(url, address) if address else None
    group = _group(said["trap"], groups) if address is None else f"has one: {said['kind']}"
    return LinkLabel(whole, also, said["kind"], group)


def _group(trap: str | None, groups: Sequence[tuple[str, str]]) -> str:
    if not trap:
        return NO_CONTROL
    fits = (name for name, pattern in groups if re.search(pattern, trap, re.I))
    return next(fits, "the word in another sense")


def label_of_set(example: Example) -> LinkLabel:
    """The label that the data set `pagination` gives a page."""
    if true := example.next_urls:
        return LinkLabel(true[0], true[1:], "listing", _LISTING)
    return LinkLabel(None, example.pager_urls or (), "listing")
