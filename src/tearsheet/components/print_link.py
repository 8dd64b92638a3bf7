"""The address of an article's page for printing.

S. Liu, C.-L. Yao, "Print-friendly page extraction for web printing service", DocEng 2011, and the
Article Clipper (KDD 2011), §2.1. A print link has one of four forms,

    (1) <a>phrase</a>   (2) <a><img></a>   (3) <a><img>phrase</a>   (4) <a><img></a> phrase

its phrase is in a dictionary (exact match with the link's text, or without one, with `alt` or
`title`), and its address is valid: without "#", "javascript", "(" and ")", and on the page's
domain. A wrong print page is the worst mistake, so when in doubt there is none.

Deviations:
1. `aria-label`, `<area>` and `<link rel=alternate media=print>` count as well; in form (4), so does
   the text after an empty link.
2. The domain is the registered one by the public suffix list. Another domain is accepted if its
   name contains the site's ("print.daily-media.example" for "www.daily.example").
3. The address must refer to this article: by its number, by words of its name, or by continuing
   its path; or it says print and has a number, the link is the only one and in no menu, and no
   headline on the page leads to that number. (On pages judged by hand, the phrase alone was right
   in 93 %.)
4. Home pages, the page itself, and addresses of log-ins, tags, shops, help, subscriptions, reprints
   and the like are never print pages.
5. A link without a phrase is accepted if its class, the file of its icon or the letter "P" says
   print and its address does, too; so are the entries of a print menu that only a script opens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final
from urllib.parse import unquote, urlsplit

from tearsheet.addresses import address_host, same_owner, web_address
from tearsheet.components._head import Head
from tearsheet.components._links import SIGNS, Links, read_links, read_phrase
from tearsheet.languages import any_of, phrases
from tearsheet.tags import CODES, TEXT, mask
from tearsheet.types import Page

INVALID: Final = ("#", "javascript", "(", ")")
"""An address with one of these belongs to a script (paper 2011, §2.5)."""

DECLARED: Final = "link media=print"
_A, _AREA, _IMG = CODES["a"], CODES["area"], CODES["img"]
_LONGEST: Final = 40  # most characters of a phrase
_HEADLINE: Final = 15  # fewest characters of a link that is the title of another article
_MENUS: Final = mask("nav", "footer", "aside")
_MENU: Final = 12  # most rows from a print link of a script to the entries of its menu
_WORDS: Final = re.compile(r"[^\W_]+")
_RECIPE: Final = re.compile("recipe|wprm|coupon|card", re.I)
"""These parts of a page have print pages of their own."""
_NOT_AN_ID: Final = re.compile(r"(?:19|20)\d\d|\d{1,2}")


def find_print_link(page: Page, head: Head, links: Links | None = None) -> tuple[str, str]:
    """The address of the print page and its rule; two empty strings if there is none."""
    if not page.url:
        return "", ""
    links = links or read_links(page)
    labels = _link_phrases(page, links)
    known = print_phrases()
    found = [i for i, label in enumerate(labels) if label in known]
    for href, rule in _candidates(page, head, links, labels, found):
        address = print_address(page, href)
        if address and (rule == DECLARED or refers_to(address, page.url)):
            return address, rule
    only = {print_address(page, _href(page, links.rows[i])) for i in found} - {""}
    if len(only) == 1 and not any(_is_in_menu(page, links.rows[i]) for i in found):
        address = only.pop()
        if _print_word().search(address) and not _is_of_another(page, address, links.rows, labels):
            return address, "print phrase, the only one"
    return "", ""


def _candidates(
    page: Page, head: Head, links: Links, labels: list[str], found: list[int]
) -> Iterator[tuple[str, str]]:
    rows = links.rows
    for link in head.links:
        if "alternate" in link.rel.split() and link.media == "print":
            yield link.href, DECLARED
    for i in found:
        form = "text" if links.lines[i] else _phrase_without_text(page, rows[i], links.ends[i])[1]
        yield _href(page, rows[i]), f"print phrase, {form}"
    for i in found:
        if not is_address(_href(page, rows[i])):
            menu = [at for at in rows[i + 1 : i + 4] if at - rows[i] <= _MENU]
            entries = (_href(page, at) for at in menu)
            yield from ((href, "print menu") for href in entries if _print_word().search(href))
    for row, label in zip(rows, labels):
        if label in ("", "p"):
            href = _href(page, row)
            if _print_word().search(href) and _says_print(page, row, label):
                yield href, "print icon"


def _href(page: Page, row: int) -> str:
    return page.attribute(row, "href") or ""


def _is_in_menu(page: Page, row: int) -> bool:
    return any(_MENUS[page.tag[at]] for at in islice(page.ancestors(row), 30))


def _is_of_another(page: Page, address: str, links: list[int], labels: list[str]) -> bool:
    """Whether the address has no number, or one that a headline on the page leads to, too."""
    number = _numbers(address)
    if _RECIPE.search(address):
        return True
    return not number or any(
        len(label) > _HEADLINE
        and label not in print_phrases()
        and number & _numbers(_href(page, row))
        for row, label in zip(links, labels)
    )


@cache
def print_phrases() -> frozenset[str]:
    """What print links say, in all languages."""
    return frozenset(map(read_phrase, phrases("print")))


def is_print_phrase(text: str) -> bool:
    """Whether a text is what print links say."""
    return read_phrase(text) in print_phrases()


@cache
def _print_word() -> re.Pattern[str]:
    """Finds a word for printing in an address, a class or the name of a file."""
    return re.compile(
        rf"(?<![a-z]){any_of('print_in_address')}(?![a-rt-z])"
        r"|printfriendly|print(?=page|article|story|news|ver)",
        re.I,
    )


@cache
def _other_words() -> frozenset[str]:
    """Words of addresses that are never those of print pages."""
    return frozenset(phrases("not_print_in_address"))


def _link_phrases(page: Page, links: Links) -> list[str]:
    """The phrase of each link: its text, or without one, that of its attributes."""
    return [
        (line.strip(SIGNS) if size <= 3 * _LONGEST else "?")
        if line
        else _phrase_without_text(page, row, end)[0]
        for row, end, size, line in zip(links.rows, links.ends, links.sizes, links.folded)
    ]


def _phrase_without_text(page: Page, row: int, end: int) -> tuple[str, str]:
    """The phrase of a link without text, and its place: an attribute, or after the link."""
    for at in range(row, end):
        raw = page.attrs[at]
        if not raw or (at > row and page.tag[at] != _IMG):
            continue
        for name in ("alt", "title", "aria-label"):
            if name in raw and (value := page.attribute(at, name)):
                return read_phrase(value), name
    if page.tag[row] == _A and end < len(page) and page.tag[end] == TEXT:
        return read_phrase(page.text[end][: 2 * _LONGEST]), "text behind"
    return "", ""


def _says_print(page: Page, row: int, label: str) -> bool:
    """Whether the label "P", the class of a link or the file of its icon says print."""
    if label == "p":
        return True
    raw = " ".join(page.attrs[row : page.end[row]]).replace(page.attribute(row, "href") or "", "")
    return _print_word().search(raw) is not None


def is_address(href: str) -> bool:
    """Whether a link has an address that is not a script's."""
    return bool(href.strip()) and not any(sign in href.casefold() for sign in INVALID)


