"""The address of an article's next page.

J. Fan, P. Luo et al., "Article Clipper – a system for web article extraction", KDD 2011, §2.5, in
four stages:

1. links that follow each other on one line form a cluster;
2. the cluster, and the link in it, is found by three signs: an address similar to the page's own,
   and on page k, the number k + 1 on the link and in its address;
3. links to a next page of comments and to a next image are removed;
4. the candidate is fetched, and confirmed by the same title and a different text (in `clip`).

Deviations:
1. A cluster follows the order of the document: links with only short signs between them. The line
   on which they are drawn adds nothing, because pagers are not broken into columns.
2. "Similar" means that two addresses are equal but for one number, in path or query (`-2.html`,
   `/page/2/`, `?start=20`, `?page=0,1`). Only then is a word ("next", an arrow) enough: links to
   the next article have such words, too, and `rel=next` mostly means that.
3. k is the number without a link in a run of linked numbers; else the one in the page's address;
   else 1. So addresses may count from 0, or be one ahead of their labels.
4. "Continued" may lead into another directory if the address refers to the same article, or if it
   is the only such link and its address ends with an article's number.
5. Threads and listings have more ways: the numbers of a pager around the page's own number may lead
   to any address, a link to page k + 1 may have any text, and "older" or "next" may have any
   address if there is only one such link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tearsheet.addresses import address_host, is_web_address, join_address, same_owner, web_origin
from tearsheet.components._links import SIGNS, Links, read_links, read_phrase
from tearsheet.components._print_addresses import refers_to
from tearsheet.languages import any_of, phrases
from tearsheet.tags import CODES, TEXT
from tearsheet.types import Page

_A, _IMG = CODES["a"], CODES["img"]
_LABEL: Final = 48  # most characters of a label
_GAP: Final = 24  # most characters between two links of a cluster
_ROWS: Final = 14  # most rows of a label
_LARGEST: Final = 9_999  # the largest number of a page
_POST: Final = 400  # a larger number in `?p=` is that of a post
_FORTH: Final = re.compile(r"[›»→>▶►⇒⟩❯▸⏵]|&gt;")
_BACK: Final = re.compile(r"[‹«←<◀◄⇐⟨❮◂⏴]")
_LAST: Final = re.compile(r"[›»>▶►]\s*[|›»>▶►]|⏭|⏩|»\|")
_HINT: Final = re.compile(r"[\d›»→>▶►⇒⟩❯▸⏵]")
"""A number, or an arrow that points forward."""
_DIGITS: Final = re.compile(r"\d+")
_NOT_A_PAGE: Final = re.compile(
    r"comment|cpage|review|rating|rate|gallery|slide|image|photo|size|perpage|limit$|teaser|lang|sort",
    re.I,
)
_OTHER_PLACE: Final = re.compile(
    r"\b(?:comments?|disqus|reviews?|galler(?:y|ie)|slide\w*|carousel|related|teasers?|ratings?|"
    r"calendar|foot-?notes?|notes|recommend\w*)\b",
    re.I,
)
_LISTED: Final = re.compile(r"\b(?:carousel|related|teasers?|calendar|recommend\w*)\b", re.I)
"""Those of these places that are no part of a page of entries, such as reviews."""
_PAGER: Final = 2  # fewest linked numbers of a pager
_NUMBER: Final = re.compile(r"\d{4,}\.?\w*$")  # at the end of an address: the number of an article
_EXTENSION: Final = re.compile(r"\.(?:html?|php\d?|aspx?|jsp|shtml|xhtml|cfm)$", re.I)
_SESSION: Final = re.compile(r"^(?:s|sid|sessid|phpsessid|xploidid|utm_\w+|fbclid|gclid)$", re.I)


@dataclass(frozen=True, slots=True)
class _Link:
    row: int
    label: str
    """As the reader sees it, with single spaces."""
    number: int | None
    """The number on the label, if it is one, or has one and few words."""
    forth: bool
    """Whether it says "next", or is an arrow that points forward."""
    address: str
    step: tuple[int | None, int] | None
    """The numbers in the page's address and in the link's, if nothing else differs."""


def find_next_page(
    page: Page,
    links: Links | None = None,
    *,
    everything: bool = False,
    article: bool = False,
) -> tuple[str, str]:
    """The address of the next page and its rule; two empty strings if there is none.

    `everything` is for threads and listings, which have more ways to continue. On a page known to
    be an `article`, "next" with an address of another shape leads to the next article, even then.
    """
    if not page.url:
        return "", ""
    pagers = list(_pagers(page, links or read_links(page), everything))
    clusters = _clusters(page, pagers)
    for cluster in clusters:
        found = _find_by_number(page, cluster) or _find_by_word(cluster)
        if found:
            return found
    onward = {
        link.address for link in pagers if read_phrase(link.label) in known_phrases("continued")
    }
    for address in onward:
        if refers_to(address, page.url) or (len(onward) == 1 and _NUMBER.search(address)):
            return address, "continued"
    return _find_in_listing(page, pagers, clusters, article) if everything else ("", "")


# --- stage 1


def _pagers(page: Page, links: Links, everything: bool) -> Iterator[_Link]:
    """The links that may belong to a pager: short, and to another address of the same site."""
    own = page.url or ""
    elsewhere = _Places(page, _LISTED if everything else _OTHER_PLACE)
    following = _next_numbers(own) if everything else frozenset()
    for row, label in _link_labels(page, links, bool(following)):
        kind, href = _read_label(label), page.attribute(row, "href") or ""
        if kind is None and not _has_number(href, following):
            continue  # it cannot lead to page k + 1
        address = _page_address(page, href)
        pace = find_step(own, address) if address else None
        if address and (kind is not None or is_next(pace)) and not elsewhere.around(row):
            yield _Link(row, label, *(kind or (None, False)), address, pace)


def _link_labels(page: Page, links: Links, everything: bool) -> Iterator[tuple[int, str]]:
    """The rows and labels of the small links; unless `everything` is asked for, only those with a
    number, an arrow or a known phrase."""
    phrases = _all_phrases()
    for row, end, size, label, folded in zip(*links):
        if end - row > _ROWS or (label and size >= 4 * _LABEL):
            continue
        if not label:
            label = _label_without_text(page, row, end)
        elif not (everything or folded.strip(SIGNS) in phrases or _HINT.search(label)):
            continue
        if label and len(label) <= _LABEL and page.tag[row] == _A:
            yield row, label


def _next_numbers(own: str) -> frozenset[str]:
    """The numbers k + 1 for each number k in the page's address, and 2."""
    numbers = (int(digits[-9:]) for digits in _DIGITS.findall(unquote(own)))
    return frozenset(("2", *(str(number + 1) for number in numbers)))


