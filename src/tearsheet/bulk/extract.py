"""Pages → rows. Pure: no network, no browser, no state but a warm model."""

from __future__ import annotations

import atexit
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from tearsheet import limits, plugins
from tearsheet.article import Article
from tearsheet.bulk.duplicates import minhash
from tearsheet.bulk.filters import Filters
from tearsheet.bulk.parts import ENCODER
from tearsheet.bulk.schema import CHOICES, COLUMNS, DOCUMENT, MINHASH, ROWS, RawPage
from tearsheet.bulk.templates import drop_template
from tearsheet.clip import DEFAULT_METHOD, build_article, judge
from tearsheet.components.role_lines import likeliest_roles
from tearsheet.components.text_language import detect_language
from tearsheet.deadline import Deadline
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.layout.json import plain_blocks, plain_metadata
from tearsheet.page import read_page
from tearsheet.pictures import attach_saved
from tearsheet.segments import count_words, segments
from tearsheet.types import ROLES, Options, Snapshot

if TYPE_CHECKING:
    from tearsheet.acquire.browser import Browser

_DRAWING: Final = 0.8
"""Share of a page's time that the browser gets, so that it can report an error before the process
is ended."""


_MARKUP: Final = re.compile(rb"\s*<[!?a-zA-Z]")
"""How a body begins that is not compressed: many archives keep the header that says it is."""
LONE: Final[Mapping[str, Any]] = {"pages": "one", "print_page": "never"}
"""The options of every page: bulk follows no links, so it does not look for any to follow."""


def _make_options() -> Options:
    return Options(**LONE)


@dataclass(frozen=True, slots=True)
class Settings:
    """The treatment of each page, and its limits."""

    method: str = DEFAULT_METHOD
    options: Options = field(default_factory=_make_options)
    form: str = ""
    """The format of the column `document`; empty: there is no such column."""
    columns: tuple[str, ...] = COLUMNS
    """The wanted columns about the article. Nothing else is computed."""
    seconds: float = limits.PAGE_SECONDS
    """Time for one page. One that takes longer is ended with its process."""
    memory: int = limits.WORKER_MEGABYTES
    """MB that a process may use."""
    render: bool = False
    """A browser draws each page first; it opens the address of a page without a body."""
    browser_memory: int = limits.BROWSER_MEGABYTES
    """MB that the browser of a process may use. A page that needs more ends the browser."""
    browser_pages: int = limits.BROWSER_PAGES
    """Pages after which a browser is replaced."""
    minhash: bool = False
    """Add the numbers by which near-duplicates are found."""
    templates: str = ""
    """Folder of what repeats on the pages of a site and is not content (module `templates`)."""
    filters: Filters = field(default_factory=Filters)
    """Which pages are wanted."""

    @property
    def schema(self) -> pa.Schema:
        """The columns that are written."""
        left_out = {*CHOICES} - {*self.columns}
        wanted = [field for field in ROWS if field.name not in left_out]
        return pa.schema([*wanted, *([DOCUMENT] if self.form else [])])


def warm_up(settings: Settings) -> None:
    """Loads what the first page would otherwise wait for."""
    plugins.load("methods", settings.method)
    if {"language", "language_score"} & {*settings.columns, *settings.filters.columns()}:
        _language("A sentence that is long enough to tell its language.")


def extract_rows(
    pages: Iterable[RawPage], settings: Settings | None = None
) -> Iterator[dict[str, Any]]:
    """The row of each page that the filters accept; `Settings.schema` has its columns."""
    settings = settings or Settings()
    for page in pages:
        row = make_row(page, settings)
        if not isinstance(row, str):
            yield row


def make_row(page: RawPage, settings: Settings) -> dict[str, Any] | str:
    """The row of one page, whatever happens to it: no exception leaves this function. If a
    filter refuses the page, the name of the filter."""
    known: dict[str, Any] = {name: getattr(page, name) for name in IDENTITY}
    known["method"] = settings.method
    if page.error:
        return known | {"error": page.error}
    began = clipped = time.perf_counter()
    try:
        article = _article(page, settings)
        clipped = time.perf_counter()
        found = _columns(article, settings)
        if isinstance(found, str):
            return found
        taken = {"clip": clipped - began, "set": time.perf_counter() - clipped}
        return known | found | {"timings": taken}
    except Exception as error:
        taken = {"clip": time.perf_counter() - began, "set": 0.0}
        return known | {"error": describe_error(error), "timings": taken}


IDENTITY: Final = (
    "source", "offset", "url", "captured", "record_id", "digest", "content_type", "status",
)  # fmt: skip


def survey_page(page: RawPage, settings: Settings) -> list[str]:
    """The segments of one page; none if it cannot be read, which its row will say."""
    if not page.error:
        with suppress(Exception):
            seen = read_page(_snapshot(page, settings.options), settings.options)
            return segments(seen, hidden=True).text
    return []


