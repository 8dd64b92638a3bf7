"""Addresses that may be a page's print page, for those who compare its text with the page's.

`print_link` is strict, because nobody checks its answer. Here the address may also stand in a
script (`window.open('/print/7')`), in a form or in a menu of options, and it need not refer to the
article: whoever asks opens the page and compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

from tearsheet.components._head import Head, read_head
from tearsheet.components._links import read_links
from tearsheet.components._print_addresses import (
    address_says_print,
    id_numbers,
    print_address,
    refers_to,
    resembles,
)
from tearsheet.components._print_words import is_print_phrase
from tearsheet.components.print_link import find_print_link, linked_addresses, own_addresses
from tearsheet.tags import CODES
from tearsheet.types import Page

MOST: Final = 3
"""Candidates that are worth opening."""

_FORM, _INPUT, _OPTION, _BUTTON = (CODES[name] for name in ("form", "input", "option", "button"))
_LABEL: Final = 80  # most characters of a control's label
_SCRIPT: Final = re.compile(r' (on\w+|href|data-[\w-]+)="([^"]*)"')
_WHOLE: Final = re.compile(r"(?:https?:/)?/[^\s'\"]+")
_QUOTED: Final = re.compile(r"""(?:'|&#39;|&quot;|\\")([^'"\s&\\]*[/?.](?:[^'"\s\\&]|&amp;)*)""")
"""A string in a script that may be an address."""
_SUFFIX: Final = re.compile(r"\.(?:js|css|gif|png|jpe?g|svg)(?:$|\?)", re.I)


def find_print_candidates(page: Page, head: Head | None = None) -> list[str]:
    """The likeliest addresses of a print page, best first.

    >>> from tearsheet.page.parsed import parse
    >>> html = '''<a href="#" onclick="window.open('/print/7')">Print</a>'''
    >>> find_print_candidates(parse(html, "https://a.example/7.html"))
    ['https://a.example/print/7']
    """
    if not page.url:
        return []
    head = head or read_head(page)
    found = [find_print_link(page, head)[0]]
    own = own_addresses(page, head)
    others = (*linked_addresses(page, read_links(page)), *_hidden_addresses(page))
    found += [address for address in others if _is_worth_opening(address, own)]
    return [address for address in dict.fromkeys(found) if address][:MOST]


def _is_worth_opening(address: str, own: Sequence[str]) -> bool:
    """Whether an address refers to the article, or says print and has a number or resembles it."""
    if any(refers_to(address, mine) for mine in own):
        return True
    known = id_numbers(address) or any(resembles(address, mine) for mine in own)
    return bool(known) and address_says_print(address)


def _hidden_addresses(page: Page) -> Iterator[str]:
    """The addresses in scripts, forms and options that say print, or whose control does."""
    controls = page.rows(_FORM, _INPUT, _OPTION, _BUTTON)
    scripts = [row for row, raw in enumerate(page.attrs) if _has_script(raw)]
    for row in sorted({*controls, *scripts}):
        for href in _addresses(page, row):
            address = print_address(page, href)
            if address and (address_says_print(address, hints=True) or _says_print(page, row)):
                yield address


def _has_script(raw: str) -> bool:
    return "onclick=" in raw or "javascript:" in raw or (" data-" in raw and "print" in raw)


def _says_print(page: Page, row: int) -> bool:
    names = ("value", "title", "aria-label", "alt")
    said = (page.attribute(row, name) for name in names)
    text = page.inner_text(row) if page.end[row] - row < _LABEL else ""
    return any(is_print_phrase(label) for label in (text, *said) if label and len(label) <= _LABEL)


def _addresses(page: Page, row: int) -> Iterator[str]:
    """The addresses that an element holds in its scripts, as an option, or as its form."""
    if page.tag[row] == _OPTION and "/" in (value := page.attribute(row, "value") or ""):
        yield value
    if page.tag[row] in (_INPUT, _BUTTON, _FORM):
        yield from _form_address(page, row)
    for name, script in _SCRIPT.findall(page.attrs[row]):
        whole = name.startswith("data-") and _WHOLE.fullmatch(script)
        for address in [script] if whole else _QUOTED.findall(script):
            if not _SUFFIX.search(address):
                yield address.replace("&amp;", "&")


def _form_address(page: Page, row: int) -> Iterator[str]:
    """The address that the form around a control requests; empty if the form posts."""
    form = row if page.tag[row] == _FORM else _form_around(page, row)
    if form < 0 or (page.attribute(form, "method") or "get").lower() != "get":
        return
    inputs = (page.attributes(at) for at in range(form, page.end[form]) if page.tag[at] == _INPUT)
    hidden = [each for each in inputs if each.get("type") == "hidden" and each.get("name")]
    query = urlencode([(each["name"], each.get("value", "")) for each in hidden])
    action = page.attribute(form, "action") or ""
    if query:
        yield f"{action.split('?')[0]}?{query}"
    elif action:
        yield action


def _form_around(page: Page, row: int) -> int:
    return next((at for at in page.ancestors(row) if page.tag[at] == _FORM), -1)