def _has_number(href: str, following: frozenset[str]) -> bool:
    """Whether an address has one of these numbers: a quick check before it is parsed."""
    if not following or not _DIGITS.search(href):
        return False
    if not href.isascii() or "list_" in href:  # digits of other scripts, or inside a number
        return True
    return any(digits.lstrip("0") in following for digits in _DIGITS.findall(unquote(href)))


def _label_without_text(page: Page, row: int, end: int) -> str:
    """The label of a link without text, from its attributes."""
    for at in range(row, end):
        if at == row or page.tag[at] == _IMG:
            for name in ("alt", "title", "aria-label"):
                value = page.attribute(at, name) if name in page.attrs[at] else None
                if value and value.strip():
                    return " ".join(value.split())
    if "next" not in page.attrs[row]:
        return ""
    names = f"{page.attribute(row, 'rel') or ''} {page.attribute(row, 'class') or ''}"
    return "next" if "next" in names.split() else ""


def _read_label(label: str) -> tuple[int | None, bool] | None:
    """The number on a link, and whether it says next; None if it is neither."""
    bare = read_phrase(label)
    if bare not in _all_phrases() and not _HINT.search(label):
        return None  # most links
    numbers = _DIGITS.findall(bare)
    if len(numbers) == 1 and len(numbers[0]) <= 4:
        says_next = not bare.isdigit() and _DIGITS.sub("{}", bare) in known_phrases("next")
        if bare.isdigit() or says_next or len(bare.split()) <= _WORDS:
            return int(numbers[0]), says_next
    if bare in known_phrases("next") or bare in known_phrases("older"):
        return None if _LAST.search(label) else (None, True)
    if bare in known_phrases("continued"):
        return None, False
    if not any(map(str.isalnum, label)) and _FORTH.search(label):
        return None if _BACK.search(label) or _LAST.search(label) else (None, True)
    return None


