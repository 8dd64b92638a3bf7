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
2. "Similar" means that two addresses are equal but for one number (`_page_steps.py`). Only then is
   a word ("next", an arrow) or `rel=next` enough: links to the next article have them, too. The
   page's own address is the one it was fetched from, or the canonical one.
3. k is the number without a link, or marked as the current one, in a run of linked numbers; else
   the one in the page's address; else 1. So addresses may count from 0, or be one ahead of their
   labels.
4. Where no word says page, numbers may count chapters or posts. They do if a table of contents is
   linked beside them, or if the number is in the heading, large or written with zeros.
5. "Continued", and the numbers of a pager, may lead into another directory if the address refers to
   the same article.
6. Threads and listings have more ways: the numbers of a pager around the page's own number may lead
   to any address, a link to page k + 1 may have any text, and "older" or "next" may have any
   address if there is only one such link.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Final
from urllib.parse import unquote

from tearsheet.addresses import (
    address_host,
    address_path,
    is_web_address,
    join_address,
    same_owner,
    web_origin,
)
from tearsheet.components._address_words import address_words
from tearsheet.components._compare import split_camel_case
from tearsheet.components._head import Head, read_head
from tearsheet.components._links import SIGNS, Links, read_links, read_phrase
from tearsheet.components._page_labels import (
    HINT,
    RANGE,
    all_phrases,
    is_double_arrow,
    is_marked_next,
    known_phrases,
    label_without_text,
    next_words,
    read_label,
    says_next,
)
from tearsheet.components._page_steps import (
    Step,
    find_step,
    is_next,
    is_same_page,
    next_numbers,
    numbered_page,
)
from tearsheet.components._print_addresses import refers_to
from tearsheet.languages import phrases
from tearsheet.tags import CODES, TEXT
from tearsheet.types import Page

Answer = tuple[str, str]
"""The address of the next page, and the rule that found it."""

_A, _H1 = CODES["a"], CODES["h1"]
_LABEL: Final = 48  # most characters of a label
_GAP: Final = 24  # most characters between two links of a cluster
_ROWS: Final = 14  # most rows of a label
_BESIDE: Final = 40  # most rows between a link and a table of contents beside it
_PAGER: Final = 2  # fewest linked numbers of a pager
_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"\d{4,}\.?\w*$")  # at the end of an address: the number of an article
_WORD: Final = re.compile(r"[^\W_]+")
_OTHER_PLACE: Final = re.compile(
    r"\b(?:comment(?!s?-(?:open|closed|on|off|enabled))\w*|disqus|respond|reviews?\w*|"
    r"galler(?:y|ie)|slide\w*|carousel|related|teasers?|ratings?|calendar|foot-?notes?|notes|"
    r"recommend\w*|sug+est\w*|similar|latest|recent|trending|"
    r"(?:articles?|posts?|stor(?:y|ies)|news|blogs?|cards?)-(?:list|feed|grid)\w*)\b",
    re.I,
)
"""Names of elements, or fragments of addresses, that page something other than the article."""
_LISTED: Final = re.compile(r"\b(?:carousel|related|teasers?|calendar|recommend\w*)\b", re.I)
"""Such names that also occur outside of pages of entries, such as reviews."""
_ONE_OF_MANY: Final = re.compile(r"[?&][0-9a-f]{6,}_page=")
"""The name of a page in one of several lists, which site builders number like this."""
_CURRENT: Final = re.compile(
    r"(?<![a-z])(?:current|active|selected)(?![a-z])|(?:Current|Active|Selected)(?![a-z])"
)
"""In the attributes of a number in a pager: it is that of the page itself."""
_DATED: Final = re.compile(r"\b(?:date|day|week|month|year)=|(?:19|20)\d\d[-/.]?[01]\d\b", re.I)
_CHAPTERS: Final = frozenset(("up", "contents", "toc", "chapter", "index", "start"))
"""Values of `<link rel>` on the pages of a book, beside `next`."""


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
    step: Step | None
    """The numbers in the page's address and in the link's, if nothing else differs."""


