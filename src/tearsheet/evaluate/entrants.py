"""Entrants of an evaluation: our methods and installed peers, and their results on a page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tearsheet import plugins
from tearsheet.article import Article
from tearsheet.clip import clip_page, extract, needs_layout
from tearsheet.errors import MissingExtra, NoArticle, UnknownName
from tearsheet.evaluate.peers import PEERS, Extraction, installed_peers, version
from tearsheet.types import Options, Page

_PACKAGE: Final = Path(__file__).parents[1]
_NOT_CLIPPING: Final = (
    "evaluate", "datasets", "metrics.py", "workers.py", "cli", "serve", "store", "bulk",
    "inspect.py", "learn", "acquire",
)  # fmt: skip
"""Parts of the package that do not change results."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A method or a peer; a method may enter with other values of its constants."""

    name: str
    constants: tuple[tuple[str, float], ...] = ()
    faithful: bool = False
    """Whether it follows its paper to the letter."""

    @property
    def label(self) -> str:
        """Its name in tables: `clg`, `clg, faithful`, or `clg THRESHOLD=0.4`."""
        name = f"{self.name}, faithful" if self.faithful else self.name
        return " ".join([name, *(f"{key}={value:g}" for key, value in self.constants)])

    @property
    def options(self) -> Options:
        return Options(faithful=self.faithful)

    @property
    def has_letter(self) -> bool:
        """Whether it differs from its paper, but can also follow it to the letter."""
        return not self.is_peer and hasattr(plugins.load("methods", self.name), "FAITHFUL")

    @property
    def is_peer(self) -> bool:
        return self.name in PEERS

    @property
    def needs_layout(self) -> bool:
        return not self.is_peer and needs_layout(self.name)

    @property
    def edition(self) -> str:
        """The peer's version, or a hash of our own files."""
        return version(self.name) if self.is_peer else _own_edition()


def all_names() -> tuple[str, ...]:
    """All names that can be evaluated here."""
    return (*plugins.names("methods"), *installed_peers())


def choose(names: str, *, drawn: bool = False) -> list[Entrant]:
    """The entrants named in `a,b,c`; `all`, `ours` and `peers` stand for groups of them."""
    able = [name for name in plugins.names("methods") if drawn or not needs_layout(name)]
    groups = {"all": (*able, *installed_peers()), "ours": tuple(able), "peers": installed_peers()}
    found = [entry for name in names.split(",") for entry in groups.get(name, (name,))]
    if not found:
        raise MissingExtra(names, "one of the peers", "bench")
    for name in found:
        if name not in all_names():
            raise UnknownName("method or installed peer", name, (*all_names(), *groups))
    return [Entrant(name) for name in dict.fromkeys(found)]


def parse_sweep(sweep: str) -> list[Entrant]:
    """The entrants of a sweep `METHOD.CONSTANT=first:last:step`, one for each value.

    >>> [entrant.label for entrant in parse_sweep("density.C1=0.2:0.4:0.1")]
    ['density C1=0.2', 'density C1=0.3', 'density C1=0.4']
    """
    place, _, values = sweep.partition("=")
    method, _, constant = place.partition(".")
    module = plugins.load("methods", method)
    if not isinstance(getattr(module, constant, None), float | int):
        numbers = [key for key, value in vars(module).items() if isinstance(value, float | int)]
        raise UnknownName(f"constant of {method}", constant, filter(str.isupper, numbers))
    first, last, step = map(float, values.split(":"))
    count = round((last - first) / step) + 1
    return [Entrant(method, ((constant, round(first + i * step, 6)),)) for i in range(count)]


def find(entrant: Entrant, html: str, url: str | None) -> Extraction:
    """The entrant's result on a parsed page; an empty text if it finds no article."""
    if entrant.is_peer:
        return PEERS[entrant.name](html, url)
    try:
        with set_constants(entrant):
            return _describe(extract(html, url, method=entrant.name, options=entrant.options))
    except NoArticle:
        return Extraction("")


def find_rendered(entrant: Entrant, page: Page) -> Extraction:
    """The result of one of our methods on a rendered page, likewise."""
    try:
        with set_constants(entrant):
            return _describe(clip_page(page, entrant.name, entrant.options))
    except NoArticle:
        return Extraction("")


@contextmanager
def set_constants(entrant: Entrant) -> Iterator[None]:
    """Gives the method's constants the entrant's values."""
    if not entrant.constants:
        yield
        return
    module: Any = plugins.load("methods", entrant.name)
    own = {key: getattr(module, key) for key, _ in entrant.constants}
    vars(module).update(entrant.constants)
    try:
        yield
    finally:
        vars(module).update(own)


def _describe(article: Article) -> Extraction:
    return Extraction(article.text, article=article)


@cache
def _own_edition() -> str:
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*")):
        inner = path.relative_to(_PACKAGE)
        if path.is_file() and path.suffix != ".pyc" and inner.parts[0] not in _NOT_CLIPPING:
            digest.update(str(inner).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
