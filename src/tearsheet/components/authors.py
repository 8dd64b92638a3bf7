"""Who wrote an article, and the rule that found it.

The declarations of the page (JSON-LD, microdata, `<meta>`) come first, then the byline by the
title, links to an author's page there, and elements that are named for an author. A name in JSON-LD
wins even if it is one word; otherwise a person wins over an organisation or the site. A name that
is nobody's ("Name *", "Written by", "August") is dropped: no author is better than a wrong one."""

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
from tearsheet.components._wording import named_author, publication_word
from tearsheet.components.title import clean_text, site_names
from tearsheet.json_ld import Node, node_types
from tearsheet.languages import any_of, phrases
from tearsheet.segments import find_texts
from tearsheet.tags import CODES, HEADINGS
from tearsheet.types import Bools, Ints, Page, Segments

Values: TypeAlias = tuple[list[str], str]
"""Texts that may hold names, and the rule that found them."""

_METAS: Final = (
    "author", "article:author", "og:author", "dc.creator", "dcterms.creator",
    "dc.contributor.author", "citation_author", "parsely-author", "sailthru.author",
    "article.author", "byl", "cxenseparse:author", "creator", "twitter:creator:name",
    "article:author_name",
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
    "cookie", "share", "social", "taboola", "outbrain", "more-stor", "more-from", "read-next",
    "up-next", "bookmark",
)  # fmt: skip
"""Parts of a page whose authors are other people's: of comments, other articles, forms."""
_IS_ELSEWHERE: Final = re.compile(
    rf' (?:class|id|role)="[^"]*?(?:{"|".join(_ELSEWHERE_WORDS)})| itemprop="(?:comment|review)"'
)
_FOREIGN: Final = ("form", "footer", "nav", "aside")
_ARTICLE, _FOOTER = CODES["article"], CODES["footer"]
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
    r"^\(|https?:|www\.|\S@|@\S|[*=<>{}#]|\b(?:undefined|null)\b|\w\.[a-z]+\.[a-z]+$|^\W*\d[\d\W]*$|"
    r"^(?:admin|administrator|anonymous|guest|system|user|unknown|none|developer|taboola|outbrain)$",
    re.I,
)
_ACCOUNT: Final = re.compile(
    r"(?=.{5})[a-z][a-z\d]*(?:[._-][a-z\d]+)*(?<!\.[a-z]{2})(?<!\.[a-z]{3})"
)
"""A log-in name, all in small letters; not an agency ("dpa") or a host."""
_NUMBER: Final = re.compile(r"\d{2}")
_TAIL: Final = re.compile(r"\s[|•·⋅–—/]|[•·⋅|]\s|\s-\s|\s*\(|\s+@\w+|\n")
"""Beginnings of texts that are not names: places, sites, roles, accounts."""
_DECLARED_TAIL: Final = re.compile(r"\s[|•·⋅]|[•·⋅|]\s|\s[–—/-]\s|\s+@\w+|\n")
_FIRST_WORDS: Final = re.compile(r"^(?:[^\W\d_]+\s){0,2}[Bb][Yy]\b[:\s]*(?=\S)")
_SENTENCE: Final = re.compile(r"[^\W\d_]{4,}[.!?]\s+[^\W\d_]{3,}\s+[^\W\d_]{2,}\s")
_ACCOUNTS: Final = re.compile(
    r"[\s,]*\b(?:twitter|facebook|instagram|linkedin|mastodon|bluesky|email|e-mail|x\.com|rss)\b.*$",
    re.I,
)


_CAPITALISED: Final = re.compile(
    r"[^\W\d_a-zß-ÿ][^\W\d_]+(?:[ -](?:[^\W\d_a-zß-ÿ]\.|[^\W\d_a-zß-ÿ][^\W\d_]*[a-zß-ÿ])){1,2}"
)
_BEHIND: Final = re.compile(r"(?:\s[a-z]+)*\s(?i:on|in|at|updated|»|«|›)(?:\s|$)")
"""Words that continue a line after a name: "Ann Lee on Friday", "Ann Lee in Woodworking"."""
_STROKE: Final = re.compile(r"\s+[|•·⋅]\s+")
_AFTER_NUMBER: Final = re.compile(r".*\d(?:\s?[ap]\.?m\.?)?\W+(\D{5,80})$", re.I)
_SLASH: Final = re.compile(r"\w \w[^/]*/[^/\s]+ \w")
"""Two names of several words each, with a slash between them."""
_CJK_NAME: Final = re.compile(r"[\u4e00-\u9fff\uac00-\ud7af]{2,5}")
_INITIALS: Final = re.compile(r"[A-Z]{1,3}")
_ITEM_AUTHOR: Final = re.compile(r' itemprop="(?:[^"]*\s)?(?:author|creator)["\s]')
_ITEM_NAME: Final = re.compile(r' itemprop="(?:[^"]*\s)?name["\s]')
_NAMED_LENGTH: Final = 2_000  # most characters of an element that is a name, with all white space
_ITEM_ROWS: Final = 20  # rows of an author's element in which the name is looked for
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
        if any(_is_sure(name, rule, sites) for name in found):
            return found, rule
        second = second if second[0] else (found, rule)
    return second