def find_next_page(
    page: Page,
    links: Links | None = None,
    head: Head | None = None,
    *,
    everything: bool = False,
    article: bool = False,
) -> Answer:
    """The address of the next page and its rule; two empty strings if the page has none.
    `everything` is for threads and listings, which have more ways to continue. On a page known to
    be an `article`, "next" with an address of another shape leads to the next article, even then.
    """
    links, head = links or read_links(page), head or read_head(page)
    here = _Here(page, links, head, everything=everything)
    if not here.url:
        return "", ""
    if found := _find_declared(here):
        return found
    pagers = list(_pagers(here, everything))
    clusters = _clusters(page, pagers)
    for cluster in clusters:
        if found := _find_by_number(here, cluster) or _find_by_word(here, cluster):
            return found
    found = _find_elsewhere(here, pagers, clusters)
    return found or (_find_in_listing(here, pagers, clusters, article) if everything else ("", ""))


def find_site_address(page: Page, href: str) -> str:
    """The full address of a link, if it leads to another page of the site; else empty."""
    return _Here(page, Links([], [], [], [], []), Head({}, (), (), {})).address(href)


class _Here:
    """The page, and what its address and its surroundings say about a link."""

    def __init__(self, page: Page, links: Links, head: Head, *, everything: bool = False) -> None:
        self.page, self.links, self.head, self._everything = page, links, head, everything
        declared = next((x.href for x in head.links if x.rel == "canonical"), "")
        canonical = (join_address(page.base_url, declared) or "") if declared else ""
        self.url = (page.url or canonical).split("#")[0]
        self.base = page.base_url or self.url
        is_other = self._is_on_site(canonical) and not is_same_page(self.url, canonical)
        self.own = (self.url, canonical) if is_other else (self.url,)

    def address(self, href: str) -> str:
        """The full address without fragment, if it is another page of the site; else empty."""
        href = href.strip()
        if not href or href.startswith("#") or "javascript:" in href.casefold():
            return ""
        bare, _, fragment = href.partition("#")
        if fragment and not self._everything and _OTHER_PLACE.search(fragment.replace("_", "-")):
            return ""  # the next page of comments
        address = (join_address(self.base, bare) or "").split("#")[0]
        return address if self._is_on_site(address) and address != self.url else ""

    def _is_on_site(self, address: str) -> bool:
        root = web_origin(self.url)
        if root and address.startswith(f"{root}/"):
            return True
        return is_web_address(address) and same_owner(address_host(address), address_host(self.url))

    def find_step(self, address: str) -> Step | None:
        """The step from one of the page's own addresses."""
        steps = (find_step(own, address) for own in self.own)
        return next((step for step in steps if step is not None), None)

    def is_related(self, address: str) -> bool:
        """Whether an address lies below the page's own, or refers to the same subject."""
        path = address_path(self.url).rstrip("/").casefold()
        if address_path(address).casefold().startswith(path) or refers_to(address, self.url):
            return True
        name, there = address_words(self.url), unquote(address).casefold()
        return len(name) > 1 and all(word in there for word in name)

    def counts_on(self, address: str) -> bool:
        """Whether an address is the page's own with another query that has a number, or, on a home
        page, ends with the number 2."""
        path, own = address_path(address), address_path(self.url)
        if path.casefold() == own.casefold():
            return _DIGITS.search(address.partition("?")[2]) is not None
        return own in ("", "/") and re.search(r"/2/?$", path) is not None

    def has_below(self, address: str) -> bool:
        """Whether an address is related to the page's own; below a home page, only by its query.
        Dates are those of a calendar."""
        leaves_home = address_path(self.url) in ("", "/") and address_path(address) != "/"
        return not leaves_home and self.is_related(address) and not _DATED.search(address)

    def counts_articles(self, step: Step, row: int) -> bool:
        """Whether a step without a word for page leads to the next chapter or post."""
        if step.sign != "none":
            return False
        if step.may_count_articles or self._has_contents_beside(row):
            return True
        return step.before is not None and str(step.before) in self._heading_numbers

    def _has_contents_beside(self, row: int) -> bool:
        rows, words = self.links.rows, known_phrases("contents")
        near = range(bisect_left(rows, row - _BESIDE), bisect_left(rows, row + _BESIDE))
        return any(self.links.folded[i].strip(SIGNS) in words for i in near)

    @cached_property
    def _heading_numbers(self) -> frozenset[str]:
        headings = (self.page.inner_text(row) for row in self.page.rows(_H1)[:3])
        return frozenset(_DIGITS.findall(" ".join(headings)))


