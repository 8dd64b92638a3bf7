"""Who wrote an article, and the rule that found it.

What the page declares (JSON-LD, `<meta>`) is asked first, then the byline by the title, links to an
author's page there, and elements that are named for an author. A person wins over an organisation
or the site. A name that is nobody's ("Name *", "Written by", "undefined") is dropped: no author is
better than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np

from tearsheet.components import _dates
from tearsheet.components._compare import fold, only_letters
from tearsheet.components._head import Head
from tearsheet.components._named_rows import rows_named
from tearsheet.components._wording import named_author
from tearsheet.components.title import clean_text, site_names
from tearsheet.json_ld import Node, node_types
from tearsheet.languages import any_of, phrases
from tearsheet.segments import find_texts
from tearsheet.tags import CODES, HEADINGS
from tearsheet.types import Bools, Page, Segments

Values: TypeAlias = tuple[list[str], str]
"""Texts that may hold names, and the rule that found them."""

_METAS: Final = (
    "author", "article:author", "dc.creator", "dcterms.creator", "dc.contributor.author",
    "citation_author", "parsely-author", "sailthru.author", "article.author", "byl",
    "cxenseparse:author", "creator", "twitter:creator:name", "article:author_name",
)  # fmt: skip
_LINE: Final = 120  # most characters of a line with a byline
_LONGEST: Final = 60  # most characters of a name
_MOST_WORDS: Final = 6  # most words of a name
_ELEMENTS: Final = 8  # elements with a name for authors that are read
_CLASS_AUTHOR: Final = re.compile(
    r' (?:class|itemprop|rel)="[^"]*(?<![a-z])(?:authors?(?!i)|byline)(?![a-z]{2})', re.I
)
_ELSEWHERE_WORDS: Final = (
    "comment", "respond", "reply", "replies", "disqus", "related", "recommend", "popular",
    "trending", "sidebar", "footer", "contentinfo", "newsletter", "review", "testimonial",
    "cookie", "share", "social",
)  # fmt: skip
"""Parts of a page whose authors are other people's: of comments, other articles, forms."""
_NAMES: Final = re.compile(r' (?:class|id|role)="([^"]*)')
_FOREIGN: Final = ("form", "footer", "nav", "aside")
_AUTHOR_ADDRESS: Final = re.compile(
    r"/(?:authors?|autor(?:es|in|en)?|auteurs?|contributors?|writers?|reporters?|journalists?|"
    r"profile|people|staff|team|by|bio)/[^/]+|[?&]author=",
    re.I,
)
_ORGANISATIONS: Final = frozenset(
    "Organization Corporation NewsMediaOrganization LocalBusiness EducationalOrganization "
    "CollegeOrUniversity GovernmentOrganization WebSite Brand".split()
)
_NOT_A_NAME: Final = re.compile(
    r"https?:|www\.|@|[*=<>{}#]|\d{2}|\b(?:undefined|null)\b|"
    r"^(?:admin|administrator|anonymous|guest|system|user|unknown|none)$",
    re.I,
)
_TAIL: Final = re.compile(r"\s[|•·⋅–—/]|[•·⋅|]\s|\s-\s|\s*\(|\s+@\w+|\n")
"""What begins something else than a name: a place, a site, a role, an account."""
_FIRST_WORDS: Final = re.compile(r"^(?:[^\W\d_]+\s){0,2}[Bb][Yy]\b[:\s]*(?=\S)")
_SENTENCE: Final = re.compile(r"[.!?]\s+[^\W\d_]{3,}\s+[^\W\d_]{2,}\s")
_ACCOUNTS: Final = re.compile(
    r"[\s,]*\b(?:twitter|facebook|instagram|linkedin|mastodon|bluesky|email|e-mail|x\.com|rss)\b.*$",
    re.I,
)


_CAPITALISED: Final = re.compile(
    r"[^\W\d_a-zß-ÿ][^\W\d_]+(?:[ -](?:[^\W\d_a-zß-ÿ]\.|[^\W\d_a-zß-ÿ][^\W\d_]*[a-zß-ÿ])){1,2}"
)
_BEHIND: Final = re.compile(r"(?:\s[a-z]+)*\s(?i:on|in|at|updated|»|«|›)(?:\s|$)")
"""What goes on behind a name: "Ann Lee on Friday", "Ann Lee in Woodworking"."""
_REVIEWED: Final = re.compile(
    r"\b(?:reviewed|edited|fact[- ]checked|checked|approved|translated|photos?) by\b", re.I
)


def find_authors(
    page: Page, segments: Segments, near: list[int], head: Head
) -> tuple[tuple[str, ...], str]:
    """The authors, and their rule: the first that finds a person, else the first with any name."""
    sites = site_names(page, head)
    second: tuple[tuple[str, ...], str] = ((), "")
    for values, rule in _find_values(page, segments, near, head):
        if rule in _GUESSES and second[0] and not _is_site(second[0], sites):
            break  # what is declared, or stands by the title, is better than a guess
        found = read_names(values, strict=not rule.startswith(("json-ld", "meta")))
        if rule != _ORGANISATION and any(_is_person(name, sites) for name in found):
            return found, rule
        second = second if second[0] else (found, rule)
    return second


