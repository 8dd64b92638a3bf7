"""The metadata of an article, and the rule that found each field.

The Article Clipper has only the title. The rest follows the vocabularies that publishers use:
schema.org (JSON-LD and microdata), Open Graph with its `article:` names, Dublin Core and Highwire's
`citation_`; without any of these, `<time>`, the byline and the address. `Metadata.sources` gives
the rule of each field, such as "json-ld datePublished".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from tearsheet.addresses import address_path, is_web_address, site_name, web_address
from tearsheet.components import _dates, facts, next_page, print_link, title
from tearsheet.components._compare import fold
from tearsheet.components._head import Head, read_head
from tearsheet.components._links import Links, read_links
from tearsheet.components._named_rows import rows_named
from tearsheet.components._wording import publication_word
from tearsheet.components.authors import find_authors, read_names
from tearsheet.json_ld import node_types
from tearsheet.segments import count_words
from tearsheet.tags import CODES
from tearsheet.types import Metadata, Page, Segments, Verdict
from tearsheet.writing import is_right_to_left, unescape

SourcedValue: TypeAlias = tuple[Any, str]
"""A value and the rule that found it."""

WORDS_A_MINUTE: Final = 238
"""Silent reading of non-fiction (Brysbaert, Journal of Memory and Language 109, 2019)."""
_READING: Final = f"{WORDS_A_MINUTE} words a minute"
_LISTS: Final = ("forum", "collection", "listing")
_LISTED: Final = 0.3  # share from which a page may be of such a type
"""The page types that mostly continue on further pages."""
_PUBLISHED: Final = (
    "article:published_time", "og:published_time", "og:article:published_time", "datepublished",
    "date.issued", "dc.date.issued", "dcterms.created", "dcterms.issued", "dc.date", "dcterms.date",
    "citation_publication_date", "citation_online_date", "citation_date", "parsely-pub-date",
    "sailthru.date", "pubdate", "publish-date", "publish_date", "publication_date", "publishdate",
    "cxenseparse:recs:publishtime", "cxenseparse:publishtime", "article.published", "pub_date",
    "originalpublicationdate", "article_date_original", "bt:pubdate", "date", "created",
)  # fmt: skip
_MODIFIED: Final = (
    "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "lastmod", "article.updated", "updated", "revised",
)  # fmt: skip
_URL_DATE: Final = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[/\-_.]?(0[1-9]|1[0-2])[/\-_.]?(0[1-9]|[12]\d|3[01])(?!\d)"
)
_NEAR: Final = 12  # segments after the title that may have a byline or a date
_LINE: Final = 120  # most characters of a line with a date or a byline
_SHORT: Final = 48  # most characters of a line that is hardly more than a date
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_META_PUBLISHED: Final = re.compile(
    r"publi[a-z]*[-_.:]?(?:date|time|on)|pub[-_.]?date|date[-_.]?publi"
)
_MARKED_PROPERTY: Final = re.compile(
    r' (?:itemprop|property|class)="[^"]*\b(?:datePublished|dateCreated|dc:date|dc:created|'
    r'dcterms:(?:date|created|issued)|dt-published|published\b(?=[^"]*" title=))'
)
_PROPERTY_HINTS: Final = (
    "datePublished", "dateCreated", "dc:date", "dc:created", "dcterms:", "published",
)  # fmt: skip
_DATELINE: Final = re.compile(
    r"(?=[^\W\d_])([^–—:-]{0,40}(?:19|20)\d\d)(?:\s*(?:\([^)]{2,30}\)|/[^/]{2,30}/))?\s*(?:--|[–—:]|-\s)"
)
_DATE_ROWS: Final = 50
"""Most rows of an element that is a date. Elements left open hold all that comes after them, and
reading each would take the square of the time."""
_DATE_LENGTH: Final = 2_000
"""Most characters of it, with all white space."""
_MARKED_DATE: Final = re.compile(r"publish|posted|entry-date|post-date|date|time", re.I)


def read_metadata(
    page: Page,
    segments: Segments,
    verdict: Verdict,
    pages: Literal["auto", "one", "all"] = "auto",
    print_page: Literal["auto", "never"] = "auto",
) -> Metadata:
    """The metadata of the article of a page, without asking the network.

    `print_url` and `next_url` are candidates that only the network can confirm; they are looked for
    if they would be followed.
    """
    head, links = read_head(page), read_links(page)
    heading = title.find_title(page, segments, verdict, head)
    near = _near_title(segments, verdict, heading.row)
    language, language_rule = _language(page, head)
    found: dict[str, SourcedValue] = {
        "title": (heading.text, heading.rule),
        "authors": find_authors(page, segments, near, head),
        "published": _find_publication(page, segments, near, heading.row, head, language),
        "modified": _date(head, _MODIFIED, "dateModified"),
        "site": _site(page, head),
        "section": _section(head),
        "tags": _tags(head),
        "language": (language, language_rule),
        "direction": _direction(page, segments, verdict, language),
        "description": _description(head),
        "canonical": _canonical(page, head),
        "licence": _licence(page, head, links),
        "lead_image": _lead_image(page, head),
        "print_url": (
            print_link.find_print_link(page, head, links) if print_page == "auto" else ("", "")
        ),
        "next_url": find_next_url(page, verdict, pages, links, head),
        "reading_minutes": (reading_minutes([(segments, verdict)]), _READING),
        "facts": (facts.read_facts(head), "json-ld"),
        "ingredients": (facts.read_ingredients(page, head), "json-ld, or a list named so"),
    }
    return _build(found)


def _build(found: dict[str, SourcedValue]) -> Metadata:
    """The values that are not empty, each with the rule that found it as its source."""
    known = {name: (value, rule) for name, (value, rule) in found.items() if value}
    return Metadata(
        **{name: value for name, (value, _) in known.items()},
        sources={name: rule for name, (_, rule) in known.items()},
    )


def read_field(field: str, text: str) -> Any:
    """The title, authors or date in a line that somebody pointed at.

    >>> read_field("authors", "By Ada Byron and Mary Somerville")
    ('Ada Byron', 'Mary Somerville')
    """
    if field == "authors":
        return read_names([text]) or tuple(filter(None, [" ".join(text.split())]))
    return (_dates.read_date(text) or text.strip() or None) if field == "published" else text


def reading_minutes(texts: Iterable[tuple[Segments, Verdict]]) -> int | None:
    """The minutes that it takes to read the kept text of one page or of several."""
    words = 0
    for segments, verdict in texts:
        words += int(segments.words[verdict.keep].sum())
        words += sum(map(count_words, verdict.extra_text))
    return minutes_of(words)


def minutes_of(words: int) -> int | None:
    """The minutes that it takes to read so many words.

    >>> minutes_of(1000), minutes_of(3), minutes_of(0)
    (4, 1, None)
    """
    return max(1, round(words / WORDS_A_MINUTE)) if words else None


def find_next_url(
    page: Page,
    verdict: Verdict,
    pages: Literal["auto", "one", "all"],
    links: Links | None = None,
    head: Head | None = None,
) -> SourcedValue:
    """The candidate for the next page, and its rule; threads and listings have more kinds."""
    if pages == "one":
        return "", ""
    kind = verdict.page_type
    listed = sum(kind.get(name, 0.0) for name in _LISTS) > _LISTED
    return next_page.find_next_page(
        page, links, head, everything=pages == "all" or listed, article=bool(kind) and not listed
    )


def _near_title(segments: Segments, verdict: Verdict, row: int) -> list[int]:
    """The segments that may have a byline or a date: around the title, or before the text."""
    start = int(np.argmax(verdict.keep)) if len(segments) else 0
    at = int(np.searchsorted(segments.last, row)) if row >= 0 else start
    return list(range(max(0, at - _NEAR // 3), min(len(segments), at + _NEAR)))


def _value_text(value: Any) -> str:
    """A value of JSON-LD as text: itself, its name, or the first of a list."""
    for _ in range(4):
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or value.get("url") or ""
    return title.clean_text(value) if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    """The texts of a value of JSON-LD: a text, an object, or a list of either."""
    return [_value_text(item) for item in (value if isinstance(value, list) else [value])]


def _first(found: Iterable[SourcedValue]) -> SourcedValue:
    """The first with a value; two empty strings without one."""
    return next((item for item in found if item[0]), ("", ""))


# --- dates


def _date(head: Head, metas: tuple[str, ...], key: str) -> SourcedValue:
    return _first(_dates_in_head(head, metas, key))


def _dates_in_head(head: Head, metas: tuple[str, ...], key: str) -> Iterator[SourcedValue]:
    yield _dates.read_date(_value_text(head.article.get(key))), f"json-ld {key}"
    for name in metas:
        for value in head.meta.get(name, ()):
            yield _dates.read_date(value), f"meta {name}"


def _find_publication(
    page: Page, segments: Segments, near: list[int], row: int, head: Head, language: str
) -> SourcedValue:
    month_first = language.casefold() in ("en-us", "en")
    when, rule = _first(_dates_in_head(head, _PUBLISHED, "datePublished"))
    if when and when[:10] != (_date(head, _MODIFIED, "dateModified")[0] or "")[:10]:
        return when, rule
    beside = _first(_dates_in_lines(segments, near, month_first, "date by the title"))
    if when:  # a rebuilt page declares that day for both dates; readers see the older one
        below = [i for i in near if segments.first[i] > row >= 0 and segments.chars[i] <= _SHORT]
        shown = _first(_dates_in_lines(segments, below, month_first, "date below the title"))
        is_older = shown[0] and shown[0] < when[:10] and not _is_swapped(shown[0], when)
        return shown if is_older else (when, rule)
    return _first(_other_dates(page, segments, near, head, month_first, beside))


def _is_swapped(shown: str, declared: str) -> bool:
    """Whether a date may be the declared one with day and month the other way round: 02/11."""
    return shown[:4] + shown[7:10] + shown[4:7] == declared[:10]


def _other_dates(
    page: Page,
    segments: Segments,
    near: list[int],
    head: Head,
    month_first: bool,
    beside: SourcedValue,
) -> Iterator[SourcedValue]:
    for name in head.meta:
        if _META_PUBLISHED.search(name):
            yield _dates.read_date(head.first(name)[0]), f"meta {name}"
    yield from _marked_elements(page)
    yield from _time_elements(page)
    for node in head.nodes:
        yield (
            _dates.read_date(_value_text(node.get("datePublished"))),
            "json-ld datePublished of the page",
        )
    yield beside
    yield from _datelines(segments, near)
    if match := _URL_DATE.search(address_path(page.url or "")):
        yield _dates.read_date("-".join(match.groups())), "date in the address"
    short = np.flatnonzero(segments.chars <= _SHORT).tolist()
    short = [i for i in short if i >= near[0]] if near else short
    short = [i for i in short if _YEAR.search(segments.text[i])]  # few: the words are many
    posted = [i for i in short if publication_word().search(segments.text[i])]
    yield from _dates_in_lines(segments, posted, month_first, "date of publication in the text")
    yield from _dates_in_lines(segments, short, month_first, "date in the text")
    yield _date(head, _MODIFIED, "dateModified")


def _dates_in_lines(
    segments: Segments, lines: list[int], month_first: bool, rule: str
) -> Iterator[SourcedValue]:
    """The dates in those of the lines that are short."""
    for i in lines:
        if segments.chars[i] <= _LINE and _YEAR.search(segments.text[i]):
            yield _dates.read_date(segments.text[i], month_first=month_first), rule


def _datelines(segments: Segments, near: list[int]) -> Iterator[SourcedValue]:
    """A date that opens a paragraph: "PARIS, 3 May 2012 – The harbour …"."""
    for i in near:
        if opening := _DATELINE.match(segments.text[i]):
            yield _dates.read_date(opening[1]), "dateline"


def _marked_elements(page: Page) -> Iterator[SourcedValue]:
    """The dates of elements that RDFa, microdata or hAtom mark as that of publication."""
    for row in rows_named(page, _PROPERTY_HINTS, _MARKED_PROPERTY):
        given = page.attributes(row)
        value = given.get("content") or given.get("datetime") or given.get("title") or ""
        yield (
            _dates.read_date(value) or _dates.read_date(_read_short(page, row)),
            "element marked as the date of publication",
        )


def _read_short(page: Page, row: int) -> str:
    """The text of an element if it is short enough for a date."""
    return page.short_text(row, _DATE_LENGTH) if page.end[row] - row <= _DATE_ROWS else ""


def _time_elements(page: Page) -> Iterator[SourcedValue]:
    """The dates of `<time>` elements; those that are marked as the date of publication first."""
    rows = page.rows(CODES["time"])
    marked = [row for row in rows if _MARKED_DATE.search(page.attrs[row].replace("datetime", ""))]
    for row in (*marked, *rows):
        text = page.attribute(row, "datetime") or _read_short(page, row)
        yield _dates.read_date(text), "time element"


# --- site, section, tags, description


def _site(page: Page, head: Head) -> SourcedValue:
    return _first(_sites(page, head))


def _sites(page: Page, head: Head) -> Iterator[SourcedValue]:
    yield title.clean_text(head.first("og:site_name")[0]), "og:site_name"
    yield _value_name(head.article.get("publisher")), "json-ld publisher"
    for node in head.nodes:
        if "WebSite" in node_types(node):
            yield _value_name(node), "json-ld WebSite"
    for name in ("application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher"):
        yield title.clean_text(head.first(name)[0]), f"meta {name}"
    yield site_name(page.url), "address"


def _value_name(value: Any) -> str:
    text = _value_text(value)
    return "" if "://" in text else text


def _section(head: Head) -> SourcedValue:
    section, name = head.first(
        "article:section", "og:article:section", "section", "parsely-section"
    )
    return _first(
        (
            (_value_text(head.article.get("articleSection")), "json-ld articleSection"),
            (title.clean_text(section), f"meta {name}"),
        )
    )


def _tags(head: Head) -> SourcedValue:
    return _first(
        (
            (_split_list(_texts(head.article.get("keywords"))), "json-ld keywords"),
            (_split_list(head.meta.get("article:tag", ())), "meta article:tag"),
            (_split_list(head.meta.get("news_keywords", ())), "meta news_keywords"),
            (_split_list(head.meta.get("keywords", ())), "meta keywords"),
        )
    )


def _split_list(values: Iterable[str]) -> tuple[str, ...]:
    """The words of comma-separated lists, each once."""
    found: dict[str, str] = {}
    for value in values:
        for word in re.split(r"[,;，、]", value):
            word = title.clean_text(word)
            if word and not is_web_address(word):
                found.setdefault(fold(word), word)
    return tuple(found.values())


def _description(head: Head) -> SourcedValue:
    return _first(
        (title.clean_text(head.first(name)[0]), f"meta {name}")
        for name in ("og:description", "description", "twitter:description", "dc.description")
    )


# --- language and direction


def _language(page: Page, head: Head) -> tuple[str, str]:
    root = page.rows(CODES["html"])[:1]
    body = page.rows(CODES["body"])[:1]
    for row in (*root, *body):
        for name in ("lang", "xml:lang"):
            if code := _language_code(page.attribute(row, name) or ""):
                return code, "html lang"
    for name in ("content-language", "og:locale", "dc.language", "dcterms.language", "language"):
        for value in head.meta.get(name, ()):
            if code := _language_code(value):
                return code, f"meta {name}"
    if code := _language_code(_value_text(head.article.get("inLanguage"))):
        return code, "json-ld inLanguage"
    return "", ""


_LANGUAGE: Final = re.compile(r"^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?$", re.I)


def _language_code(value: str) -> str:
    """A BCP 47 code in its usual spelling; empty if it is no such code.

    >>> _language_code("en_us"), _language_code("zh-hans-CN"), _language_code("English")
    ('en-US', 'zh-Hans-CN', '')
    """
    match = _LANGUAGE.match(value.split(",")[0].strip())
    if not match:
        return ""
    language, script, region = match.groups()
    parts = (language.lower(), script and script.title(), region and region.upper())
    return "-".join(part for part in parts if part)


def _direction(
    page: Page, segments: Segments, verdict: Verdict, language: str
) -> tuple[Literal["ltr", "rtl"], str]:
    """The direction that holds for the longest kept line, by the elements around it."""
    kept = np.flatnonzero(verdict.keep)
    if len(kept):
        longest = int(segments.first[kept[np.argmax(segments.chars[kept])]])
        around = list(page.ancestors(longest))
    else:
        around = [*page.rows(CODES["body"])[:1], *page.rows(CODES["html"])[:1]]
    for row in around:
        written = (page.attribute(row, "dir") or "").strip().lower()
        if written == "rtl":
            return "rtl", "html dir"
        if written == "ltr":
            return "ltr", "html dir"
    if is_right_to_left(language):
        return "rtl", "language"
    return "ltr", "default"


# --- addresses and rights


def _canonical(page: Page, head: Head) -> SourcedValue:
    for link in head.links:
        if "canonical" in link.rel.split():
            return web_address(page.base_url, link.href), "link canonical"
    return web_address(page.base_url, head.first("og:url")[0]), "og:url"


def _licence(page: Page, head: Head, links: Links) -> SourcedValue:
    for link in head.links:
        if "license" in link.rel.split():
            return web_address(page.base_url, link.href), "link license"
    named = [row for row in links.rows if "license" in page.attrs[row]]
    for row in named:
        if page.tag[row] == CODES["a"] and "license" in (page.attribute(row, "rel") or "").split():
            return web_address(page.base_url, page.attribute(row, "href") or ""), "a rel=license"
    declared_licence = _value_text(head.article.get("license"))
    if declared_licence:
        return declared_licence, "json-ld license"
    text, name = head.first("dcterms.license", "dc.rights.license", "dcterms.rights")
    return unescape(text), f"meta {name}"


def _lead_image(page: Page, head: Head) -> SourcedValue:
    image, name = head.first("og:image", "og:image:url", "og:image:secure_url", "twitter:image")
    if image:
        return web_address(page.base_url, image), name
    value = head.article.get("image")
    for _ in range(3):
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, dict):
            value = value.get("url") or value.get("contentUrl") or ""
    return (
        (web_address(page.base_url, value), "json-ld image") if isinstance(value, str) else ("", "")
    )