_WORDS: Final = 6  # of a label with a number in it


@cache
def known_phrases(part: str) -> frozenset[str]:
    """What links of one kind say, in all languages: "next", "older" or "continued"."""
    return frozenset(map(read_phrase, phrases(part)))


@cache
def _all_phrases() -> frozenset[str]:
    return known_phrases("next") | known_phrases("older") | known_phrases("continued")


def _page_address(page: Page, href: str) -> str:
    """The full address without fragment, if it is another page of the site; else empty."""
    href = href.strip()
    if not href or href.startswith("#") or "javascript:" in href.casefold():
        return ""
    own = page.url or ""
    address = (join_address(page.base_url, href.split("#")[0]) or "").split("#")[0]
    return address if _is_on_site(address, own) and address != own.split("#")[0] else ""


def _is_on_site(address: str, own: str) -> bool:
    root = web_origin(own)
    if root and address.startswith(f"{root}/"):
        return True
    return is_web_address(address) and same_owner(address_host(address), address_host(own))


class _Places:
    """Stage 3: elements whose pagers are for comments, a gallery, teasers and the like."""

    def __init__(self, page: Page, names: re.Pattern[str]) -> None:
        self._page, self._names = page, names
        self._known: dict[int, bool] = {}
        """By row, because the links of a pager share the elements around them."""

    def around(self, row: int) -> bool:
        """Whether an element close around a row is such a place."""
        return any(map(self._is_one, islice(self._page.ancestors(row), 8)))

    def _is_one(self, row: int) -> bool:
        if row not in self._known:
            self._known[row] = self._has_name(row)
        return self._known[row]

    def _has_name(self, row: int) -> bool:
        page, raw = self._page, self._page.attrs[row]
        if not raw or page.tag[row] == CODES["body"] or not ("class" in raw or "id=" in raw):
            return False
        names = f"{page.attribute(row, 'class') or ''} {page.attribute(row, 'id') or ''}"
        return self._names.search(names.replace("_", "-")) is not None


def _clusters(page: Page, links: list[_Link]) -> list[list[_Link]]:
    """Stage 1: runs of links with only short signs between them; runs with numbers first."""
    runs: list[list[_Link]] = []
    for link in links:
        if runs and _are_close(page, runs[-1][-1], link):
            runs[-1].append(link)
        else:
            runs.append([link])
    return sorted(runs, key=lambda run: not any(link.number for link in run))


def _are_close(page: Page, one: _Link, other: _Link) -> bool:
    between = page.text[int(page.end[one.row]) : other.row]
    return len("".join(between).strip()) <= _GAP and other.row - page.end[one.row] <= 3 * _ROWS


# --- stage 2


def _find_by_number(page: Page, cluster: list[_Link]) -> tuple[str, str] | None:
    """The link with the number k + 1, in a cluster whose addresses count pages."""
    numbered = [link for link in cluster if link.number is not None and link.step is not None]
    if not numbered:
        return None
    k = _current_number(page, cluster)
    for link in numbered:
        if link.number == k + 1:
            return link.address, "number on the link"
    return None


def _current_number(page: Page, cluster: list[_Link]) -> int:
    """k: the number without a link among the links; else the one in the address; else 1."""
    alone = _unlinked_numbers(page, cluster)
    if alone:
        return alone[0]
    own = [link.step[0] for link in cluster if link.step and link.step[0] is not None]
    labels = [link for link in cluster if link.number is not None and link.step is not None]
    if own and labels:  # the number in the address as a label: it may count from 0, or by offsets
        return _number_as_label(own[0], labels)
    return 1


