"""Article → Markdown with its pictures as files in a folder beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from tearsheet.article import Article
from tearsheet.picture_files import PictureRefused, check_picture
from tearsheet.types import Block, Image, Options

PLACE: Final = "https://picture.invalid/"
"""Where pictures seem to be while a document is written; no such host exists."""
_PLACED: Final = re.compile(re.escape(PLACE.encode()) + rb"([0-9a-f]{16}\.[a-z]{3,4})")
_SUFFIXES: Final = {"image/jpeg": "jpg", "image/svg+xml": "svg"}


def write_files(
    article: Article, options: Options, folder: str = "pictures"
) -> tuple[bytes, dict[str, bytes]]:
    """The Markdown of an article, and its pictures by their names in the folder."""
    names, found = dict[str, str](), dict[str, bytes]()
    for url, file in article.pictures.items():
        try:
            safe = check_picture(file)
        except PictureRefused:
            continue
        suffix = _SUFFIXES.get(safe.media_type, safe.media_type.rpartition("/")[2])
        names[url] = f"{sha256(url.encode()).hexdigest()[:16]}.{suffix}"
        found[names[url]] = safe.body
    blocks = replace_images(article.blocks, lambda image: _rename(image, names))
    text = article.replace(blocks=blocks).to("md", options)
    return _PLACED.sub(lambda place: _lead_to_folder(place, found, folder), text), found


def _lead_to_folder(place: re.Match[bytes], files: Container[str], folder: str) -> bytes:
    """The path of a stored file; an address of the same look that the page made up stays as it
    is."""
    name = place[1].decode()
    return f"{quote(folder)}/{name}".encode() if name in files else place[0]


def _rename(image: Image, names: dict[str, str]) -> Image:
    return replace(image, url=f"{PLACE}{names[image.url]}") if image.url in names else image


def replace_images(blocks: Iterable[Block], change: Callable[[Image], Image]) -> tuple[Block, ...]:
    """The blocks with other images, wherever these are."""

    def visit(value: Any) -> Any:
        if isinstance(value, Image):
            return change(value)
        if type(value) is tuple:
            return tuple(map(visit, value))
        if is_dataclass(value) and not isinstance(value, type):
            changed = {part.name: visit(getattr(value, part.name)) for part in fields(value)}
            return replace(value, **changed)
        return value

    found: tuple[Block, ...] = visit(tuple(blocks))
    return found
