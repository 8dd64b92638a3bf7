"""Pages with their truth, from the named sets and from any folder of one's own.

    name or path ─ read ─▶ Example…

A set is a module here with `read(folder)`; its name is the name of its folder below
`TEARSHEET_DATA`, or below `../shared/data`. Any other folder is read if it holds `NAME.html` with
`NAME.truth.json` (as the sample site does) or `NAME.txt` beside it.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from tearsheet import plugins
from tearsheet.addresses import address_host
from tearsheet.errors import FetchFailed, UnknownName

if TYPE_CHECKING:
    from tearsheet.role_labels import RoleLabels

FOLDS: Final = 5
"""Parts of the pages in every cross-validation."""
# Second-level names under which countries register (example.co.uk, exemplo.com.br).
_SHARED_LEVELS: Final = frozenset(
    "ac asn co com edu gen go gob gouv gov govt id in ltd mil ne net nom or org plc sch web".split()
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Example:
    """A page and what a reader says its content is. None: the set says nothing about it."""

    name: str
    path: Path
    url: str | None = None
    text: str | None = None
    title: str | None = None
    published: str | None = None
    """The day, as in `2026-01-31`."""
    authors: tuple[str, ...] | None = None
    """The names, or one text that lists them; empty if the page names nobody."""
    page_type: str = "article"
    encoding: str = "utf-8"
    captions: tuple[str, ...] | None = None
    images: tuple[tuple[str, ...], ...] | None = None
    """For each image the addresses by which it is known."""
    next_urls: tuple[str, ...] | None = None
    print_urls: tuple[str, ...] | None = None
    previous_urls: tuple[str, ...] | None = None
    pager_urls: tuple[str, ...] | None = None
    """The numbered pages of a pager."""
    present: tuple[str, ...] = ()
    """Snippets that the content must have."""
    absent: tuple[str, ...] = ()
    """Snippets that it must not have."""
    roles: RoleLabels | None = None
    """The role of each segment, if people said it."""
    has_files: bool = False
    """Whether its style sheets and pictures lie beside it."""

    @property
    def html(self) -> bytes:
        """The page as UTF-8, read when asked for."""
        raw = self.path.read_bytes()
        body = gzip.decompress(raw) if self.path.suffix == ".gz" else raw
        if self.encoding.lower() == "utf-8":
            return body
        return body.decode(self.encoding, "replace").encode()

    @property
    def markup(self) -> str:
        """The page as a string: what every extractor is given."""
        return self.html.decode("utf-8", "replace")

    @property
    def domain(self) -> str:
        """The registrable domain of the page's address, or its name if it has no address."""
        return registrable_domain(self.url) if self.url else self.name


def read(dataset: str) -> list[Example]:
    """The examples of a named set or of a folder, ordered by name; the pages are not read yet."""
    if dataset in names():
        return read_set(dataset, root() / dataset)
    path = Path(dataset)
    if not path.is_dir():
        raise UnknownName("dataset", dataset, (*names(), "a folder"))
    from tearsheet.datasets import _folder

    return list(_folder.read(path))


def read_set(name: str, folder: Path) -> list[Example]:
    """The examples of a named set that lies in this folder."""
    if not folder.is_dir():
        raise FetchFailed(
            f"the set '{name}' is not at {folder}: set TEARSHEET_DATA to the folder that holds it",
            code="no-data",
        )
    return list(plugins.load("datasets", name).read(folder))


def names() -> tuple[str, ...]:
    """The named sets."""
    return plugins.names("datasets")


def licence(name: str) -> str:
    """The licence of a set by its name."""
    module = plugins.load("datasets", name) if name in names() else None
    return str(getattr(module, "LICENCE", "unknown"))


def root() -> Path:
    """Where the named sets are."""
    return Path(os.environ.get("TEARSHEET_DATA") or "../shared/data")


def choose_evenly(items: Sequence[T], limit: int | None) -> list[T]:
    """All items, or `limit` of them at even distances.

    >>> choose_evenly("abcdef", 3)
    ['a', 'c', 'e']
    """
    if not limit or limit >= len(items):
        return list(items)
    return [items[i * len(items) // limit] for i in range(limit)]


def fold_number(domain: str, folds: int = FOLDS) -> int:
    """The fold of a domain: the same on every machine, so that no site is in two folds.

    >>> fold_number("example.org") == fold_number("example.org"), 0 <= fold_number("a.org") < FOLDS
    (True, True)
    """
    return int.from_bytes(hashlib.sha256(domain.encode()).digest()[:8], "big") % folds


def registrable_domain(url: str) -> str:
    """The part of an address's host that was registered. In doubt it is the shorter part, so that
    two pages of one owner never count as two domains. It does not use the public suffix list, which
    changes: the folds must not.

    >>> registrable_domain("https://www.example.co.uk/a"), registrable_domain("//blog.example.com")
    ('example.co.uk', 'example.com')
    """
    labels = address_host(url).rstrip(".").split(".")
    shared = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SHARED_LEVELS
    return ".".join(labels[-3 if shared else -2 :])
