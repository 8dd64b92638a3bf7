"""Who takes part: our methods and the installed peers, by name, and what each finds on a page."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from tearsheet import plugins
from tearsheet.clip import extract
from tearsheet.errors import NoArticle, UnknownName
from tearsheet.evaluate.peers import PEERS, Found, installed, version
from tearsheet.types import Article

_PACKAGE: Final = Path(__file__).parents[1]
_NOT_CLIPPING: Final = ("evaluate", "cli", "serve", "bulk", "layout", "inspect", "learn")
"""Parts of the package that change no result."""


def known() -> tuple[str, ...]:
    """All names that can be asked for here."""
    return (*plugins.names("methods"), *installed())


def chosen(names: str) -> tuple[str, ...]:
    """The entrants of `a,b,c`; `all`, `ours` and `peers` stand for many."""
    groups = {"all": known(), "ours": plugins.names("methods"), "peers": installed()}
    found = [entry for name in names.split(",") for entry in groups.get(name, (name,))]
    for name in found:
        if name not in known():
            raise UnknownName("method or installed peer", name, (*known(), *groups))
    return tuple(dict.fromkeys(found))


def find(name: str, html: str, url: str | None) -> Found:
    """What the named method or peer finds; a page without an article gives an empty text."""
    if name in PEERS:
        return PEERS[name](html, url)
    try:
        return _found(extract(html, url, method=name))
    except NoArticle:
        return Found("")


def _found(article: Article) -> Found:
    known = article.metadata
    return Found(
        text=article.text,
        title=known.title or None,
        captions=tuple(image.caption for image in article.images if image.caption),
        images=tuple(image.url for image in article.images),
        next_url=known.next_url,
        print_url=known.print_url,
    )


def edition(name: str) -> str:
    """Which edition of an entrant this is: the peer's version, or a hash of our own files."""
    return version(name) if name in PEERS else _own_edition()


@cache
def _own_edition() -> str:
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*")):
        inner = path.relative_to(_PACKAGE)
        if path.is_file() and path.suffix != ".pyc" and inner.parts[0] not in _NOT_CLIPPING:
            digest.update(str(inner).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
