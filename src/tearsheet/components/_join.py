"""Addresses as a page writes them → full ones."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from tearsheet.caching import cache_short

_WHOLE: Final = re.compile(r"https?://[A-Za-z0-9._:@-]+(/[^\s\[\]?#;\\]*)?(?:\?[^\s?#\[\]]+)?$")
_FROM_ROOT: Final = re.compile(r"/(?!/)[^\s\[\]?#;\\]*(?:\?[^\s?#\[\]]+)?$")


def joined(base: str, address: str) -> str:
    """As `urljoin`, in a tenth of its time for what most addresses are: whole, or from the root.

    >>> joined("https://a.example/b/c", "/d?e=1"), joined("https://a.example/b/c", "d")
    ('https://a.example/d?e=1', 'https://a.example/b/d')
    """
    if address.startswith("//") and (root := origin(base)):
        address = root[: root.index("/")] + address
    if _WHOLE.match(address):
        return address
    if _FROM_ROOT.match(address) and "/." not in address and (root := origin(base)):
        return root + address
    return urljoin(base, address)


def path_of(address: str) -> str:
    """As `urlsplit(address).path`, in less time for whole addresses."""
    match = _WHOLE.match(address)
    return (match[1] or "") if match else urlsplit(address).path


@cache_short(64)
def origin(url: str) -> str:
    """Scheme and host of an address of the web, as they are written; empty for any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else ""