def _unlinked_numbers(page: Page, cluster: list[_Link]) -> list[int]:
    """The numbers without a link that are next to a linked number."""
    linked = {link.number for link in cluster if link.number is not None}
    first, last = cluster[0].row, int(page.end[cluster[-1].row])
    inside = _numbers_outside_links(page, max(0, first - _ROWS), min(len(page), last + _ROWS))
    return [n for n in inside if n not in linked and (n - 1 in linked or n + 1 in linked)]


def _numbers_outside_links(page: Page, first: int, last: int) -> list[int]:
    """The words that are numbers, outside of links, in these rows."""
    linked: set[int] = set()
    for row in range(first, last):
        if page.tag[row] == _A:
            linked.update(range(row, int(page.end[row])))
    found: list[int] = []
    for row in range(first, last):
        if page.tag[row] == TEXT and row not in linked:
            for word in page.text[row].split():
                word = word.strip(SIGNS)
                if word.isdigit() and len(word) <= 4:
                    found.append(int(word))
    return found


def _number_as_label(own: int, labels: list[_Link]) -> int:
    """The number in the page's address as a label, by the line through the links' pairs of both."""
    pairs = sorted({(link.step[1], link.number) for link in labels if link.step and link.number})
    if len(pairs) > 1 and pairs[-1][0] != pairs[0][0]:
        slope = (pairs[-1][1] - pairs[0][1]) / (pairs[-1][0] - pairs[0][0])
        return round(pairs[0][1] + slope * (own - pairs[0][0]))
    if len(pairs) == 1:  # one link: the difference between label and number is always the same
        return own + pairs[0][1] - pairs[0][0] if abs(pairs[0][1] - pairs[0][0]) <= 2 else own
    return own


def _find_by_word(cluster: list[_Link]) -> tuple[str, str] | None:
    """The link that says next and whose address is the page's own with a higher number."""
    for link in cluster:
        if link.forth and link.step is not None:
            before, after = link.step
            if before is None or after > before:
                return link.address, "word on the link"
    return None


def _find_in_listing(
    page: Page, links: list[_Link], clusters: list[list[_Link]], article: bool
) -> tuple[str, str]:
    """For listings and threads: pagers to any address, page k + 1, and words to any address."""
    for cluster in clusters:
        if address := _find_beside_own(page, cluster):
            return address, "number on the link, any address"
    for link in links:
        if is_next(link.step) and _paged_address_pattern().search(link.address):
            return link.address, "number in the address"
    older = {link.address for link in links if read_phrase(link.label) in known_phrases("older")}
    if len(older) == 1:
        return older.pop(), "older entries"
    onward = {link.address for link in links if link.forth and link.number is None}
    if len(onward) == 1 and not article:
        return onward.pop(), "word on the link, any address"
    return "", ""


def _find_beside_own(page: Page, cluster: list[_Link]) -> str:
    """The link k + 1, where k has no link and the linked numbers all lead to one path."""
    numbered = {link.number: link.address for link in cluster if read_phrase(link.label).isdigit()}
    paths = {urlsplit(address).path for address in numbered.values()}
    if len(numbered) < _PAGER or len(paths) > 1:
        return ""
    alone = _unlinked_numbers(page, cluster)
    return numbered.get(alone[0] + 1, "") if alone else ""


# --- the difference between two addresses


@cache
def _page_number_pattern() -> re.Pattern[str]:
    """Matches what one of two paths has more if it counts pages: `-2`, `/page/2/`."""
    words = f"{any_of('page_in_address')}|{any_of('part_in_address')}"
    return re.compile(
        rf"^(?:[/\-_.,;=]?(?:index|pages|page_number|{words}|pg|p|s|or|o|list|list_\d+)?"
        r"[/\-_.,=]{0,2})?(\d{1,6})[/\-_]?$",
        re.I,
    )


@cache
def _page_name() -> re.Pattern[str]:
    """Matches names in a query that count pages or entries."""
    words = f"{any_of('page_in_address')}|{any_of('part_in_address')}"
    return re.compile(
        rf"^(?:p|pg|pn|pp|o|st|s|b|cp|page\w*|[a-z]*page|pagen_?\d*|{words}|start|offset|from|skip|"
        r"begin|first|index|pageno|pagenum|currentpage|pageid|limitstart|[a-z]*offset)$",
        re.I,
    )


