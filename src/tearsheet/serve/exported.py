"""Clips as files of a folder: Markdown with its pictures beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, Final

from tearsheet.article import Article
from tearsheet.picture_files import PictureRefused, check_picture
from tearsheet.types import Block, Image, Options

PLACE: Final = "https://picture.invalid/"
"""Where pictures seem to be while a document is written; no such host exists."""
_SUFFIXES: Final = {"image/jpeg": "jpg", "image/svg+xml": "svg"}


def write_files(article: Article, options: Options) -> dict[str, bytes]:
    """The Markdown of an article, under no name, and its pictures under theirs."""
    names, found = dict[str, str](), dict[str, bytes]()
    for url, file in article.pictures.items():
        try:
            safe = check_picture(file)
        except PictureRefused:
            continue
        kind = safe.media_type.partition(";")[0]
        suffix = _SUFFIXES.get(kind, kind.rpartition("/")[2])
        names[url] = f"{sha256(url.encode()).hexdigest()[:16]}.{suffix}"
        found[names[url]] = safe.body
    blocks = replace_images(article.blocks, lambda image: _rename(image, names))
    text = article.replace(blocks=blocks).to("md", replace(options, front_matter=True))
    return {"": text.replace(PLACE.encode(), b"pictures/"), **found}


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


def file_name(title: str, taken: set[str]) -> str:
    """A name for a file that no other has; it is added to those that are taken.

    >>> file_name('What is "a/b"?', {"What is a b"})
    'What is a b 2'
    """
    plain = " ".join(re.sub(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+', " ", title).split())[:80].strip(" .")
    name = plain = plain or "Untitled"
    number = 2
    while name in taken:
        name, number = f"{plain} {number}", number + 1
    taken.add(name)
    return name
