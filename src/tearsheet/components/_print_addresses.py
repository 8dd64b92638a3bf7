"""Which addresses may be those of a page's print page, and which refer to the same article."""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from tearsheet.addresses import address_host, same_owner, web_address
from tearsheet.caching import cache_short
from tearsheet.components._print_words import name_words, says_print
from tearsheet.languages import phrases
from tearsheet.types import Page

INVALID: Final = ("#", "javascript", "(", ")")
"""An address with one of these belongs to a script (paper 2011, §2.5)."""

_FILE: Final = re.compile(r"\.(?:pdf|docx?|rtf|odt|jpe?g|png|gif|webp|zip|mp3|css|js)$", re.I)
"""Documents of another kind than pages."""
_SHORT_NAME: Final = 3
"""Most words of a part of a path; a longer part is a title, whose words do not describe the
address."""
_TOOL_PARAMETERS: Final = frozenset(("share", "replytocom"))
_HINTS: Final = frozenset(("pf", "prn", "prt", "pr", "pv", "pop", "popup", "prv", "tmpl", "plain"))
"""Abbreviations that say print beside a print phrase."""
_WORDS: Final = re.compile(r"[^\W_]+")
_NOT_AN_ID: Final = re.compile(r"(?:19|20)\d\d|\d{1,2}")
_YEAR: Final = re.compile(r"(?:19|20)\d\d|0\d?|1")
_LONG_NUMBER: Final = 6
"""Digits from which two publishers do not use the same number by chance."""
_SHARED_NAME: Final = 5
"""Fewest letters that the domain names of one publisher share at their beginning."""
_INDEX: Final = re.compile(r"(?:index|default|home|main|start)(?:\.\w+)?", re.I)


def is_address(href: str) -> bool:
    """Whether a link has an address that is not a script's."""
    return bool(href.strip()) and not any(sign in href.casefold() for sign in INVALID)


def print_address(page: Page, href: str) -> str:
    """The full address if it may be the print page of this article; else empty."""
    address = web_address(page.base_url, href) if is_address(href) else None
    own = page.url or ""
    if not address or same_address(address, own):
        return ""
    target = urlsplit(address)
    if is_front_page(target) or _FILE.search(target.path) or _is_of_a_tool(target, urlsplit(own)):
        return ""
    return address if _same_publisher(address, own) else ""


def same_address(one: str, other: str) -> bool:
    """Whether two addresses differ in nothing but the scheme, the fragment and a slash at the end.

    >>> same_address("http://a.example/b/", "https://a.example/b#c")
    True
    """
    return _bare_address(one) == _bare_address(other)


def _bare_address(address: str) -> str:
    return address.split("#")[0].partition("://")[2].rstrip("/?")


def is_front_page(address: SplitResult) -> bool:
    """Whether an address is that of a site's front page."""
    return not address.query and (not address.path.strip("/") or _is_index(address.path))


def _is_index(path: str) -> bool:
    return path.count("/") < 2 and bool(_INDEX.fullmatch(path.strip("/")))


def _is_of_a_tool(target: SplitResult, own: SplitResult) -> bool:
    """Whether an address is that of a log-in, a shop, a list or another tool of the site."""
    names = {name for name, _ in _parameters(target.query)}
    if names & _TOOL_PARAMETERS:
        return True
    said = _short_name_words(target.path) | {value for _, value in _parameters(target.query)}
    return bool((said - _all_words(own)) & _tool_words())


def _short_name_words(path: str) -> set[str]:
    names = ([*map(str.casefold, _WORDS.findall(part))] for part in unquote(path).split("/"))
    return {word for name in names if len(name) <= _SHORT_NAME for word in name}


def _all_words(address: SplitResult) -> set[str]:
    return set(_WORDS.findall(unquote(f"{address.path} {address.query}").casefold()))


@cache
def _tool_words() -> frozenset[str]:
    return frozenset(phrases("not_print_in_address"))


def _same_publisher(address: str, own: str) -> bool:
    """Whether both hosts have one owner, or names that begin alike, or both addresses have the same
    long number; not a service that is handed the page's address."""
    host, own_host = address_host(address), address_host(own)
    if same_owner(host, own_host):
        return True
    if _bare_address(own) in unquote(address) or own_host in unquote(address).split("/", 3)[-1]:
        return False
    name, own_name = (h.removeprefix("www.").removeprefix("print.") for h in (host, own_host))
    if own_name.split(".")[0] in host or _begin_alike(name, own_name):
        return True
    return any(len(number) >= _LONG_NUMBER for number in id_numbers(address) & id_numbers(own))


def _begin_alike(one: str, other: str) -> bool:
    return one[:_SHARED_NAME] == other[:_SHARED_NAME] and "." not in one[:_SHARED_NAME]


