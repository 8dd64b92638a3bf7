"""The parts of trafilatura's document that our metadata lack, read from the page by its rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tearsheet.addresses import address_path, site_name, web_address
from tearsheet.components._head import Head, read_head
from tearsheet.tags import CODES
from tearsheet.types import Page
from tearsheet.writing import unescape

_A, _BASE, _FOOTER = CODES["a"], CODES["base"], CODES["footer"]
_CREATIVE_COMMONS: Final = re.compile(r"creativecommons\.org/licenses/([a-z-]+)/([0-9.]+[0-9])")
_CC_TEXT: Final = re.compile(r"\bCC (?:BY|0)[A-Z-]*(?: [0-9.]*[0-9])?")
_CATEGORY: Final = re.compile(r"/categor(?:y|ies|ia|ie)/")
_TAG: Final = re.compile(r"/(?:tags?|topics?|keywords?)/")
_LISTS: Final = re.compile(r"categor|cat-links|post-?meta|entry-?meta|tags|topics|byline|info")
"""In the class of a box with an article's categories and tags."""
_URL_DATE: Final = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/(0[1-9]|[12]\d|3[01])/")
_DOMAIN_IN_TITLE: Final = re.compile(r"^([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,})\s+[-–|·»]\s")
_IMAGES: Final = ("og:image", "og:image:url", "image", "twitter:image", "twitter:image:src")
_ABOVE: Final = 4
"""Elements around a link that are looked at for the box that it is in."""


class Declarations(NamedTuple):
    """Empty where the page declares nothing."""

    url: str
    site: str
    image: str
    date: str
    licence: str
    kind: str
    categories: list[str]
    tags: list[str]


def read_declared(page: Page) -> Declarations:
    """The declarations in the head and the links of a page."""
    head = read_head(page)
    links = page.rows(_A)
    address = _find_address(page, head)
    found = _URL_DATE.search(address_path(address) + "/")
    keywords = _clean_words(head.meta.get("keywords", ()))
    return Declarations(
        url=address,
        site=_find_site(page, head, address),
        image=head.first(*_IMAGES)[0],
        date="-".join(found.groups()) if found else "",
        licence=_find_licence(page, links),
        kind=head.first("og:type")[0],
        categories=list(_list_links(page, links, _CATEGORY)),
        tags=[*keywords, *head.meta.get("article:tag", ())] or list(_list_links(page, links, _TAG)),
    )


def name_licence(address: str, text: str) -> str:
    """The short name of a Creative Commons licence; else the text of its link.

    >>> name_licence("https://creativecommons.org/licenses/by-sa/4.0/", "some rights reserved")
    'CC BY-SA 4.0'
    """
    found = _CREATIVE_COMMONS.search(address)
    return f"CC {found[1].upper()} {found[2]}" if found else text


def _find_address(page: Page, head: Head) -> str:
    base = next((page.attribute(row, "href") for row in page.rows(_BASE)), None) or ""
    default = [link.href for link in head.links if "alternate" in link.rel.split()
               and 'hreflang="x-default"' in page.attrs[link.row]]  # fmt: skip
    for given in (head.first("og:url")[0], head.first("twitter:url")[0], *default, base):
        if given and (address := web_address(page.base_url, given)):
            return address.rstrip("/") if given.count("/") < 3 else address
    return ""


def _find_site(page: Page, head: Head, address: str) -> str:
    """The publisher; else a domain at the start of the title; else that of the address."""
    name = head.first("article:publisher")[0].strip().lstrip("@")
    if name and "://" not in name:
        return name if "." in name or not name[0].islower() else name.title()
    titles = (page.inner_text(row) for row in page.rows(CODES["title"]))
    found = next((match for text in titles if (match := _DOMAIN_IN_TITLE.match(text))), None)
    host = site_name(address)
    return found[1] if found else host


def _find_licence(page: Page, links: Iterable[int]) -> str:
    for row in links:
        href, rel = page.attribute(row, "href") or "", (page.attribute(row, "rel") or "").lower()
        text = _block_text(page, row)
        if "license" in rel.split() and (name := name_licence(href, text)):
            return name
        if _is_in_footer(page, row):
            said = _CC_TEXT.search(text)
            name = name_licence(href, said[0] if said else "")
            if name:
                return name
    return ""


def _is_in_footer(page: Page, row: int) -> bool:
    return any(
        page.tag[up] == _FOOTER or "footer" in (page.attribute(up, "class") or "")
        for up in page.ancestors(row)
    )


def _list_links(page: Page, links: Iterable[int], form: re.Pattern[str]) -> Iterator[str]:
    """The texts of links with such an address in a box for categories or tags, each once."""
    seen = set[str]()
    for row in links:
        if not form.search(page.attribute(row, "href") or ""):
            continue
        text = _block_text(page, row)
        if text and text not in seen and _is_listed(page, row):
            seen.add(text)
            yield text


def _is_listed(page: Page, row: int) -> bool:
    if "tag" in (page.attribute(row, "rel") or "").split():
        return True
    above = [up for _, up in zip(range(_ABOVE), page.ancestors(row))]
    return any(_LISTS.search(page.attribute(up, "class") or "") for up in above)


def _block_text(page: Page, row: int) -> str:
    """The text of an element in one line, with a space where lines of the page end."""
    parts: list[str] = []
    before = page.breaks[row]
    for at in range(row, int(page.end[row])):
        if page.text[at]:
            parts += [" " if page.breaks[at] != before else "", page.text[at]]
            before = page.breaks[at]
    return " ".join("".join(parts).split())


def _clean_words(values: Iterable[str]) -> list[str]:
    """Lists of keywords, each as one text, without the rests of entities."""
    found = []
    for value in values:
        value = unescape(value).replace("&quot", "")
        words = (word.strip(" \"'") for word in value.split(","))
        found.append(", ".join(filter(None, words)))
    return [text for text in found if text]
