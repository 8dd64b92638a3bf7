"""Rivals for print and next links: simple rules, and autopager if it is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tearsheet.addresses import address_host, same_owner, web_address
from tearsheet.components._print_addresses import is_address
from tearsheet.components._print_words import is_print_phrase
from tearsheet.tags import CODES
from tearsheet.types import Page

Rule = Callable[[Page, str], str]
"""The address that a rule finds on a page, given also as markup; empty if it finds none."""

_A, _AREA, _IMG, _LINK = CODES["a"], CODES["area"], CODES["img"], CODES["link"]
_PRINT: Final = re.compile("print", re.I)
_NEXT: Final = re.compile(r"\W*next(?: page)?\W*", re.I)


def paper_print_rule(page: Page, markup: str) -> str:
    """Liu and Yao (DocEng 2011) as it is written: a phrase of the dictionary, an address without
    the signs of scripts, the same domain; with our phrases."""
    for row in page.rows(_A):
        text = page.inner_text(row).strip()
        said = [text] if text else list(_attributes(page, row))
        href = page.attribute(row, "href") or ""
        if any(map(is_print_phrase, said)) and is_address(href):
            address = web_address(page.base_url, href)
            if address and same_owner(address_host(address), address_host(page.url)):
                return address
    return ""


def naive_print_rule(page: Page, markup: str) -> str:
    """The first link that has "print" anywhere."""
    for row in page.rows(_A, _AREA):
        href = page.attribute(row, "href") or ""
        whole = page.inner_text(row) + " ".join(page.attrs[row : page.end[row]])
        address = web_address(page.base_url, href) if is_address(href) else None
        if address and _PRINT.search(whole):
            return address
    return ""


def naive_next_rule(page: Page, markup: str) -> str:
    """The first `rel=next`, or else the first link that says "next"."""
    links = page.rows(_A, _AREA, _LINK)
    declared = (row for row in links if "next" in (page.attribute(row, "rel") or "").split())
    named = (row for row in links if _NEXT.fullmatch(page.inner_text(row)))
    for row in (*declared, *named):
        if address := web_address(page.base_url, page.attribute(row, "href") or ""):
            return address
    return ""


def autopager_rule(page: Page, markup: str) -> str:
    """The first link that autopager calls the next page. It was trained on `pagination`."""
    import autopager

    found = autopager.urls(markup, page.base_url, direct=False, prev=False)
    return str(found[0]) if found else ""


def _attributes(page: Page, row: int) -> Iterator[str]:
    for at in range(row, page.end[row]):
        if at == row or page.tag[at] == _IMG:
            yield from (page.attribute(at, name) or "" for name in ("alt", "title"))


def print_rules() -> Mapping[str, Rule]:
    """The rules for print links by name."""
    return {
        "the rule of Liu and Yao, our phrases": paper_print_rule,
        '"print" anywhere in a link': naive_print_rule,
    }


def next_rules() -> Mapping[str, Rule]:
    """The rules for next pages by name."""
    rules: dict[str, Rule] = {'rel=next, or "next"': naive_next_rule}
    try:
        import autopager  # noqa: F401
    except ImportError:
        return rules
    return rules | {"autopager (trained on pagination)": autopager_rule}