def describe_error(error: Exception) -> str:
    """An error as in the column `error`: `code: message`."""
    if isinstance(error, TearsheetError):
        return _encodable(f"{error.code}: {error}")
    if isinstance(error, MemoryError):
        return "limit: the page needs more memory than is allowed"
    return _encodable(f"internal: {type(error).__name__}: {error}")


def _article(page: RawPage, settings: Settings) -> Article:
    snapshot = _draw(page, settings) if settings.render else _snapshot(page, settings.options)
    deadline = Deadline(settings.options.timeout)
    seen = deadline.run(read_page, snapshot, settings.options)
    judged = judge(seen, settings.method, settings.options, deadline)
    if settings.templates:
        judged = drop_template(judged, page.url, settings.templates)
    article = build_article(judged, settings.options, deadline)
    return attach_saved(article, snapshot.resources)


def _draw(page: RawPage, settings: Settings) -> Snapshot:
    """The page as this process's browser draws it, with time left to report a failure."""
    from tearsheet.acquire.sources import acquire, render_snapshot

    options = replace(settings.options, timeout=_DRAWING * settings.seconds)
    browser = _browser(settings.browser_memory, settings.browser_pages)
    if page.body is None:
        options = replace(options, robots=False)
        return acquire(page.url or "", render=True, options=options, browser=browser)
    return render_snapshot(_snapshot(page, options), options, browser=browser)


@lru_cache(maxsize=1)
def _browser(megabytes: int, pages: int) -> Browser:
    """The browser of this process, closed at its end."""
    from tearsheet.acquire.browser import Browser

    found = Browser(pages=1, recycle=pages, most_bytes=megabytes << 20)
    atexit.register(found.close)
    return found


def _snapshot(page: RawPage, options: Options) -> Snapshot:
    from tearsheet.acquire.fetch import decompress
    from tearsheet.page.decode import detect_binary

    body = page.body or b""
    if page.compression and not _MARKUP.match(body):
        body = decompress(body, page.compression, options.max_bytes)
    limits.check_download(len(body), options.max_bytes)
    if what := detect_binary(body):
        raise FetchFailed(f"it is {what}, not a page", code="not-html")
    files = {file.url: file for file in page.files}
    return Snapshot(body, page.url, page.url, encoding=page.encoding, resources=files)


def _columns(article: Article, settings: Settings) -> dict[str, Any] | str:
    """The chosen columns, or the name of the filter that refuses the article, which is asked before
    the other columns are made."""
    asked = settings.filters.columns()
    found = {name: _MAKERS[name](article) for name in asked}
    if reason := settings.filters.refuses_article(found):
        return reason
    more = {name: _MAKERS[name](article) for name in settings.columns if name not in found}
    found = {name: value for name, value in (found | more).items() if name in settings.columns}
    if settings.minhash:
        found[MINHASH] = minhash(article.text)
    if settings.form:
        found["document"] = article.to(settings.form, settings.options)
    return found


def _images(article: Article) -> list[dict[str, str]]:
    names = ("url", "alt", "caption", "credit")
    return [{name: _encodable(getattr(image, name)) for name in names} for image in article.images]


def _comments(article: Article) -> list[dict[str, str]]:
    names = ("author", "published", "text")
    return [{name: _encodable(getattr(it, name)) for name in names} for it in article.comments]


def _roles(article: Article) -> list[dict[str, Any]]:
    """Every line of the page, its likeliest role, and whether the article has it."""
    found = []
    for clipping in article.clippings:
        roles = likeliest_roles(clipping.verdict).tolist()
        keep = clipping.verdict.keep.tolist()
        for text, role, is_kept in zip(clipping.segments.text, roles, keep, strict=True):
            name = ROLES[role] if role >= 0 else None
            found.append({"role": name, "is_kept": is_kept, "text": _encodable(text)})
    return found


@lru_cache(maxsize=1)  # for two columns and a filter
def _language(text: str) -> tuple[str | None, float | None]:
    """The language of a text and how sure that is; None if it is too short to tell."""
    code, score = detect_language(text.splitlines())
    return code or None, score if code else None


def _json(value: Any) -> str:
    return _encodable(ENCODER.encode(value))


def _encodable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


_MAKERS: Final[Mapping[str, Callable[[Article], Any]]] = {
    "title": lambda article: _encodable(article.title),
    "text": lambda article: _encodable(article.text),
    "markdown": lambda article: article.markdown,
    "html": lambda article: article.html,
    "blocks": lambda article: _json(plain_blocks(article)),
    "metadata": lambda article: _json(plain_metadata(article)),
    "images": _images,
    "language": lambda article: _language(article.text)[0],
    "language_score": lambda article: _language(article.text)[1],
    "words": lambda article: count_words(article.text),
    "licence": lambda article: _encodable(article.metadata.licence) or None,
    "comments": _comments,
    "roles": _roles,
    "page_type": lambda article: article.likeliest_type,
    "confidence": lambda article: article.confidence,
}
