"""Batches of pages → batches of rows. Pure: no network, no browser, no state but a warm model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import pyarrow as pa

from tearsheet import limits
from tearsheet.article import Article
from tearsheet.bulk.duplicates import minhash
from tearsheet.bulk.schema import COLUMNS, DOCUMENT, MINHASH, ROWS
from tearsheet.bulk.templates import SURVEY, drop_template, survey_row
from tearsheet.clip import DEFAULT_METHOD, build_article, judge
from tearsheet.deadline import Deadline
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.layout.json import plain_blocks, plain_metadata
from tearsheet.page import read_page
from tearsheet.pictures import attach_saved
from tearsheet.segments import segments
from tearsheet.types import Options, Resource, Snapshot

_DRAWING: Final = 0.8
"""Share of a page's time that the browser gets, so that it can report an error before the process
is ended."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is done with each page, and what it may cost."""

    method: str = DEFAULT_METHOD
    options: Options = field(default_factory=Options)
    form: str = ""
    """The format of the column `document`; empty: there is no such column."""
    columns: tuple[str, ...] = COLUMNS
    """The columns about the article that are wanted. What none of them needs is not computed."""
    seconds: float = limits.PAGE_SECONDS
    """Time for one page. One that takes longer is ended with its process."""
    memory: int = limits.WORKER_MEGABYTES
    """MB that a process may use."""
    render: bool = False
    """A browser draws each page first; it opens the address of a page without a body."""
    minhash: bool = False
    """Add the column by which near-duplicates are found."""
    templates: str = ""
    """File of what repeats on the pages of a site and is not content (module `templates`)."""
    survey: bool = False
    """Collect what that file is made of, instead of rows."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        values = json.loads(text, object_hook=_with_tuples)
        return cls(**values | {"options": Options(**values["options"])})

    @property
    def schema(self) -> pa.Schema:
        if self.survey:
            return SURVEY
        wanted = [field for field in ROWS if field.name not in {*COLUMNS} - {*self.columns}]
        more = [*([DOCUMENT] if self.form else []), *([MINHASH] if self.minhash else [])]
        return pa.schema([*wanted, *more])


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    """The same with tuples, which JSON writes as lists."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}


def extract_batches(
    batches: Iterable[pa.RecordBatch], settings: Settings | None = None
) -> Iterator[pa.RecordBatch]:
    """For each batch of `PAGES` one of `ROWS`, with a row for each page in the same order."""
    settings = settings or Settings()
    for batch in batches:
        yield extract_batch(batch, settings)


def extract_batch(
    batch: pa.RecordBatch,
    settings: Settings,
    begin: Callable[[int], None] = lambda number: None,
) -> pa.RecordBatch:
    """The rows of one batch; `begin` is called with the number of each page before its work."""
    rows = []
    row = _segments_row if settings.survey else _row
    for number, page in enumerate(batch.to_pylist()):
        if not page["error"]:
            begin(number)
        rows.append(row(page, settings))
    return pa.RecordBatch.from_pylist(rows, schema=settings.schema)


def _row(page: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The row of one page, whatever happens to it: no exception leaves this function."""
    known = {"source": page["source"], "offset": page["offset"], "url": page["url"]}
    if page["error"]:
        return known | {"error": page["error"], "method": settings.method}
    began = time.perf_counter()
    try:
        article = _article(page, settings)
        clipped = time.perf_counter()
        found = _columns(article, settings)
        taken = {"clip": clipped - began, "set": time.perf_counter() - clipped}
        return known | found | {"method": settings.method, "timings": taken}
    except Exception as error:
        taken = {"clip": time.perf_counter() - began, "set": 0.0}
        return known | {"error": describe_error(error), "method": settings.method, "timings": taken}


def _segments_row(page: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The segments of one page; none if it cannot be read, which the second run will report."""
    texts: list[str] = []
    if not page["error"]:
        with suppress(Exception):
            seen = read_page(_snapshot(page, settings.options), settings.options)
            texts = segments(seen, hidden=True).text
    return survey_row(page, texts)


def describe_error(error: Exception) -> str:
    """An error as in the column `error`: `code: message`."""
    if isinstance(error, TearsheetError):
        return _encodable(f"{error.code}: {error}")
    if isinstance(error, MemoryError):
        return "limit: the page needs more memory than is allowed"
    return _encodable(f"internal: {type(error).__name__}: {error}")


def _article(page: dict[str, Any], settings: Settings) -> Article:
    snapshot = _draw(page, settings) if settings.render else _snapshot(page, settings.options)
    deadline = Deadline(settings.options.timeout)
    seen = deadline.run(read_page, snapshot, settings.options)
    judged = judge(seen, settings.method, settings.options, deadline)
    if settings.templates:
        judged = drop_template(judged, page["url"], settings.templates)
    article = build_article(judged, settings.options, deadline)
    return attach_saved(article, snapshot.resources)


def _draw(page: dict[str, Any], settings: Settings) -> Snapshot:
    """The page as this process's browser draws it, with time left to report a failure."""
    from tearsheet.acquire.sources import acquire, render_snapshot

    options = replace(settings.options, timeout=_DRAWING * settings.seconds)
    if page["body"] is None:
        return acquire(page["url"], render=True, options=replace(options, robots=False))
    return render_snapshot(_snapshot(page, options), options)


def _snapshot(page: dict[str, Any], options: Options) -> Snapshot:
    from tearsheet.acquire.fetch import decompress
    from tearsheet.page.decode import detect_binary

    body = page["body"] or b""
    if page["compression"]:
        body = decompress(body, page["compression"], options.max_bytes)
    limits.check_download(len(body), options.max_bytes)
    if what := detect_binary(body):
        raise FetchFailed(f"it is {what}, not a page", code="not-html")
    files = {file["url"]: Resource(**file) for file in page.get("files") or ()}
    url = page["url"]
    return Snapshot(body, url, url, encoding=page["encoding"], resources=files)


def _columns(article: Article, settings: Settings) -> dict[str, Any]:
    found = {name: _MAKERS[name](article) for name in settings.columns}
    if settings.minhash:
        found["minhash"] = minhash(article.text)
    if settings.form:
        found["document"] = article.to(settings.form, settings.options)
    return found


def _images(article: Article) -> list[dict[str, str]]:
    names = ("url", "alt", "caption", "credit")
    return [{name: _encodable(getattr(image, name)) for name in names} for image in article.images]


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def _json(value: Any) -> str:
    return _encodable(_ENCODER.encode(value))


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
    "page_type": lambda article: article.likeliest_type,
    "confidence": lambda article: article.confidence,
}