_GUESSES: Final = ("author element", "name beside the date", "closing byline")
_ORGANISATION: Final = "json-ld author, an organisation"
_ONE_WORD: Final = ("json-ld author", "json-ld creator", "microdata author", "byline")
"""Rules whose names may be one word, such as "Sally"."""


def _is_sure(name: str, rule: str, sites: Mapping[str, str]) -> bool:
    """Whether a name ends the search: it is a person's, not that of the site, a group or an
    account."""
    words = fold(name).split()
    if rule == _ORGANISATION or only_letters(name) in sites:
        return False
    if any(word in _groups() for word in words) or _ACCOUNT.fullmatch(name):
        return False
    return len(words) > 1 or rule in _ONE_WORD or _CJK_NAME.fullmatch(name) is not None


def _is_site(names: tuple[str, ...], sites: Mapping[str, str]) -> bool:
    return all(only_letters(name) in sites for name in names)


@cache
def _groups() -> frozenset[str]:
    return frozenset(map(fold, phrases("author_group")))


def _find_values(page: Page, segments: Segments, near: list[int], head: Head) -> Iterator[Values]:
    """The texts of each rule, the best rule first."""
    yield from _read_declared(head)
    own = ~_rows_elsewhere(page, segments, near)
    yield from _read_microdata(page, own)
    lines = [i for i in near if segments.chars[i] <= _LINE]
    bylines = [part for i in lines for part in _byline_parts(segments.text[i])]
    reviewed = [part for part in bylines if _REVIEWED.match(part)]
    yield from _read_bylines(part for part in bylines if part not in reviewed)
    for i in lines[:-1]:
        if i + 1 in lines and _is_label(segments.text[i]):
            yield [segments.text[i + 1]], "line below a byline's label"
    yield from _read_links(page, segments, near, own)
    yield from _read_elements(page, segments, near, own)
    yield from _read_bylines(reviewed)  # of a review, it is the author
    yield from _read_beside_date(page, segments, near)
    yield from _read_closing(segments, own)


def _read_bylines(parts: Iterable[str]) -> Iterator[Values]:
    for part in parts:
        if name := named_author(part):
            yield [name], "byline"


def _byline_parts(line: str) -> Iterator[str]:
    """A line, its parts between strokes, and what follows a date or a time in it."""
    yield line
    yield from _STROKE.split(line)[1:]
    if behind := _AFTER_NUMBER.match(line):
        yield behind[1]


def _read_beside_date(page: Page, segments: Segments, near: list[int]) -> Iterator[Values]:
    """A line of two or three capitalised words by the title, with a date or a role before or
    behind it, or a date in the same line after a stroke."""
    for i in near[1:-1]:
        text = segments.text[i]
        is_plain = not any(HEADINGS[page.tag[row]] for row in _two_above(page, segments, i))
        if not is_plain or segments.chars[i] > _LINE or segments.link_chars[i] >= segments.chars[i]:
            continue
        if _CAPITALISED.fullmatch(text):
            before, behind = segments.text[i - 1], segments.text[i + 1]
            is_beside = _is_date_line(before) or _is_date_line(behind) or _is_role_line(behind)
            if is_beside:
                yield [text], "name beside the date"
        elif len(parts := _STROKE.split(text)) > 1 and any(map(_is_date_line, parts)):
            names = map(_drop_role, parts)
            yield [name for name in names if _CAPITALISED.fullmatch(name)], "name beside the date"


def _is_date_line(text: str) -> bool:
    return len(text) <= _LINE and bool(_dates.read_date(text))


def _is_role_line(text: str) -> bool:
    """Whether a short line is what somebody does: "Senior Editor"."""
    return len(text) <= _LONGEST and _role().match(text) is not None


def _two_above(page: Page, segments: Segments, i: int) -> list[int]:
    return list(islice(page.ancestors(int(segments.first[i])), 2))


def _read_closing(segments: Segments, own: Bools) -> Iterator[Values]:
    """Short lines anywhere that name who wrote the text, or stand before the name."""
    for i in np.flatnonzero((segments.chars <= _LONGEST) & own[segments.first]).tolist():
        text = segments.text[i]
        if not _writer_phrase().match(text):
            continue
        if name := named_author(text):
            yield [name], "closing byline"
        elif i + 1 < len(segments) and _CAPITALISED.fullmatch(segments.text[i + 1]):
            yield [segments.text[i + 1]], "closing byline"