_GUESSES: Final = ("author element", "name beside the date", "closing byline")
_ORGANISATION: Final = "json-ld author, an organisation"


def _is_person(name: str, sites: Mapping[str, str]) -> bool:
    words = fold(name).split()
    is_group = any(word in _groups() for word in words)
    return len(words) > 1 and not is_group and only_letters(name) not in sites


def _is_site(names: tuple[str, ...], sites: Mapping[str, str]) -> bool:
    return all(only_letters(name) in sites for name in names)


@cache
def _groups() -> frozenset[str]:
    return frozenset(map(fold, phrases("author_group")))


def _find_values(page: Page, segments: Segments, near: list[int], head: Head) -> Iterator[Values]:
    """The texts of each rule, the best rule first."""
    yield from _read_declared(head)
    lines = [i for i in near if segments.chars[i] <= _LINE]
    for i in lines:
        if name := named_author(segments.text[i]):
            yield [name], "byline"
    for i in lines[:-1]:
        if i + 1 in lines and _is_label(segments.text[i]):
            yield [segments.text[i + 1]], "line below a byline's label"
    own = ~_rows_elsewhere(page)
    yield from _read_links(page, segments, near, own)
    yield from _read_elements(page, segments, near, own)
    yield from _read_beside_date(page, segments, near)
    yield from _read_closing(segments, own)


def _read_beside_date(page: Page, segments: Segments, near: list[int]) -> Iterator[Values]:
    """A line of two or three capitalised words by the title, with a date before or behind it."""
    for i in near[1:-1]:
        is_plain = not any(HEADINGS[page.tag[row]] for row in _two_above(page, segments, i))
        if is_plain and _CAPITALISED.fullmatch(segments.text[i]):
            beside = (segments.text[i - 1], segments.text[i + 1])
            if any(len(line) <= _LINE and _dates.read_date(line) for line in beside):
                yield [segments.text[i]], "name beside the date"


def _two_above(page: Page, segments: Segments, i: int) -> list[int]:
    return list(islice(page.ancestors(int(segments.first[i])), 2))


def _read_closing(segments: Segments, own: Bools) -> Iterator[Values]:
    """Short lines anywhere that say by whom the text was written."""
    for i in np.flatnonzero((segments.chars <= _LONGEST) & own[segments.first]).tolist():
        if _written_by().match(segments.text[i]) and (name := named_author(segments.text[i])):
            yield [name], "closing byline"


@cache
def _written_by() -> re.Pattern[str]:
    return re.compile(rf"^{any_of('byline_verb')}\s+{any_of('byline')}\b", re.I)


def _read_declared(head: Head) -> Iterator[Values]:
    for key in ("author", "creator"):
        people = _resolve(head.article.get(key), head.nodes)
        groups = [node for node in people if _ORGANISATIONS.intersection(node_types(node))]
        rule = _ORGANISATION if groups and len(groups) == len(people) else f"json-ld {key}"
        yield [str(node.get("name") or "") for node in people], rule
    for name in _METAS:
        if name in head.meta:
            yield list(head.meta[name]), f"meta {name}"


def _resolve(value: Any, nodes: Iterable[Node]) -> list[Node]:
    """The objects that a value of JSON-LD names: itself, or those of its `@id` elsewhere."""
    found: list[Node] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            found.append({"name": clean_text(item)})
        elif isinstance(item, dict):
            name = item.get("name")
            if not name and (key := item.get("@id")):
                item = next((n for n in nodes if n.get("@id") == key and n.get("name")), item)
                name = item.get("name")
            if isinstance(name, list):
                found += ({**item, "name": clean_text(str(one))} for one in name)
            elif name:
                found.append({**item, "name": clean_text(str(name))})
    return found


def _is_label(text: str) -> bool:
    """Whether a line is only "Written by" or "Author:", with the name on the next one."""
    return len(text) <= 24 and bool(named_author(f"{text.rstrip(' :：')} Nobody"))


def _rows_elsewhere(page: Page) -> Bools:
    """Which rows lie in comments, forms, footers, menus and lists of other articles."""
    inside = np.zeros(len(page), dtype=np.bool_)
    low = [raw.lower() for raw in page.all_attrs]
    named = [at for at in find_texts(low, _ELSEWHERE_WORDS) if _is_elsewhere(low[at])]
    rows = np.flatnonzero(np.isin(page.attrs_at, named)).tolist() if named else []
    for row in (*rows, *page.rows(*(CODES[name] for name in _FOREIGN))):
        if page.end[row] - row < len(page) / 2:  # the body may be named so, too
            inside[row : page.end[row]] = True
    return inside


def _is_elsewhere(low: str) -> bool:
    """Whether class, id or role in these attributes have one of the words."""
    names = " ".join(_NAMES.findall(low))
    return any(word in names for word in _ELSEWHERE_WORDS)


