"""The parts of a site's rule, and the places where the rules of a page are searched.

A folder has a file for each site, `example.org.toml` or `example.org.txt` (`ftr`). A file whose
name begins with a dot, as `.example.org.toml`, is for the hosts below it as well. A store is that
of the service: its rules of the site, and what somebody corrected on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tearsheet.addresses import address_host, site_name
from tearsheet.errors import InvalidOption
from tearsheet.store import Store, connect
from tearsheet.store.database import StoreFailed
from tearsheet.store.edits import Mark

ALLOWED: Final = "a folder of site rules, one file of them (.toml, .txt), or a store of the service"
_SUFFIXES: Final = (".toml", ".txt")
_DATABASES: Final = ("postgresql://", "postgres://")


class Place(NamedTuple):
    """Which nodes are meant."""

    path: str
    role: str = ""
    """Only nodes whose text plays this role; empty: any."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """The rules of one file for the pages of its site."""

    name: str
    """The file."""
    notation: Literal["path", "xpath"] = "path"
    only: tuple[Place, ...] = ()
    """The first that names anything is the text, and nothing else is."""
    keep: tuple[Place, ...] = ()
    drop: tuple[Place, ...] = ()
    title: tuple[Place, ...] = ()
    authors: tuple[Place, ...] = ()
    published: tuple[Place, ...] = ()
    """The first that names a text is the title, the authors, the date."""
    next_page: tuple[Place, ...] = ()
    whole_page: tuple[Place, ...] = ()
    """Links: to the next page, and to one with all pages in one."""


class PageRules(NamedTuple):
    """The rules that a page has."""

    files: tuple[SiteRules, ...] = ()
    marks: tuple[Mark, ...] = ()
    """Marks from stores."""


def find_rules(places: Sequence[str], url: str | None) -> PageRules:
    """The rules of all places for the page at an address."""
    files, marks = list[SiteRules](), list[Mark]()
    for place in places:
        _check_place(place)
        if place.startswith(_DATABASES) or not _is_rules(Path(place)):
            marks += _read_store(place, url)
        else:
            files += [_read_file(path) for path in _find_files(Path(place), address_host(url))]
    return PageRules(tuple(files), tuple(marks))


def needs_address(place: str) -> bool:
    """Whether the rules of a place are found by the address of a page."""
    return place.startswith(_DATABASES) or Path(place).suffix not in _SUFFIXES


def _check_place(place: str) -> None:
    """Raises if there is nothing at the place, whatever the page."""
    if not place.startswith(_DATABASES) and not Path(place).exists():
        raise InvalidOption("rules", place, f"{ALLOWED}, and there is none")


def _is_rules(path: Path) -> bool:
    return path.is_dir() or path.suffix in _SUFFIXES


def _find_files(place: Path, host: str) -> Iterator[Path]:
    """The one file that is meant, or the nearest of a folder."""
    if place.suffix in _SUFFIXES and not place.is_dir():
        yield place
        return
    candidates = (place / f"{name}{suffix}" for name in _file_names(host) for suffix in _SUFFIXES)
    found = next((path for path in candidates if path.is_file()), None)
    if found is not None:
        yield found


def _file_names(host: str) -> list[str]:
    """The names that rules of a host may have, the nearest first.

    >>> _file_names("www.example.org")
    ['www.example.org', 'example.org', '.www.example.org', '.example.org', '.org']
    """
    if not host or "/" in host or host.startswith("."):
        return []
    labels = host.split(".")
    wider = [f".{'.'.join(labels[i:])}" for i in range(len(labels))]
    return list(dict.fromkeys([host, host.removeprefix("www."), *wider]))


def _read_file(path: Path) -> SiteRules:
    from tearsheet.site_rules import ftr, toml

    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOption("rules", str(path), f"{ALLOWED} ({error})") from None
    read = toml.read_rules if path.suffix == ".toml" else ftr.read_rules
    return read(text, path.name)


def _read_store(address: str, url: str | None) -> list[Mark]:
    """The rules of the site that are on, then what somebody corrected on this very page."""
    if not url:
        return []
    try:
        store = _open_store(address)
    except StoreFailed as error:
        raise InvalidOption("rules", address.rpartition("@")[2], f"{ALLOWED} ({error})") from None
    rules = [rule.mark() for rule in store.rules(site=site_name(url)) if rule.state == "on"]
    return [*rules, *store.corrections(url)]


@lru_cache(maxsize=4)
def _open_store(address: str) -> Store:
    return connect(address, must_exist=True)