@cache
def _paged_address_pattern() -> re.Pattern[str]:
    """Finds the end of an address that counts pages and says so."""
    word = any_of("page_in_address")
    return re.compile(rf"(?:{word}|pagen_?\d*|paged|(?<=[/?&])p)[/\-_=]?\d+/?$", re.I)


def find_step(own: str, other: str) -> tuple[int | None, int] | None:
    """The page numbers of two addresses that differ in nothing else; None if they do.

    >>> find_step("https://a.example/x.html", "https://a.example/x-2.html")
    (None, 2)
    >>> find_step("https://a.example/t?id=7&start=20", "https://a.example/t?id=7&start=40")
    (20, 40)
    >>> find_step("https://a.example/?p=2904", "https://a.example/?p=2905") is None
    True
    """
    one, two = urlsplit(own), urlsplit(other)
    found = None
    if _path(one.path) == _path(two.path):
        found = _query_step(one.query, two.query)
    elif _query(one.query) == _query(two.query):
        found = _path_step(_path(one.path), _path(two.path))
    if found is None or found[1] > _LARGEST or found[0] == found[1]:
        return None
    at_the_root = _path(one.path) in ("", "/") and re.fullmatch(r"/?\w*\d+/?", two.path)
    return None if at_the_root else found


def is_next(numbers: tuple[int | None, int] | None) -> bool:
    """Whether the numbers of a step are k and k + 1; the first page may have no number."""
    return numbers is not None and numbers[1] == (numbers[0] or 1) + 1


def _path(path: str) -> str:
    path = unquote(path)
    return re.sub(r"/(?:index|default)\.\w+$", "/", path)


def _query(query: str) -> dict[str, str]:
    pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
    return {name: value for name, value in pairs if not _SESSION.match(name)}


def _query_step(own: str, other: str) -> tuple[int | None, int] | None:
    before, after = _query(own), _query(other)
    changed = {name for name in after if after[name] != before.get(name)}
    pages = [name for name in changed if _page_name().match(name) and not _NOT_A_PAGE.search(name)]
    values = {after[name] for name in pages}
    if len(values) != 1 or not _DIGITS.search(after[pages[0]]):
        return None
    if any(name in before and name not in pages for name in changed):
        return None
    name = pages[0]
    numbers = _DIGITS.findall(after[name])
    own_numbers = _DIGITS.findall(before.get(name, ""))
    number = int(numbers[-1])
    if name in ("p", "id") and own_numbers and int(own_numbers[-1]) > _POST:
        return None
    return (int(own_numbers[-1]) if own_numbers else None), number


def _path_step(own: str, other: str) -> tuple[int | None, int] | None:
    """The numbers in what two paths do not have in common at their beginning and end."""
    own, other = _cut_extension(own, other)
    start = _common_length(own, other)
    end = _common_length(own[start:][::-1], other[start:][::-1])
    one, two = own[start : len(own) - end], other[start : len(other) - end]
    before, after = _page_number_pattern().match(one), _page_number_pattern().match(two)
    if after is None or (one.strip("/") and before is None) or _NOT_A_PAGE.search(two):
        return None
    return (int(before[1]) if before and one.strip("/") else None), int(after[1])


def _cut_extension(own: str, other: str) -> tuple[str, str]:
    """Two paths without the extension that both have, or only the second."""
    mine, its = _EXTENSION.search(own), _EXTENSION.search(other)
    if its and (mine is None or mine[0] == its[0]):
        own, other = own[: mine.start()] if mine else own, other[: its.start()]
    return own.rstrip("/"), other.rstrip("/")


def _common_length(one: str, other: str) -> int:
    """The length of the common beginning, without a part of a number at its end."""
    length = 0
    for a, b in zip(one, other):
        if a != b:
            break
        length += 1
    while length > 0 and (
        (length < len(one) and one[length - 1].isdigit() and one[length].isdigit())
        or (length < len(other) and other[length - 1].isdigit() and other[length].isdigit())
    ):
        length -= 1
    return length