# --- what the head declares


def _find_declared(here: _Here) -> Answer | None:
    """The page of `<link rel=next>`, if its address is the page's own with a higher number."""
    relations = {relation: link.href for link in here.head.links for relation in link.rel.split()}
    address = here.address(relations.get("next", ""))
    step = here.find_step(address) if address else None
    if step is None or (step.before is not None and step.after <= step.before):
        return None
    if step.sign == "none":
        posts = step.before is None and ("prev" in relations or "previous" in relations)
        if posts or relations.keys() & _CHAPTERS or here.counts_articles(step, -2 * _BESIDE):
            return None
    return address, "link rel=next"


# --- stage 1


def _pagers(here: _Here, everything: bool) -> Iterator[_Link]:
    """The links that may belong to a pager: short, and to another address of the same site."""
    page = here.page
    elsewhere = _Places(page, _LISTED if everything else _OTHER_PLACE, here.url)
    paged = _rows_to_next_page(here) if everything else frozenset()
    for row, label in _link_labels(here, paged):
        kind, onward = read_label(label), False
        if kind is None:  # only a link to page k + 1 may say anything else
            onward = says_next(label)
            if not (onward or row in paged or is_marked_next(page, row)):
                continue
        address = here.address(page.attribute(row, "href") or "")
        step = here.find_step(address) if address else None
        if kind is None and step and step.is_next and (onward or step.sign != "none"):
            kind = None, True
        elif kind is None and everything and onward:
            kind = None, False
        if not everything and _ONE_OF_MANY.search(address):
            continue
        if address and kind and not elsewhere.is_near(row):
            yield _Link(row, label, *kind, address, step)


def _link_labels(here: _Here, paged: frozenset[int]) -> Iterator[tuple[int, str]]:
    """The rows and labels of the small links with a number, an arrow, a word for next, or whose
    address says page."""
    page, known, words = here.page, all_phrases(), next_words()
    for row, end, size, label, folded in zip(*here.links):
        if len(label) > _LABEL or (label and size >= 4 * _LABEL):
            continue
        if not label and end - row > _ROWS:
            continue
        if not label:
            label = label_without_text(page, row, end)
        elif not (
            HINT.search(label)
            or folded.strip(SIGNS) in known
            or (" " in folded and not words.isdisjoint(folded.split()))
            or row in paged
            or 'rel="next"' in page.attrs[row]
        ):
            continue
        if label and len(label) <= _LABEL and page.tag[row] == _A:
            yield row, label


def _rows_to_next_page(here: _Here) -> frozenset[int]:
    """The links whose address ends with a word for page and the number k + 1."""
    page, rows, following = here.page, here.links.rows, next_numbers(here.url)
    whole = "\n".join([page.attrs[row] for row in rows])
    words = [word for word in _page_words() if word in whole]
    found: set[int] = set()
    for word in words:  # mostly one
        near = (row for row in rows if word in page.attrs[row])
        found.update(row for row in near if _numbered_page(page, row) in following)
    return frozenset(found)


@cache
def _page_words() -> tuple[str, ...]:
    words = phrases("page_in_address")
    return (*words, *(word.capitalize() for word in words), *(word.upper() for word in words), "p=")


def _numbered_page(page: Page, row: int) -> int | None:
    return numbered_page((page.attribute(row, "href") or "").split("#")[0])


