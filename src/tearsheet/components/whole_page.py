"""The address of the page that shows all pages of an article in one: "view all", "single page"."""

from __future__ import annotations

from functools import cache
from typing import Final

from tearsheet.components._links import SIGNS, read_links, read_phrase
from tearsheet.components._print_addresses import refers_to
from tearsheet.components.next_page import find_site_address
from tearsheet.languages import phrases
from tearsheet.types import Page

_LONGEST: Final = 40  # most characters of a label


def find_whole_page(page: Page) -> str:
    """The address, if there is exactly one such link, and it refers to this page; else empty.

    >>> from tearsheet.page.parsed import parse
    >>> find_whole_page(parse('<a href="?page=all">View all</a>', "https://a.example/boats"))
    'https://a.example/boats?page=all'
    """
    links, known = read_links(page), _phrases()
    rows = (
        row
        for row, label in zip(links.rows, links.folded)
        if len(label) <= _LONGEST and label.strip(SIGNS) in known
    )
    addresses = {find_site_address(page, page.attribute(row, "href") or "") for row in rows}
    own = {address for address in addresses if address and refers_to(address, page.url or "")}
    return own.pop() if len(own) == 1 else ""


@cache
def _phrases() -> frozenset[str]:
    return frozenset(map(read_phrase, phrases("whole")))
