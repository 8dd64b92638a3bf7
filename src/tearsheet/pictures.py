"""The pictures of an article: fetched once through the egress guard, checked, made small enough for
paper, and put into `Article.pictures` for the formats. One that fails is left out."""

from __future__ import annotations

import base64
import io
import logging
import re
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

from tearsheet import plugins
from tearsheet.article import Article
from tearsheet.article.blocks import shown_images
from tearsheet.deadline import Budget
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.types import (
    Options,
    Resource,
)

Fetch: TypeAlias = Callable[[str], Resource]

log = logging.getLogger("tearsheet")

_MISSING: Final = "pictures could not be had"
_WIDEST: Final = 1600
"""Pixels on the longer side: 230 to the inch across a page of A4."""
_MOST_PIXELS: Final = 50_000_000
_MOST_BYTES: Final = 32 * 1024 * 1024
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
_SVG: Final = "http://www.w3.org/2000/svg"
_SVG_DRAWS: Final = frozenset(
    "svg g defs symbol title desc path rect circle ellipse line polyline polygon text tspan "
    "textPath linearGradient radialGradient stop clipPath mask pattern marker use filter "
    "feGaussianBlur feOffset feBlend feColorMatrix feMerge feMergeNode feFlood feComposite".split()
)
_OUTSIDE: Final = re.compile(
    r"(?:url\(\s*['\"]?(?!#)|@import|expression\(|javascript:)", re.IGNORECASE
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
    """The article with as many pictures of its figures as can be fetched in the time given.

    Pictures that came with the page are checked in the same way. How many are missing is said.
    """
    options = options or Options()
    get = get or _make_getter(options, budget or Budget(options.timeout))
    wanted = _addresses(article)[:_MOST]
    with ThreadPoolExecutor(max_workers=6) as pool:
        found = pool.map(lambda url: _get_picture(article, url, get), wanted)
        kept: dict[str, Resource] = {}
        total = 0
        for url, picture in zip(wanted, found):
            total += len(picture.body) if picture else 0
            if picture is not None and total <= _TOTAL:
                kept[url] = picture
    return _say_missing(article.replace(pictures=kept), len(wanted) - len(kept), len(wanted))


def _say_missing(article: Article, missing: int, wanted: int) -> Article:
    reasons = [reason for reason in article.reasons if not reason.endswith(_MISSING)]
    if missing:
        reasons.append(f"{missing} of {wanted} {_MISSING}")
    return article.replace(reasons=tuple(reasons))


def _make_getter(options: Options, budget: Budget) -> Fetch:
    from tearsheet.acquire.fetch import fetch_file

    limited = replace(options, max_bytes=min(options.max_bytes, _MOST_BYTES))

    def get(url: str) -> Resource:
        seconds = min(options.timeout, budget.left)
        if seconds <= 0:
            raise FetchFailed(f"no time was left for {url}", code="timeout")
        return fetch_file(url, replace(limited, timeout=seconds))

    return get


def _get_picture(article: Article, url: str, get: Fetch) -> Resource | None:
    try:
        if url in article.pictures:
            return rewrite_picture(article.pictures[url])
        return rewrite_picture(_decode_data_address(url) if url.startswith("data:") else get(url))
    except (TearsheetError, ValueError) as error:
        log.info("no picture: %s", error)
        return None


def _decode_data_address(url: str) -> Resource:
    """The picture in a `data:` address."""
    head, _, data = url.partition(",")
    body = base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    return Resource(url, head[5:].partition(";")[0].lower(), body)


def _addresses(article: Article) -> list[str]:
    return [image.url for image in shown_images(article.blocks)]


def rewrite_picture(picture: Resource) -> Resource | None:
    """Decodes a picture and encodes it again, so that the result is a picture and nothing else."""
    body = picture.body
    if not body or len(body) > _MOST_BYTES:
        return None
    if picture.media_type == "image/svg+xml" or body.lstrip()[:5] in (b"<svg ", b"<?xml"):
        return _rewrite_svg(picture)
    try:
        return _rewrite_bitmap(picture)
    except Exception as error:  # Pillow raises many kinds for broken and for hostile files
        log.info("no picture at %s: %s", picture.url, error)
        return None


def _rewrite_bitmap(picture: Resource) -> Resource | None:
    from PIL import Image, ImageOps

    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with Image.open(io.BytesIO(picture.body)) as opened:
            width, height = opened.size
            if width * height > _MOST_PIXELS or not width or not height:
                return None
            opened.draft("RGB", (_WIDEST, _WIDEST))
            image: Image.Image = ImageOps.exif_transpose(opened)
            image.thumbnail((_WIDEST, _WIDEST))
            clear = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
            flat = clear or (image.mode in ("P", "1", "L") and opened.format in ("PNG", "GIF"))
            out = io.BytesIO()
            if flat or opened.format == "PNG":
                image.convert("RGBA" if clear else "RGB").save(out, "PNG")
                return Resource(picture.url, "image/png", out.getvalue())
            image.convert("RGB").save(out, "JPEG", quality=86, optimize=False)
            return Resource(picture.url, "image/jpeg", out.getvalue())


def _rewrite_svg(picture: Resource) -> Resource | None:
    """Keeps the elements of an SVG that draw: no scripts, no links, no styles from elsewhere."""
    if b"<!ENTITY" in picture.body or b"<!DOCTYPE" in picture.body[:2000].upper():
        return None
    try:
        root = ElementTree.fromstring(picture.body)  # noqa: S314  without DTD, so no entities
    except (ElementTree.ParseError, ValueError):
        return None
    if root.tag != f"{{{_SVG}}}svg":
        return None
    _drop_unsafe(root)
    ElementTree.register_namespace("", _SVG)
    return Resource(picture.url, "image/svg+xml", ElementTree.tostring(root))


def _drop_unsafe(root: ElementTree.Element) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for child in list(node):
            name = str(child.tag).rpartition("}")[2]
            if name not in _SVG_DRAWS:
                node.remove(child)
        for key, value in list(node.attrib.items()):
            name = key.rpartition("}")[2].lower()
            leads = name == "href" and not value.startswith("#")
            if name.startswith("on") or leads or _OUTSIDE.search(value):
                del node.attrib[key]
        waiting += list(node)


def attach_saved(article: Article, resources: Mapping[str, Resource]) -> Article:
    """The article with the pictures that were saved with its page, unchanged."""
    if not resources:
        return article
    found = {url: resources[url] for url in _addresses(article) if url in resources}
    return article.replace(pictures={**article.pictures, **found})