class _Places:
    """Stage 3: elements whose pagers are for comments, a gallery, teasers and the like."""

    def __init__(self, page: Page, names: re.Pattern[str], own: str) -> None:
        self._page, self._names = page, names
        self._own = set(_WORD.findall(own.casefold()))
        """A page of reviews, by its address, may page them."""
        self._known: dict[int, bool] = {}
        """By row, because the links of a pager share the elements around them."""

    def is_near(self, row: int) -> bool:
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
        found = self._names.findall(split_camel_case(names, "-").replace("_", "-"))
        return any(name.casefold() not in self._own for name in found)


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


def _find_by_number(here: _Here, cluster: list[_Link]) -> Answer | None:
    """The link with the number k + 1, in a cluster whose addresses count pages."""
    numbered = [link for link in cluster if link.number is not None and link.step is not None]
    if not numbered:
        return None
    if len(numbered) == len(cluster) == 1 and _may_be_section(here, numbered[0]):
        return None
    k = _current_number(here, cluster)
    for link in numbered:
        step = link.step
        if link.number != k + 1 or step is None or step.after <= (step.before or 0):
            continue
        is_plain = link.forth or read_phrase(link.label).isdigit()
        if is_plain or not here.counts_articles(step, link.row):
            return link.address, "number on the link"
    return None


def _may_be_section(here: _Here, link: _Link) -> bool:
    """Whether a link leads from a home page to a section named "Page 2"."""
    own, path = address_path(here.url), address_path(link.address)
    return own in ("", "/") and re.fullmatch(r"/?\w*\d+/?", path) is not None


def _current_number(here: _Here, cluster: list[_Link]) -> int:
    """k: the number without a link, or marked; else the one in the address; else 1."""
    alone = _unlinked_numbers(here, cluster)
    if alone:
        return alone[0]
    marked = [link.number for link in cluster if link.number and _is_current(here.page, link.row)]
    if len(marked) == 1:
        return marked[0]
    own = [link.step.before for link in cluster if link.step and link.step.before is not None]
    labels = [link for link in cluster if link.number is not None and link.step is not None]
    if own and labels:  # the number in the address as a label: it may count from 0, or by offsets
        return _number_as_label(own[0], labels)
    return 1


def _is_current(page: Page, row: int) -> bool:
    return any(_CURRENT.search(page.attrs[at]) for at in (row, int(page.parent[row])))


def _unlinked_numbers(here: _Here, cluster: list[_Link]) -> list[int]:
    """The numbers without a link, or with one to the page itself, next to a linked number."""
    page = here.page
    linked = {link.number for link in cluster if link.number is not None}
    first, last = cluster[0].row, int(page.end[cluster[-1].row])
    inside = _numbers_outside_links(here, max(0, first - _ROWS), min(len(page), last + _ROWS))
    return [n for n in inside if n not in linked and (n - 1 in linked or n + 1 in linked)]


def _numbers_outside_links(here: _Here, first: int, last: int) -> list[int]:
    """The words that are numbers, outside of links to other pages, in these rows."""
    page = here.page
    linked: set[int] = set()
    for row in range(first, last):
        if page.tag[row] == _A and here.address(page.attribute(row, "href") or ""):
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
    pairs = sorted({(link.step.after, link.number) for link in labels if link.step and link.number})
    if len(pairs) > 1 and pairs[-1][0] != pairs[0][0]:
        slope = (pairs[-1][1] - pairs[0][1]) / (pairs[-1][0] - pairs[0][0])
        return round(pairs[0][1] + slope * (own - pairs[0][0]))
    if len(pairs) == 1:  # one link: the difference between label and number is always the same
        return own + pairs[0][1] - pairs[0][0] if abs(pairs[0][1] - pairs[0][0]) <= 2 else own
    return own


