"""Pages with their truth, as training reads them: which segments are content, and how much so."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tearsheet.errors import RenderFailed
from tearsheet.evaluate import datasets
from tearsheet.learn.labels import labels
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Floats, Page, Segments, Snapshot

LICENCES: Final = {
    "wcxb": "CC-BY-4.0, WCXB (M. Foley, 2026)",
    "news": "MIT, test data of flairNLP/fundus",
    "readability": "Apache-2.0, test pages of mozilla/readability",
}
"""The sets that shipped parameters may be trained on."""
CONTENT: Final = 0.5
"""A segment is content if so much of it is in the truth."""
_STYLED: Final = 10_000
"""Characters of style sheets in a page that make it look as its makers meant it."""
_FEWEST_WORDS: Final = 5
"""Truths shorter than this are taken for missing ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page, its segments, and how much of each is content."""

    name: str
    domain: str
    page: Page
    segments: Segments
    share: Floats
    """Per segment: how much of it is in the truth, 0 to 1."""
    page_type: str = "article"
    selected: tuple[int, ...] = ()
    """Nodes that a person selected by hand …"""
    deselected: tuple[int, ...] = ()
    """… and deselected; of two marks within each other the inner one holds."""


def sets(folder: Path) -> dict[str, list[datasets.Example]]:
    """The pages with truth of a folder: of the named sets in it, or else its own."""
    known = {name: folder / name for name in LICENCES if (folder / name).is_dir()}
    found = {name: list(datasets.READERS[name](path)) for name, path in known.items()}
    found = found or {folder.name: datasets.read(str(folder))}
    return {name: [page for page in pages if _has_truth(page)] for name, pages in found.items()}


def parsed(pages: Iterable[datasets.Example], *, hidden: bool = False) -> Iterator[Example]:
    """The examples of pages that need no browser; with their hidden segments when asked."""
    for source in pages:
        found = example(source, parse(source.markup, source.url), hidden=hidden)
        if found is not None:
            yield found


def rendered(pages: Iterable[datasets.Example]) -> Iterator[Example]:
    """The examples of pages as a browser draws them; what it drew is kept for the next time."""
    from tearsheet.page.rendered import page

    for source in pages:
        try:
            found = example(source, page(_snapshot(source)))
        except RenderFailed:
            continue
        if found is not None:
            yield found


def styled(pages: Iterable[datasets.Example]) -> list[datasets.Example]:
    """The pages that carry their style sheets in them, so that they look as they should."""
    return [page for page in pages if _style_size(page.markup) >= _STYLED]


def _style_size(markup: str) -> int:
    return sum(len(piece.partition("</style")[0]) for piece in markup.split("<style")[1:])


def _snapshot(source: datasets.Example) -> Snapshot:
    """The page as drawn, from the cache of this machine or from a browser."""
    from tearsheet.acquire.render import render_html
    from tearsheet.page.rendered import STYLES

    markup = source.markup
    key = hashlib.sha256(f"{STYLES}{markup}".encode()).hexdigest()  # what is drawn, and kept of it
    path = _cache() / f"{key[:24]}.json.gz"
    if path.is_file():
        kept = json.loads(gzip.decompress(path.read_bytes()))
        return Snapshot(b"", source.url, rendered=kept["rendered"], size=tuple(kept["size"]))
    found = render_html(markup, source.url)
    kept = {"rendered": found.rendered, "size": found.size}
    path.write_bytes(gzip.compress(json.dumps(kept).encode(), 5))
    return found


def _cache() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "tearsheet" / "rendered"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def example(source: datasets.Example, page: Page, *, hidden: bool = False) -> Example | None:
    """The page with its labels; None where it shows no text."""
    parts = segments(page, hidden=hidden)
    if not len(parts):
        return None
    share = labels(parts, source.text or "")
    return Example(source.name, source.domain, page, parts, share, source.page_type)


def _has_truth(page: datasets.Example) -> bool:
    return len((page.text or "").split()) >= _FEWEST_WORDS
