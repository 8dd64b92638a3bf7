"""Records that mean harm."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from tests.bulk import archives

KINDS = 10


def poison(number: int) -> bytes:
    """One record of the kind that the number says."""
    url, kind = f"https://sample.invalid/poison/{number}", number % KINDS
    packed = "Content-Encoding: gzip\r\n"
    if kind == 0:
        return archives.response(url, b"<div>" * 100_000 + b"deep")
    if kind == 1:
        return archives.response(url, b"<table><tr><td><b><a><i>" * 20_000 + b"deeper")
    if kind == 2:
        return archives.response(url, b"<p>" + b"largest " * (80 << 17))
    if kind == 3:
        return archives.response(url, b"\x1f\x8b\x08lie", headers=packed)
    if kind == 4:
        return archives.response(url, _bomb(), headers=packed)
    if kind == 5:
        return archives.response(url, archives.page(number), length=40_000)
    if kind == 6:
        return archives.response(url, archives.page(number), length=130)
    if kind == 7:
        return archives.response(url, archives.page(number), length="x")
    if kind == 8:
        return archives.response(url, _for_expressions())
    return archives.response(url, b"\xff\xfe\x00<\x00\xed\xa0\x80" * 500)


def among(stories: list[bytes], every: int) -> Iterator[bytes]:
    """The stories, with a poisoned record after each so many of them."""
    for number, story in enumerate(stories, 1):
        yield story
        if number % every == 0:
            yield poison(number // every - 1)


def _bomb() -> bytes:
    """80 MB in 80 KB."""
    return gzip.compress(b"<p>" + b"a" * (80 << 20), 1)


def _for_expressions() -> bytes:
    """Texts on which careless regular expressions go back and forth without end."""
    parts = (
        b"a" * 50_000 + b"!",
        b"(" * 50_000,
        b" " * 50_000 + b"x",
        b"1/" * 25_000,
        b"a@" * 25_000,
        b"http://" * 7_000,
        b"\\frac{" * 8_000,
        b"2020-" * 10_000,
        b"<!-" * 10_000,
        b"&amp" * 10_000,
    )
    hidden = b'" class="' + b"ad-" * 20_000 + b'" style="' + b"display:" * 8_000
    return b"<title>" + b" | " * 20_000 + b"</title><p>" + b"<p>".join(parts) + b'<p id="' + hidden
