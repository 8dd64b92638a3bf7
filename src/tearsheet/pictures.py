"""The pictures of an article: fetched once through the egress guard, checked, made small enough for
paper, and put into `Article.pictures` for the formats. One that fails is left out."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes

from tearsheet import limits, plugins
from tearsheet.addresses import file_key
from tearsheet.article import MISSING, Article
from tearsheet.article.blocks import shown_images
from tearsheet.deadline import Budget
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.picture_files import NO_PILLOW, rewrite_picture
from tearsheet.types import (
    Options,
    Resource,
)

Fetch: TypeAlias = Callable[[str], Resource]

log = logging.getLogger("tearsheet")

_MISSING: Final = "pictures could not be loaded"
_MOST_LOGGED: Final = 5
"""Most missing pictures of an article that the log names."""
_MOST: Final = 400
"""Pictures of one article."""
_TOTAL: Final = 400 * 1024 * 1024
_HEAD: Final = 16_384
"""Bytes at the beginning of an archive, or of a part of one, that may hold its headers."""
_BOUNDARY: Final = re.compile(rb'boundary="([^"]+)"')
_PICTURE: Final = re.compile(
    rb"\r\nContent-Type: (image/[!-~]+)\r\nContent-Transfer-Encoding: base64\r\n"
    rb"Content-Location: ([!-~]+)\r\n\r\n"
)


def ready(
    article: Article,
    form: str,
    options: Options | None = None,
    archive: bytes | None = None,
    budget: Budget | None = None,
) -> Article:
    """The article with its pictures, if documents of this format show them.

    `archive` is the rendered page as the browser saved it (MHTML), with the pictures it showed.
    `budget` is the time for all pictures.
    """
    options = options or Options()
    shows = getattr(plugins.load("layout", form), "SHOWS_PICTURES", False)
    if not shows or options.images == "off" or (form == "html" and options.fragment):
        return article
    return fetch(_attach_shown(article, archive or b""), options, budget=budget)


def _attach_shown(article: Article, archive: bytes) -> Article:
    """The article with its pictures from an archive that Chromium wrote (MHTML).

    This does not use `email`, as the reader of saved archives does: that takes 20 times as long.
    """
    boundary, wanted = _BOUNDARY.search(archive, 0, _HEAD), set(_addresses(article))
    shown: dict[str, Resource] = {}
    for part in archive.split(b"--" + boundary[1]) if boundary and wanted else ():
        head = _PICTURE.match(part, 0, _HEAD)
        if head and (url := head[2].decode()) in wanted:
            shown[url] = Resource(url, head[1].decode(), base64.b64decode(part[head.end() :]))
    return attach_saved(article, shown)


def fetch(
    article: Article,
    options: Options | None = None,
    get: Fetch | None = None,
    budget: Budget | None = None,
) -> Article:
    """The article with as many pictures of its figures as the time allows. Pictures that came with
    the page are checked in the same way. The article's reasons count the missing ones.
    """
    options = options or Options()
    get = get or _make_getter(options, budget or Budget(options.timeout), article.own_url)
    wanted = _addresses(article)[:_MOST]
    with ThreadPoolExecutor(max_workers=6) as pool:
        found = pool.map(lambda url: _get_picture(article, url, get), wanted)
        kept: dict[str, Resource] = {}
        total, errors = 0, list[str]()
        for url, picture in zip(wanted, found):
            if isinstance(picture, str):
                errors.append(f"{url[:200]}: {picture}")
                continue
            total += len(picture.body)
            if total <= _TOTAL:
                kept[url] = picture
    _log_errors(errors)
    needs = next((error[error.index(NO_PILLOW) :] for error in errors if NO_PILLOW in error), "")
    missing = len(wanted) - len(kept)
    return _say_missing(article.replace(pictures=kept), missing, len(wanted), needs)


def _say_missing(article: Article, missing: int, wanted: int, needs: str) -> Article:
    """The article with how many pictures are missing among its reasons, and the package that they
    all need where it is not installed."""
    reasons = [
        reason
        for reason in article.reasons
        if not reason.endswith(_MISSING) and not reason.startswith(MISSING + NO_PILLOW)
    ]
    if missing:
        reasons.append(f"{MISSING}{missing} of {wanted} {_MISSING}")
    if needs:
        reasons.append(MISSING + needs)
    return article.replace(reasons=tuple(reasons))


def _make_getter(options: Options, budget: Budget, page: str | None) -> Fetch:
    from tearsheet.acquire.fetch import fetch_file
    from tearsheet.acquire.visitor import keep_on_site

    limited = replace(options, max_bytes=min(options.max_bytes, limits.PICTURE_BYTES))

    def get(url: str) -> Resource:
        seconds = min(options.timeout, budget.seconds_left)
        if seconds <= 0:
            raise FetchFailed(f"no time was left for {url}", code="timeout")
        return fetch_file(url, keep_on_site(replace(limited, timeout=seconds), url, page))

    return get


def _log_errors(errors: list[str]) -> None:
    """Says why pictures are missing; a page with very many of them does not fill the log."""
    for error in errors[:_MOST_LOGGED]:
        log.warning("left out the picture at %s", error)
    if more := errors[_MOST_LOGGED:]:
        log.warning("left out %d more pictures of this article", len(more))


def _get_picture(article: Article, url: str, get: Fetch) -> Resource | str:
    """The picture, or the error that says why it is missing."""
    try:
        if url in article.pictures:
            return rewrite_picture(article.pictures[url])
        return rewrite_picture(_decode_data_address(url) if url.startswith("data:") else get(url))
    except (TearsheetError, ValueError) as error:
        return str(error)


def _decode_data_address(url: str) -> Resource:
    """The picture in a `data:` address."""
    head, _, data = url.partition(",")
    body = base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    return Resource(url, head[5:].partition(";")[0].lower(), body)


def _addresses(article: Article) -> list[str]:
    return [image.url for image in shown_images(article.blocks)]


def attach_saved(article: Article, resources: Mapping[str, Resource]) -> Article:
    """The article with the pictures that were saved beside its page, unchanged."""
    if not resources:
        return article
    saved = {file_key(url): resource for url, resource in resources.items()}
    found = {url: saved[key] for url in _addresses(article) if (key := file_key(url)) in saved}
    return article.replace(pictures={**article.pictures, **found})