@cache
def _writer_phrase() -> re.Pattern[str]:
    return re.compile(rf"^{any_of('byline_verb')}\s+{any_of('byline')}\b", re.I)


def _read_declared(head: Head) -> Iterator[Values]:
    recipes = [node for node in head.nodes if "Recipe" in node_types(node)]
    for node in (head.article, *recipes[:1]):
        for key in ("author", "creator"):
            people = _resolve(node.get(key), head.nodes)
            groups = [one for one in people if _ORGANISATIONS.intersection(node_types(one))]
            rule = _ORGANISATION if groups and len(groups) == len(people) else f"json-ld {key}"
            names = [str(one.get("name") or "") for one in people]
            yield (names if node in recipes else _drop_accounts(names)), rule
    for name in _METAS:
        if name in head.meta:
            yield list(head.meta[name]), f"meta {name}"


def _drop_accounts(names: Iterable[str]) -> list[str]:
    """The names without those that the site's programs use; readers' recipes have no others."""
    return [name for name in names if not _ACCOUNT.fullmatch(name)]


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


def _rows_elsewhere(page: Page, segments: Segments, near: list[int]) -> Bools:
    """Which rows lie in comments, forms, footers, menus, and lists of other articles."""
    inside = np.zeros(len(page), dtype=np.bool_)
    hinted = find_texts(page.all_attrs, _ELSEWHERE_WORDS, any_case=True)
    named = [at for at in hinted if _is_elsewhere(page.all_attrs[at].lower())]
    rows = page.rows_with(named)
    articles = [(row, int(page.end[row])) for row in page.rows(_ARTICLE)]
    by_title = segments.first[near]
    homes = [ours for ours in articles if _has_any(by_title, *ours)]
    foreign = [row for row, _ in articles if homes] if len(articles) > 1 else []
    foreign = [row for row in foreign if not _has_any(by_title, row, int(page.end[row]))]
    for row in (*rows, *foreign, *page.rows(*(CODES[name] for name in _FOREIGN))):
        end = int(page.end[row])
        if page.tag[row] == _FOOTER and any(first < row < last for first, last in homes):
            continue  # the article's own
        if end - row < len(page) / 2:  # the body may be named so, too
            inside[row:end] = True
    return inside


def _is_elsewhere(low: str) -> bool:
    """Whether these attributes, in lower case, name such a part of a page."""
    return _IS_ELSEWHERE.search(low) is not None


def _has_any(rows: Ints, first: int, end: int) -> bool:
    return bool(((rows >= first) & (rows < end)).any())


def _read_microdata(page: Page, own: Bools) -> Iterator[Values]:
    """The names of elements that microdata marks as the author."""
    names = []
    for row in rows_named(page, ("itemprop",), _ITEM_AUTHOR):
        if own[row]:
            inner = range(row + 1, min(int(page.end[row]), row + _ITEM_ROWS))
            named = next((at for at in inner if _ITEM_NAME.search(page.attrs[at])), row)
            text = page.attribute(named, "content") or page.short_text(named, _NAMED_LENGTH)
            names.append(text if len(text) <= _LINE else "")
    yield names[:_ELEMENTS], "microdata author"


def _read_links(page: Page, segments: Segments, near: list[int], own: Bools) -> Iterator[Values]:
    """Links by the title that lead to somebody's page, but not to who reviewed the text."""
    if not near:
        return
    first, last = int(segments.first[near[0]]), int(segments.last[near[-1]])
    names = []
    for row in page.rows(CODES["a"]):
        if first <= row <= last and own[row] and "href" in page.attrs[row]:
            text = page.short_text(row, _NAMED_LENGTH)
            if text and _AUTHOR_ADDRESS.search(page.attribute(row, "href") or ""):
                names.append("" if _is_reviewer(segments, row, text) else text)
    whole = [name for name in names if not _INITIALS.fullmatch(name)]
    yield (whole or names)[:_ELEMENTS], "link to an author by the title"


def _is_reviewer(segments: Segments, row: int, name: str) -> bool:
    """Whether a link stands behind words such as "Reviewed by"."""
    i = int(segments.last.searchsorted(row))
    before = segments.text[i].split(name)[0] if i < len(segments) else ""
    label = segments.text[i - 1] if not before.strip() and 0 < i <= len(segments) else ""
    return _REVIEWED.search(f"{label[-_LONGEST:]} {before} ") is not None


def _read_elements(page: Page, segments: Segments, near: list[int], own: Bools) -> Iterator[Values]:
    """The lines of elements whose class, property or relation names an author; those near the
    title first."""
    named = rows_named(page, ("author", "byline"), _CLASS_AUTHOR)
    rows = [row for row in named if own[row]]
    first = int(segments.first[near[0]]) if near else 0
    last = int(segments.last[near[-1]]) if near else -1
    for row in sorted(rows, key=lambda row: not first <= row <= last)[:_ELEMENTS]:
        start, stop = segments.first.searchsorted([row, page.end[row]]).tolist()
        lines = segments.text[start:stop] or [page.inner_text(row)]  # else it is within a line
        if sum(map(len, lines)) <= 2 * _LONGEST:
            yield from (([line], "author element") for line in lines if len(line) > 2)


