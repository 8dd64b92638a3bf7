"""A page in the making: its content, the slots around it, and its truth."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from random import Random
from typing import Any
from urllib.parse import urlsplit

from samples.generator.language import NAMES, SLUG, Language

from tearsheet.types import Resource


@dataclass(frozen=True, slots=True)
class Text:
    """A line of the article."""

    text: str
    kind: str = "p"
    """p or h2."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A piece of HTML: a picture with its caption, a table, or noise."""

    html: str
    images: tuple[dict[str, Any], ...] = ()
    """The pictures of the article that it shows."""
    lines: tuple[str, ...] = ()
    """The text of the article that it contains."""


Block = Text | Raw
Feature = Callable[["Draft"], None]


@dataclass(slots=True)
class Draft:
    """A page in the making: features fill it, templates read it."""

    chance: Random
    language: Language
    url: str
    host: str
    id: int
    title: str
    other_titles: list[str]
    author: str
    published: str
    parts: list[list[Block]]
    """The blocks of each page of the article."""
    number: int = 1
    """Which of its pages this one is."""
    page_urls: list[str] = field(default_factory=list)
    page_type: str = "article"
    print_url: str | None = None
    base: str | None = None
    head_title: str = ""
    title_html: str = ""
    lead: Raw | None = None
    """A picture above the title."""
    pager: Callable[[int], str] = lambda number: ""
    # Slots: HTML in the head, above the title, in the tool bar, below the text, and so on.
    head: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    side: list[str] = field(default_factory=list)
    foot: list[str] = field(default_factory=list)
    resources: dict[str, Resource] = field(default_factory=dict)
    traps: list[str] = field(default_factory=list)

    def say(self, name: str) -> str:
        """A label in the page's language."""
        return self.language.label(name)

    def other_title(self) -> str:
        """The headline of another story, used once."""
        return self.other_titles.pop()

    def at(self, path: str) -> str:
        """The absolute address of a path on this host."""
        return f"https://{self.host}{path}"

    def other_story(self, address: str | None = None, title: str = "") -> tuple[str, str]:
        """Address and title of another story, which can be fetched."""
        title = title or self.other_title()
        slug = "-".join(self.chance.sample(SLUG, 2))
        address = address or self.at(f"/{slug}-{self.chance.randint(10000, 99999)}.html")
        self.serve(address, title, [self.language.paragraph(self.chance) for _ in range(4)])
        return address, title

    def serve(self, address: str, title: str, paragraphs: list[str]) -> str:
        """Makes a plain page fetchable at the address."""
        text = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in paragraphs)
        self.serve_html(address, plain_page(self.language, title, text))
        return address

    def serve_html(self, address: str, html: str) -> None:
        plain = address.partition("#")[0]
        self.resources[plain] = Resource(plain, "text/html; charset=utf-8", html.encode())

    def picture(self, width: int, height: int, address: str | None = None) -> str:
        """The address of an image of this size, which can be fetched."""
        name = f"/media/{self.chance.randint(100000, 999999)}.png"
        address = address or self.at(name)
        self.resources[address] = Resource(address, "image/png", png(width, height, self.id % 8))
        return address


def lines_of(part: list[Block]) -> list[str]:
    """The text of the article in these blocks, line by line."""
    return [
        line
        for block in part
        for line in ((block.text,) if isinstance(block, Text) else block.lines)
    ]


def plain_page(language: Language, title: str, text: str) -> str:
    """A page with nothing but a title and its text."""
    return (
        f'<!DOCTYPE html>\n<html lang="{language.code}" dir="{language.direction}">\n'
        f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
        f"<body>\n<h1>{escape(title)}</h1>\n{text}</body>\n</html>\n"
    )


def link(address: str, label: str, attributes: str = "") -> str:
    """An anchor. The label is HTML."""
    return f'<a href="{escape(address)}"{" " + attributes if attributes else ""}>{label}</a>'


def path_of(address: str) -> str:
    """The address without scheme and host, as most pages write links to themselves."""
    split = urlsplit(address)
    return address[len(f"{split.scheme}://{split.netloc}") :]


def person(chance: Random) -> str:
    return chance.choice(NAMES)


@cache
def png(width: int, height: int, seed: int) -> bytes:
    """A picture of stripes in two colours."""
    colours = Random(seed).randbytes(6)
    line = (width + 7) // 8
    rows = b"".join(b"\0" + (b"\xff" if y // 20 % 2 else b"\0") * line for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 1, 3, 0, 0, 0)  # one bit, a palette
    chunks = (
        (b"IHDR", header), (b"PLTE", colours), (b"IDAT", zlib.compress(rows)), (b"IEND", b""),
    )  # fmt: skip
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