def print_address(page: Page, href: str) -> str:
    """The full address if it may be the print page of this article; else empty."""
    if not is_address(href):
        return ""
    address = web_address(page.base_url, href)
    if address is None:
        return ""
    target, host, own_host = urlsplit(address), address_host(address), address_host(page.url)
    if target.path in ("", "/") and not target.query:
        return ""
    words = set(_WORDS.findall(unquote(f"{target.path} {target.query}").casefold()))
    if words & _other_words() or _is_same_address(address, page.url or ""):
        return ""
    if same_owner(host, own_host):
        return address
    return address if own_host.removeprefix("www.").split(".")[0] in host else ""


def _is_same_address(one: str, other: str) -> bool:
    return one.rstrip("/").split("://")[-1] == other.split("#")[0].rstrip("/").split("://")[-1]


def refers_to(address: str, own: str) -> bool:
    """Whether an address refers to the same article as `own`: it has the same number, continues or
    contains its path, or has the long words of its name."""
    if _numbers(address) & _numbers(own):
        return True
    path, own_path = urlsplit(address).path, urlsplit(own).path.rstrip("/")
    stem = own_path.rsplit(".", 1)[0] if "." in own_path.rsplit("/", 1)[-1] else own_path
    if len(stem) > 1 and (path.startswith(stem) or own_path in unquote(address)[8:]):
        return True
    parts = (_long_words(part) for part in reversed(stem.split("/")))
    name = next((words for words in parts if words), set())
    return len(name) > 1 and len(name & _long_words(address)) * 4 > 3 * len(name)


def _long_words(text: str) -> set[str]:
    return {word for word in _WORDS.findall(unquote(text).casefold()) if len(word) > 3}


def _numbers(address: str) -> set[str]:
    """The numbers in path and query that may identify an article; years and days may not."""
    parts = urlsplit(address)
    found = re.findall(r"\d+", unquote(f"{parts.path}?{parts.query}"))
    return {number for number in found if not _NOT_AN_ID.fullmatch(number)}
