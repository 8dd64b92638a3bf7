"""Addresses made absolute, and only those that a document may safely carry."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import urljoin

from tearsheet.caching import LONGEST

_SAFE: Final = ("http://", "https://", "mailto:", "tel:", "ftp://")
_CONTROL: Final = dict.fromkeys(range(32))


def absolute(href: str | None, base: str | None) -> str | None:
    """The address that a link leads to; None where it leads nowhere one should go.

    >>> absolute("../b", "https://a.org/c/d"), absolute("javascript:alert(1)", "https://a.org/")
    ('https://a.org/b', None)
    """
    if not href:
        return None
    known = _absolute if len(href) <= LONGEST else _absolute.__wrapped__
    return known(href.strip(), base or "")


@lru_cache(maxsize=4096)
def _absolute(href: str, base: str) -> str | None:
    href = href.translate(_CONTROL)  # browsers ignore them inside "java\nscript:"
    if "[" in href or not href.startswith(("https://", "http://")):
        try:
            href = urljoin(base, href)
        except ValueError:
            return None
    return href.replace(" ", "%20") if href.lower().startswith(_SAFE) else None
