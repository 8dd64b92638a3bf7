"""Pages with their truth, as training reads them: how much of each segment is content."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from tearsheet import datasets, role_labels
from tearsheet.datasets import Example
from tearsheet.errors import RenderFailed
from tearsheet.learn.labels import labels
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import ROLES, Bools, Floats, Ints, Page, Segments, Snapshot

SETS: Final = ("wcxb", "news", "readability", "saves")
"""The sets that shipped parameters are trained on, in this order."""
CONTENT: Final = 0.5
"""A segment is content if at least this share of it is in the truth."""
_STYLED: Final = 10_000
"""Characters of style sheets with which a page looks as its makers meant it to."""
_FEWEST_WORDS: Final = 5
"""A truth with fewer words counts as missing."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPage:
    """A page, its segments, and how much of each is content."""

    name: str
    domain: str
    page: Page
    segments: Segments
    share: Floats
    """Per segment: how much of it is in the truth, 0 to 1."""
    page_type: str = "article"
    open: Bools | None = None
    """Per segment: whether the truth leaves it open, as captions and bylines by their roles."""
    selected: tuple[int, ...] = ()
    """Nodes that a person selected by hand …"""
    deselected: tuple[int, ...] = ()
    """… and deselected; of two nested marks the inner one counts."""


def read_sets(folder: Path) -> dict[str, list[Example]]:
    """The pages with truth of a folder: of the named sets in it, or else its own."""
    found = {
        name: datasets.read_set(name, folder / name) for name in SETS if (folder / name).is_dir()
    }
    found = found or {folder.name: datasets.read(str(folder))}
    return {name: [page for page in pages if _has_truth(page)] for name, pages in found.items()}


def keep_styled(pages: Iterable[Example]) -> list[Example]:
    """The pages that carry their style sheets with them, so that they look as they should."""
    return [page for page in pages if page.has_files or _style_size(page.markup) >= _STYLED]


def label(
    pages: Iterable[Example], *, drawn: bool = False, hidden: bool = False
) -> Iterator[LabelledPage]:
    """The pages with their labels, parsed or as a browser draws them; those without text, and
    those that cannot be drawn, are left out."""
    for example in pages:
        try:
            page = draw(example) if drawn else parse(decode(example.html), example.url)
        except RenderFailed:
            continue
        parts = segments(page, hidden=hidden)
        if len(parts):
            yield _label_page(example, page, parts)


def _label_page(example: Example, page: Page, parts: Segments) -> LabelledPage:
    """The page with its labels: by the roles of its segments, or else by its true text."""
    name, domain, kind = example.name, example.domain, example.page_type
    if example.roles is None:
        share = labels(parts, example.text or "")
        return LabelledPage(name, domain, page, parts, share, kind)
    roles = role_labels.LabelPaths(page).segment_roles(parts, example.roles)
    share = np.full(len(parts), CONTENT, dtype=np.float32)
    share[_has_role(roles, role_labels.CONTENT)] = 1
    share[_has_role(roles, role_labels.CHROME) | (roles == role_labels.UNKNOWN)] = 0
    either = _has_role(roles, role_labels.EITHER)
    if page.layout is not None:  # whoever selects an article selects its title, too
        share[either] = 1
    is_open = either | (roles == role_labels.UNKNOWN)
    return LabelledPage(name, domain, page, parts, share, kind, is_open)


def _has_role(roles: Ints, wanted: Iterable[str]) -> Bools:
    found: Bools = np.isin(roles, [ROLES.index(role) for role in wanted])
    return found


def draw(example: Example) -> Page:
    """The page as a browser draws it, from this machine's cache if it was drawn before."""
    from tearsheet.page import read_page

    return read_page(_snapshot(example))


def photograph(example: Example) -> bytes:
    """A PNG of the page as a browser draws it."""
    from tearsheet.acquire.sources import render_snapshot

    return render_snapshot(_read(example), picture="now").picture or b""


def _style_size(markup: str) -> int:
    return sum(len(piece.partition("</style")[0]) for piece in markup.split("<style")[1:])


def _snapshot(example: Example) -> Snapshot:
    """The drawn page, from this machine's cache or from a browser, which fills the cache."""
    from tearsheet.acquire.sources import render_snapshot

    saved, path = _read(example), cache_path(example)
    if path.is_file():
        kept = json.loads(gzip.decompress(path.read_bytes()))
        return replace(saved, rendered=kept["rendered"], size=tuple(kept["size"]))
    found = render_snapshot(saved)
    kept = {"rendered": found.rendered, "size": found.size}
    path.write_bytes(gzip.compress(json.dumps(kept).encode(), 5))
    return found


def cache_path(example: Example) -> Path:
    """The file of a drawn page, by its source and the stored parts."""
    from tearsheet.page.rendered import STYLES

    saved = _read(example)
    key = hashlib.sha256(f"{STYLES}{example.markup}".encode())
    for name in sorted(saved.resources):
        key.update(saved.resources[name].body)
    return _cache() / f"{key.hexdigest()[:24]}.json.gz"


def _read(example: Example) -> Snapshot:
    from tearsheet.acquire.sources import acquire

    source = example.path if example.has_files else example.html
    return replace(acquire(source, example.url), body=example.html)


def _cache() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "tearsheet" / "rendered"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _has_truth(page: Example) -> bool:
    return len((page.text or "").split()) >= _FEWEST_WORDS
