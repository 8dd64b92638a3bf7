"""The address of an article's page for printing.

S. Liu, C.-L. Yao, "Print-friendly page extraction for web printing service", DocEng 2011, and the
Article Clipper (KDD 2011), §2.1. A print link has one of four forms,

    (1) <a>phrase</a>   (2) <a><img></a>   (3) <a><img>phrase</a>   (4) <a><img></a> phrase

its phrase is in a dictionary (exact match with the link's text, or without one, with `alt` or
`title`), and its address is valid: without "#", "javascript", "(" and ")", and on the page's
domain. A wrong print page is the worst mistake, so when in doubt there is none.

Deviations:
1. The dictionary is a grammar (`_print_words.py`): a word for printing and words beside it.
2. `aria-label`, `<area>` and `<link rel=alternate media=print>` count as well; in form (4), so does
   the text after an empty link.
3. The domain is the registered one by the public suffix list. Another domain of the publisher is
   accepted if its name is alike or the address has the page's long number.
4. The address must refer to this article, by its number, its name or its path. One that does not is
   accepted if it is the only one on the page, says print, has a number, and no headline leads to
   that number. If each entry of a list has its own, none is the page's.
5. Front pages, the page itself, files, and addresses of log-ins, tags, shops, help and the like are
   never print pages. Neither are versions of text only: they are made for other screens.
6. A link without a phrase is accepted if its class, the file of its icon or the letter "P" says
   print and its address refers to this article; so are the entries of a print menu that only a
   script opens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from tearsheet.addresses import web_address
from tearsheet.components._head import Head
from tearsheet.components._links import SIGNS, Links, read_links
from tearsheet.components._print_addresses import (
    address_says_print,
    adds_a_name,
    has_print_part,
    id_numbers,
    is_address,
    is_front_page,
    is_neighbour,
    print_address,
    refers_to,
    resembles,
)
from tearsheet.components._print_words import is_print_phrase, name_words, pick_texts, says_print
from tearsheet.tags import CODES, TEXT
from tearsheet.types import Page

DECLARED: Final = "link media=print"
ICON: Final = "print icon"
MENU: Final = "print menu"
_A, _SVG = CODES["a"], CODES["svg"]
_DIGITS: Final = re.compile(r"\d+")
_LETTER: Final = "p"
_LONGEST: Final = 80  # most characters of a phrase
_ROWS: Final = 16  # most rows of a link in which an icon or a label is looked for
_RAW: Final = 400  # most characters of an element's attributes in which a word is looked for
_HEADLINE: Final = 24  # bytes of UTF-8 in the text of a link, from which it is a title, no tool
_OF_ONE_ARTICLE: Final = 2  # most headlines, or print links, of one article on a page
_MENU_ROWS: Final = 12  # most rows from a print link of a script to the entries of its menu
_MENU_LINKS: Final = 3
_LABELS: Final = ("alt", "title", "aria-label")
_NO_ICON: Final = frozenset(("no", "hide", "hidden", "none", "mail", "email", "only", "exclude"))
"""Words that, beside "print" in a class, rule out the icon of a printer."""


class _Candidate(NamedTuple):
    """A link that says print."""

    number: int
    """Its place among the links of the page."""
    href: str
    address: str
    """Empty if it cannot lead to a print page."""
    label: str
    rule: str


def find_print_link(page: Page, head: Head, links: Links | None = None) -> tuple[str, str]:
    """The address of the print page and its rule; two empty strings if the page has none."""
    if not page.url:
        return "", ""
    for link in head.links:
        declared = link.media == "print" and "alternate" in link.rel.split()
        if declared and (address := print_address(page, link.href)):
            return address, DECLARED
    links = links or read_links(page)
    said = list(_candidates(page, links))
    return _choose(page, head, links, said) if said else ("", "")


def linked_addresses(page: Page, links: Links) -> list[str]:
    """The addresses of all links that say print and may lead to a print page, phrases first."""
    said = sorted(_candidates(page, links), key=lambda one: one.rule == ICON)
    return list(dict.fromkeys(one.address for one in said if one.address))


def _choose(page: Page, head: Head, links: Links, said: Sequence[_Candidate]) -> tuple[str, str]:
    own = own_addresses(page, head)
    named = [one for one in said if one.rule != ICON]
    return (
        _choose_own(named, own)
        or _choose_only(page, links, named, own)
        or _choose_own(list(_menu(page, links, named)), own)
        or _choose_own([one for one in said if one.rule == ICON], own)
        or ("", "")
    )


def _candidates(page: Page, links: Links) -> Iterator[_Candidate]:
    """The links that say print, in the order of the page."""
    texts = [
        line[:_LONGEST] or _text_without_line(page, row, end)
        for row, end, line in zip(links.rows, links.ends, links.folded)
    ]
    for i in pick_texts(texts):
        row = links.rows[i]
        label, rule = _read_label(page, row, links.ends[i], links.folded[i])
        if rule:
            href = page.attribute(row, "href") or ""
            yield _Candidate(i, href, print_address(page, href), label, rule)


def _text_without_line(page: Page, row: int, end: int) -> str:
    """The substitute for a link's text: the attributes in it, and the text after it."""
    after = page.text[end][:_LONGEST] if end < len(page) else ""
    attrs = [raw[:_RAW] for raw in page.attrs[row : min(end, row + _ROWS)]]
    return ("".join(attrs) + after).lower()