def _read_links(page: Page, segments: Segments, near: list[int], own: Bools) -> Iterator[Values]:
    """Links by the title that lead to somebody's page."""
    if not near:
        return
    first, last = int(segments.first[near[0]]), int(segments.last[near[-1]])
    names = []
    for row in page.rows(CODES["a"]):
        if first <= row <= last and own[row] and "href" in page.attrs[row]:
            text = page.inner_text(row)
            if text and _AUTHOR_ADDRESS.search(page.attribute(row, "href") or ""):
                names.append(text)
    yield names[:_ELEMENTS], "link to an author by the title"


def _read_elements(page: Page, segments: Segments, near: list[int], own: Bools) -> Iterator[Values]:
    """Elements whose class, property or relation names an author; those near the title first."""
    named = rows_named(page, ("author", "byline"), _CLASS_AUTHOR)
    rows = [row for row in named if own[row]]
    first = int(segments.first[near[0]]) if near else 0
    last = int(segments.last[near[-1]]) if near else -1
    for row in sorted(rows, key=lambda row: not first <= row <= last)[:_ELEMENTS]:
        text = page.inner_text(row)
        if 3 <= len(text) <= 2 * _LONGEST:
            yield [text], "author element"


def read_names(values: Iterable[str], *, strict: bool = False) -> tuple[str, ...]:
    """The names in texts with one or several of them, each once.

    `strict`: only what is written as a name is, for texts that may be anything.

    >>> read_names(["By Ann Lee and Bo Chan", "Ann Lee", "https://example.org/ann"])
    ('Ann Lee', 'Bo Chan')
    >>> read_names(["Ann Lee, Senior Writer", "Name *", "Posted by Cy Fox 3 May 2024"], strict=True)
    ('Ann Lee', 'Cy Fox')
    """
    found: dict[str, str] = {}
    for value in values:
        for name in _split_names(_cut(clean_text(value))):
            name = _clean_name(name) if strict else name.strip(" ,")
            if 1 < len(name) <= 80 and not _NOT_A_NAME.search(name):
                found.setdefault(fold(name), name)
    return tuple(found.values())


def _cut(value: str) -> str:
    """A text without what stands before and behind the names."""
    value = _REVIEWED.split(value)[0] or value
    value = _FIRST_WORDS.sub("", value, count=1)
    value = named_author(value) or value
    return _TAIL.split(value, maxsplit=1)[0].strip(" ,;:&")


def _split_names(value: str) -> list[str]:
    if "://" in value:
        return []
    if _commas_separate(value):
        value = value.replace(", ", ";")
    return _between_names().split(value)


@cache
def _between_names() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:;|\||,\s+and\s|\s+(?:{any_of('and')}|&)\s+)\s*")


def _commas_separate(value: str) -> bool:
    """Whether commas separate names of several words each: "Ann Lee, Bo Chan", not "Lee, Ann"."""
    parts = value.split(", ")
    return (
        len(parts) > 1
        and all(" " in part[1:-1] and "," not in part for part in parts)
        and not any(_role().search(part) for part in parts)
    )


def _clean_name(text: str) -> str:
    """The name in a text that may be anything; empty if it is none."""
    text = text.strip(" ,;:.&~-")
    name = "" if fold(text) in _labels() else _drop_role(text)
    return name if name and _reads_as_name(name) else ""


def _drop_role(name: str) -> str:
    """A name without the role, date or account behind it: "Ann Lee, Senior Editor"."""
    name = _ACCOUNTS.sub("", name)
    if behind := _BEHIND.search(name):
        name = name[: behind.start()]
    if when := _date_start(name):
        name = name[:when]
    if role := _role().search(name):
        name = name[: role.start()]
    return name.strip(" ,;:.–—-")


@cache
def _role() -> re.Pattern[str]:
    """A role, with the words that go before it: ", Senior Staff Writer", " Guest author"."""
    return re.compile(
        rf"(?:,\s+(?:[\w&/-]+\s+){{0,5}}|\s+(?:(?:Senior|Staff|Deputy|Guest|Former|Chief|Managing|"
        rf"Associate|Contributing|Freelance|Lead|Head)\s+)*|^){any_of('author_role')}(?!\w)(?:.*)$",
        re.I,
    )


def _date_start(name: str) -> int:
    """Where a date or a time begins in a text that has one; 0: nowhere."""
    digit = re.search(r"\s(?:[^\W\d_]{3,9}\.?\s)?\d", name)
    if digit is None:
        return 0
    word = name[digit.start() :].split()[0].strip(".").casefold()
    return (
        digit.start() if word[:1].isdigit() or word in _dates.month_numbers() else digit.end() - 1
    )


def _reads_as_name(name: str) -> bool:
    """Whether a text may be a name: few words that begin as names do, and no sentence."""
    words = name.split()
    if len(words) > _MOST_WORDS or len(name) > _LONGEST or _SENTENCE.search(name + " "):
        return False
    if fold(name) in _labels():
        return False
    if len(words) == 1:
        return True
    lower = [w for w in words if w[0].islower() and len(w) > 3 and "'" not in w and "’" not in w]
    return not lower and (words[0][0].isupper() or not words[0][0].islower())


@cache
def _labels() -> frozenset[str]:
    """What stands around names in forms and boxes, and is none."""
    return frozenset(map(fold, phrases("not_author")))
