"""Addresses of pages as people type them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tearsheet.acquire.sources import is_address

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?(?=[/?#]|$)")
_LOCAL: Final = re.compile(r"(?:localhost|\d+\.\d+\.\d+\.\d+)(?::\d+)?(?=[/?#]|$)")
"""This machine, and addresses in numbers: hardly any of them has a certificate."""
_FILES: Final = frozenset("app bz cab cc cfg exe gz md mov pl ps py rs sh so zip".split())
"""Suffixes of files that are top-level domains as well; with a path behind them they are hosts."""


def complete_address(source: str) -> str:
    """The source, with https:// where a host was meant: no file has that name.

    >>> complete_address("example.org/story"), complete_address("page.html"), complete_address("-")
    ('https://example.org/story', 'page.html', '-')
    >>> complete_address("localhost:8000")
    'http://localhost:8000'
    """
    if _LOCAL.match(source) and not Path(source).exists():
        return f"http://{source}"
    host = _HOST.match(source)
    if host is None or is_address(source) or Path(source).exists():
        return source
    name = host[0].partition(":")[0]
    is_file = host[0] == source and name.rpartition(".")[2].lower() in _FILES
    return source if is_file or not _is_public(name) else f"https://{source}"


def _is_public(host: str) -> bool:
    from publicsuffixlist import PublicSuffixList

    known = PublicSuffixList(accept_unknown=False)
    return known.privatesuffix(host.lower()) is not None