def _read_label(page: Page, row: int, end: int, line: str) -> tuple[str, str]:
    """The label of a print link, and its rule; two empty strings for other links."""
    if line and _SVG in page.tag[row:end]:
        line = _text_beside_drawings(page, row, end) or line
    line = line.strip(SIGNS)
    if line and line != _LETTER:
        fits = len(line) <= _LONGEST and is_print_phrase(line)
        return (line, "print phrase, text") if fits else ("", "")
    for value, name in _attribute_labels(page, row, end):
        if is_print_phrase(value):
            return value, f"print phrase, {name}"
    after = page.text[end][:_LONGEST] if end < len(page) and page.tag[end] == TEXT else ""
    if page.tag[row] == _A and is_print_phrase(after):
        return after, "print phrase, text behind"
    is_icon = line or _has_print_icon(page, row, end) or _is_bare(page, row, end)
    return (_LETTER, ICON) if is_icon else ("", "")


def _text_beside_drawings(page: Page, row: int, end: int) -> str:
    """The text of a link without the titles inside its drawings, in lower case."""
    parts: list[str] = []
    at = row
    while at < end:
        parts.append(page.text[at])
        at = int(page.end[at]) if page.tag[at] == _SVG else at + 1
    return " ".join("".join(parts).split()).casefold()


def _attribute_labels(page: Page, row: int, end: int) -> Iterator[tuple[str, str]]:
    for at in range(row, min(end, row + _ROWS)):
        for name in _LABELS:
            if name in page.attrs[at] and (value := page.attribute(at, name)):
                yield value, name


def _has_print_icon(page: Page, row: int, end: int) -> bool:
    """Whether a class in a link or the file of its icon says print."""
    for at in range(row, min(end, row + _ROWS)):
        attributes = page.attributes(at)
        file = attributes.get("src", "").split("?")[0].rsplit("/", 1)[-1]
        names = (*attributes.get("class", "").split(), attributes.get("id", ""), file)
        if any(says_print(name) and _NO_ICON.isdisjoint(name_words(name)) for name in names):
            return True
    return False


def _is_bare(page: Page, row: int, end: int) -> bool:
    """Whether a link has no label at all, and an address of which a part says print."""
    if any(value.strip() for value, _ in _attribute_labels(page, row, end)):
        return False
    return has_print_part(f"://x/{page.attribute(row, 'href') or ''}")


def own_addresses(page: Page, head: Head) -> list[str]:
    """The addresses that a page gives itself, without those of front pages."""
    named = (link.href for link in head.links if link.rel in ("canonical", "shortlink"))
    full = (web_address(page.base_url, href) for href in (page.url or "", *named))
    return [address for address in full if address and not is_front_page(urlsplit(address))]


def _choose_own(said: Sequence[_Candidate], own: Sequence[str]) -> tuple[str, str] | None:
    """The first link that refers to this article; of several, the first that names nothing else."""
    fits: dict[str, str] = {}
    entries = _entry_shapes(said)
    for one in said:
        if _shape(one.address) not in entries and any(refers_to(one.address, mine) for mine in own):
            fits.setdefault(one.address, one.rule)
    if len(fits) > 1:
        fits = {a: r for a, r in fits.items() if not all(adds_a_name(a, mine) for mine in own)}
    return next(iter(fits.items()), None)


def _entry_shapes(said: Iterable[_Candidate]) -> set[str]:
    """The patterns of addresses that each entry of the page has: several that differ only in
    numbers."""
    addresses = {one.address for one in said}
    counts = Counter(map(_shape, addresses))
    return {shape for shape, count in counts.items() if count > _OF_ONE_ARTICLE or not shape}


def _shape(address: str) -> str:
    return _DIGITS.sub("0", address)


def _choose_only(
    page: Page, links: Links, named: Sequence[_Candidate], own: Sequence[str]
) -> tuple[str, str] | None:
    """The only print link of the page, if its address says print and resembles the page's or has a
    number that leads to no other article."""
    address = _only_address(named)
    if not address or not own:
        return None
    says_print = address_says_print(address, hints=True)
    is_known = any(resembles(address, mine) for mine in own)
    if says_print and (is_known or _has_own_number(page, links, address)):
        return address, "print phrase, the only one"
    if any(is_neighbour(address, mine) for mine in own):
        return address, "print phrase, beside the page"
    return None


def _only_address(named: Sequence[_Candidate]) -> str:
    """The address of the only print link, or of the only one with its label beside others that each
    entry of the page has; else empty."""
    by_label: dict[str, set[str]] = {}
    for one in named:
        if one.address:
            by_label.setdefault(one.label.casefold(), set()).add(one.address)
    if len(set().union(*by_label.values())) == 1:
        return next(iter(by_label.values())).pop()
    single = [found for found in by_label.values() if len(found) == 1]
    return single[0].pop() if len(single) == 1 else ""


def _has_own_number(page: Page, links: Links, address: str) -> bool:
    """Whether an address has a number that belongs to no other article. A number in no headline's
    link is its own; a number in many of them is that of a section or of this page."""
    number = max(id_numbers(address), key=len, default="")
    headlines = {
        href
        for row, line in zip(links.rows, links.folded)
        if len(line.encode()) > _HEADLINE
        and number in (href := page.attribute(row, "href") or "")
        and not is_print_phrase(line)
        and number in id_numbers(href)
    }
    return bool(number) and (not headlines or len(headlines) > _OF_ONE_ARTICLE)


def _menu(page: Page, links: Links, named: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """The entries of menus that open when somebody clicks a print link made by a script."""
    for one in named:
        if not is_address(one.href):
            first = links.rows[one.number]
            for row in links.rows[one.number + 1 :][:_MENU_LINKS]:
                href = page.attribute(row, "href") or ""
                if row - first <= _MENU_ROWS and says_print(href):
                    yield _Candidate(one.number, href, print_address(page, href), "", MENU)