def address_says_print(address: str, *, hints: bool = False) -> bool:
    """Whether path or parameters have a word for printing, or with `hints`, an abbreviation."""
    said = unquote(address.partition("://")[2].partition("/")[2])
    return says_print(said) or (hints and not _HINTS.isdisjoint(name_words(said)))


def has_print_part(address: str) -> bool:
    """Whether a whole part of an address is a word for printing: `/print/7`, `?view=print`."""
    parts = re.split(r"[/?&=;.]", unquote(address.partition("://")[2].partition("/")[2]))
    return any(len(name_words(part)) == 1 and says_print(part) for part in parts)


def refers_to(address: str, own: str) -> bool:
    """Whether an address refers to the same article as `own`: it has the same number, the value of
    the same parameter, continues or contains its path, or has the words of its name."""
    if id_numbers(address) & id_numbers(own):
        return True
    target, mine = urlsplit(address), urlsplit(own)
    if mine.query and _shares_parameter(target, mine):
        return True
    return _shares_path(target, mine, address) or _shares_name(target, mine)


def _shares_parameter(target: SplitResult, mine: SplitResult) -> bool:
    shared = _parameters(target.query) & _parameters(mine.query)
    return any(len(value) > 7 or any(map(str.isdigit, value)) for _, value in shared)


@cache_short(256)
def _parameters(query: str) -> set[tuple[str, str]]:
    pairs = parse_qsl(query.replace(";", "&"), keep_blank_values=True)
    return {(name.casefold(), value.casefold()) for name, value in pairs}


def _shares_path(target: SplitResult, mine: SplitResult, address: str) -> bool:
    path = mine.path.rstrip("/")
    stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path
    if len(stem) < 2 or _is_index(mine.path):
        return False
    if target.path.startswith(stem):
        return not (mine.query and target.query) or target.path.rstrip("/") != path
    return path in unquote(address)[8:]


def _shares_name(target: SplitResult, mine: SplitResult) -> bool:
    names = [part for part in unquote(mine.path).casefold().split("/") if part]
    if not names:
        return False
    said = unquote(f"{target.path}?{target.query}").casefold()
    last = names[-1].rsplit(".", 1)[0]
    if len(last) > 2 and not _INDEX.fullmatch(last) and last in re.split(r"[/?&=;]", said):
        return True
    words = _last_long_words(names)
    return len(words) > 1 and len(words & _long_words(said)) * 4 >= 3 * len(words)


def _last_long_words(names: list[str]) -> set[str]:
    """The long words of the last part of a path that has some."""
    return next((found for name in reversed(names) if (found := _long_words(name))), set())


def resembles(address: str, own: str) -> bool:
    """Whether an address has half of the long words of the page's name, or one of its numbers, even
    a short one. This is weak evidence."""
    target, mine = urlsplit(address), urlsplit(own)
    words = _last_long_words(unquote(mine.path).casefold().split("/"))
    shared = words & _long_words(unquote(f"{target.path}?{target.query}").casefold())
    if len(shared) > 1 and len(shared) * 2 >= len(words):
        return True
    numbers = (set(re.findall(r"\d+", f"{each.path}?{each.query}")) for each in (target, mine))
    return any(not _YEAR.fullmatch(number) for number in set.intersection(*numbers))


def _long_words(text: str) -> set[str]:
    return {word for word in _WORDS.findall(text) if len(word) > 3}


def id_numbers(address: str) -> set[str]:
    """The numbers in path and query that may identify an article; years and days may not."""
    parts = urlsplit(address)
    found = re.findall(r"\d+", unquote(f"{parts.path}?{parts.query}"))
    return {number for number in found if not _NOT_AN_ID.fullmatch(number)}


def adds_a_name(address: str, own: str) -> bool:
    """Whether an address has a number or long words that `own` lacks; then it may be that of an
    entry of a list."""
    if id_numbers(address) - id_numbers(own):
        return True
    target, mine = urlsplit(address), urlsplit(own)
    known = _all_words(mine)
    parts = [part for part in unquote(target.path).casefold().split("/") if part]
    return any(
        len(words := _WORDS.findall(part)) > _SHORT_NAME and len(set(words) - known) > 1
        for part in parts
    )


def is_neighbour(address: str, own: str) -> bool:
    """Whether an address is a file beside the page with a name that begins alike.

    >>> is_neighbour("https://a.example/b/031020-3.htm", "https://a.example/b/031020-2.htm")
    True
    """
    (folder, _, name), (own_folder, _, own_name) = (a.rpartition("/") for a in (address, own))
    pairs = zip(name, own_name.split("?")[0])
    shared = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    return folder == own_folder and "?" not in name and shared * 2 > len(own_name) and shared > 3