def read_names(values: Iterable[str], *, strict: bool = False) -> tuple[str, ...]:
    """The names in texts with one or several of them, each once.

    `strict`: only what is written as a name is, for texts that may be anything; else the texts are
    declared to be names.

    >>> read_names(["By Ann Lee and Bo Chan", "Ann Lee", "https://example.org/ann"])
    ('Ann Lee', 'Bo Chan')
    >>> read_names(["Ann Lee, Senior Writer", "Name *", "Posted by Cy Fox 3 May 2024"], strict=True)
    ('Ann Lee', 'Cy Fox')
    """
    found: dict[str, str] = {}
    for value in values:
        text = _button().sub("", clean_text(value))
        for name in _split_names(_cut_name(text) if strict else _cut_declared(text), strict):
            name = _clean_name(name) if strict else _clean_declared(name)
            if 1 < len(name) <= 80 and not _NOT_A_NAME.search(name) and not _is_date_word(name):
                found.setdefault(fold(name), name)
    return tuple(found.values())


@cache
def _button() -> re.Pattern[str]:
    """The word of a button before or behind a name of two words or more."""
    word = any_of("author_button")
    return re.compile(rf"^(?i:{word})\s+(?=[^\W\d_a-z]\S*\s\S)|(?<=\S\s)(?i:{word})$")


_ORNAMENT: Final = re.compile(
    '[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]+|(?<=\\S )["“][^"“”]{1,30}["”] (?=\\w)'
)
"""Pictures, and a nickname between two names."""


def _cut_name(value: str) -> str:
    """A text without what is before and after the names."""
    value = _ORNAMENT.sub("", _REVIEWED.split(value)[0] or value)
    value = _FIRST_WORDS.sub("", value, count=1)
    value = named_author(value) or value
    return _TAIL.split(value, maxsplit=1)[0].strip(" ,;:&")


def _cut_declared(value: str) -> str:
    """A declared name without what follows it, such as a reviewer, a role or titles."""
    value = _REVIEWED.split(value)[0] or value
    value = named_author(value) or value
    value = _DECLARED_TAIL.split(value, maxsplit=1)[0].strip(" ,;:&")
    first, comma, _ = value.partition(", ")  # somebody with all their titles
    is_long = len(value) > _LONGEST and " " in first and not _commas_separate(value)
    return first if comma and is_long else value


def _split_names(value: str, strict: bool) -> list[str]:
    if "://" in value:
        return []
    if _commas_separate(value):
        value = value.replace(", ", ";")
    if strict and _SLASH.search(value):
        value = value.replace("/", ";")
    names = _between_names().split(value)
    is_one = not strict and not any(" " in name.strip() for name in names[:1])
    return [value] if is_one else names


@cache
def _between_names() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:;|\||,\s+and\s|\s+(?:{any_of('and')}|&)\s+)\s*")


def _commas_separate(value: str) -> bool:
    """Whether commas are between names of several words each, as in "Ann Lee, Bo Chan" but not in
    "Lee, Ann" or "Ann Lee, MD PhD"."""
    parts = value.split(", ")
    return (
        len(parts) > 1
        and all(" " in part[1:-1] and "," not in part for part in parts)
        and not any(_role().search(part) for part in parts)
        and (value.isupper() or not any(part.isupper() for part in parts))
    )


def _is_date_word(name: str) -> bool:
    """Whether a name begins as a date or a label of one does: "August", "Published"."""
    words = fold(name).split()
    return (len(words) == 1 and words[0].strip(".") in _dates.month_numbers()) or bool(
        words and publication_word().match(words[0])
    )


def _clean_declared(name: str) -> str:
    """A declared name without the role, date or account that follows it."""
    name = name.strip(" ,")
    short = _ACCOUNTS.sub("", name)
    if (when := _date_start(short)) and _dates.read_date(short):
        short = short[:when]
    if role := _role().search(short):
        short = short[: role.start()]
    short = short.strip(" ,;:–—-")
    is_name = " " in short or (short and name[len(short) :].startswith(","))
    return short if is_name else name


def _clean_name(text: str) -> str:
    """The name in any text; empty if it contains none."""
    text = text.split("/")[0].strip(" ,;:.&~-")
    name = "" if fold(text) in _labels() else _drop_role(text)
    return name if name and not _NUMBER.search(name) and _reads_as_name(name) else ""


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
    """Words around names in forms and boxes that are not names."""
    return frozenset(map(fold, phrases("not_author")))