def _find_by_word(here: _Here, cluster: list[_Link]) -> Answer | None:
    """The link that says next and whose address is the page's own with a higher number."""
    for link in cluster:
        step = link.step
        if step is None or not step.goes_on:
            continue
        if _leads_to_next_range(link.label, step):
            return link.address, "numbers on the link"
        if not link.forth or (is_double_arrow(link.label) and not _is_first_step(step)):
            continue
        if not here.counts_articles(step, link.row):
            return link.address, "word on the link"
    return None


def _is_first_step(step: Step) -> bool:
    """Whether a step leads to page k + 1, counting from 0 or 1."""
    return step.is_next or (step.before is None and step.after == 1)


def _leads_to_next_range(label: str, step: Step) -> bool:
    """Whether a label such as "51-100" names the entries after those of the page."""
    found = RANGE.fullmatch(read_phrase(label))
    if found is None:
        return False
    first, last = int(found[1]), int(found[2])
    return last > first and first == (step.before or 0) + last - first + 2


# --- addresses of another shape


def _find_elsewhere(here: _Here, links: list[_Link], clusters: list[list[_Link]]) -> Answer | None:
    """The next page at an address of another shape that refers to the same article or listing."""
    onward = _addresses(links, "continued")
    for address in onward:
        if refers_to(address, here.url) or (len(onward) == 1 and _NUMBER.search(address)):
            return address, "continued"
    for cluster in clusters:
        address = _find_beside_own(here, cluster)
        if address and refers_to(address, here.url) and not _counts_other(address, here.url):
            return address, "number on the link, another directory"
    older = _addresses(links, "older")
    address = older.pop() if len(older) == 1 else ""
    if "?" in address and address_path(here.url) in ("", "/", address_path(address)):
        return address, "older entries"
    return None


def _addresses(links: list[_Link], part: str) -> set[str]:
    """Where the links lead whose label is a phrase of this kind."""
    return {link.address for link in links if read_phrase(link.label) in known_phrases(part)}


def _counts_other(address: str, own: str) -> bool:
    """Whether a word in an address, but not in the page's own, says that it pages other things."""
    words = set(re.split(r"[\W_]+", unquote(address))) - set(re.split(r"[\W_]+", unquote(own)))
    return any(_OTHER_PLACE.search(word) for word in words)


def _find_in_listing(
    here: _Here, links: list[_Link], clusters: list[list[_Link]], article: bool
) -> Answer:
    """For listings and threads: pagers to any address, page k + 1, and words to any address."""
    for cluster in clusters:
        address = _find_beside_own(here, cluster)
        if address and here.is_related(address):
            return address, "number on the link, any address"
    for link in links:
        if is_next(link.step) and numbered_page(link.address) is not None:
            return link.address, "number in the address"
    older, more = _addresses(links, "older"), _addresses(links, "more")
    if len(older) == 1 and ("?" in (address := older.pop()) or here.is_related(address)):
        return address, "older entries"
    if len(more) == 1 and here.counts_on(address := more.pop()):
        return address, "more entries"
    onward = {link.address for link in links if link.forth and not (link.number or link.step)}
    if len(onward) == 1 and not article and here.has_below(address := onward.pop()):
        return address, "word on the link, any address"
    return "", ""


def _find_beside_own(here: _Here, cluster: list[_Link]) -> str:
    """The link k + 1, where k has no link and the numbers, or one and "next", lead to one path."""
    numbered = {link.number: link.address for link in cluster if read_phrase(link.label).isdigit()}
    paths = {_DIGITS.sub("", address_path(address)) for address in numbered.values()}
    onward = {link.address for link in cluster if link.forth and link.number is None}
    is_pager = len(numbered) >= _PAGER or not onward.isdisjoint(numbered.values())
    if not is_pager or len(paths) > 1:
        return ""
    alone = _unlinked_numbers(here, cluster)
    marked = [link.number for link in cluster if link.number and _is_current(here.page, link.row)]
    k = alone[0] if alone else marked[0] if len(marked) == 1 else None
    return numbered.get(k + 1, "") if k is not None else ""
