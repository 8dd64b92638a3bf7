"""The pages of a folder to be labelled: each drawn once, with proposed or earlier roles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tearsheet.acquire.sources import acquire
from tearsheet.clip import DEFAULT_METHOD, judge
from tearsheet.errors import FetchFailed, NoArticle, UnknownName
from tearsheet.features.looks import measure_looks
from tearsheet.page import read_page
from tearsheet.role_labels import UNKNOWN, LabelPaths, RoleLabels, read_file, write_file
from tearsheet.segments import segments
from tearsheet.store.nodes import segments_within
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import PAGE_TYPES, ROLES, Box, Options, Page, Segments, Verdict

SMALLEST: Final = 40
"""CSS pixels: smaller pictures are icons, and are not asked about."""

_BY_TAG: Final = (
    ("list", mask("li", "dt", "dd")),
    ("code", mask("pre", "code")),
    ("table", mask("td", "th")),
    ("quote", mask("blockquote")),
    ("caption", mask("figcaption")),
    ("heading", HEADINGS),
)
_PICTURES: Final = mask("img", "svg", "video", "canvas")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPage:
    """A page that is ready to be labelled."""

    page: Page
    segments: Segments
    picture: bytes
    """PNG of the whole page."""
    roles: tuple[str, ...]
    """For each segment: as labelled before, or else as proposed."""
    kind: str
    pictures: tuple[int, ...]
    """The rows of pictures that may belong to the article …"""
    chosen: frozenset[int]
    """… and those that do, as labelled before."""


class LabelSession:
    """A folder of saves, and the folder of their labels."""

    def __init__(self, folder: Path, labels: Path) -> None:
        self._folders = _find_saves(folder)
        self._labels = labels
        self._addresses = _read_addresses(folder)
        self._drawer = ThreadPoolExecutor(1, "label-drawer")
        self._pages: dict[str, Future[DrawnPage]] = {}
        self._name = folder.resolve().name

    @property
    def keys(self) -> list[str]:
        return list(self._folders)

    def is_labelled(self, key: str) -> bool:
        return self._file(key).is_file()

    def draw(self, key: str) -> DrawnPage:
        """The page; the one after it is drawn meanwhile."""
        found = self._begin(key)
        keys = self.keys
        later = keys[(keys.index(key) + 1) % len(keys)]
        self._begin(later)
        for other in set(self._pages) - {key, later}:
            del self._pages[other]
        return found.result()

    def write(self, key: str, said: Mapping[str, Any]) -> None:
        """Writes what a person said: `kind`, the `roles` of all segments, and `pictures`, each a
        row with the numbers of the segments of its caption."""
        drawn = self.draw(key)
        roles, kind = _check_roles(said, len(drawn.segments)), str(said.get("kind"))
        if kind not in PAGE_TYPES:
            raise UnknownName("kind of page", kind, PAGE_TYPES)
        pictures = [(int(row), [int(at) for at in at_all]) for row, at_all in said["pictures"]]
        if {row for row, _ in pictures} - set(drawn.pictures):
            raise FetchFailed("a picture is not on the page", code="input")
        labels = LabelPaths(drawn.page).label(
            f"{self._name}/{key}", kind, drawn.segments, roles, pictures
        )
        write_file(labels, self._file(key))
        self._pages.pop(key, None)

    def close(self) -> None:
        self._drawer.shutdown(cancel_futures=True)

    def _begin(self, key: str) -> Future[DrawnPage]:
        if key not in self._folders:
            raise UnknownName("page", key, self.keys[:20])
        if key not in self._pages:
            self._pages[key] = self._drawer.submit(self._draw, key)
        return self._pages[key]

    def _draw(self, key: str) -> DrawnPage:
        snapshot = acquire(self._folders[key], self._addresses.get(key), render=True, picture="now")
        page = read_page(snapshot)
        parts = segments(page)
        kind, roles = _propose(page, parts)
        pictures = _find_pictures(page)
        file = self._file(key)
        if not file.is_file():
            return DrawnPage(
                page, parts, snapshot.picture or b"", roles, kind, pictures, frozenset()
            )
        labels, nodes = read_file(file), LabelPaths(page)
        return DrawnPage(
            page, parts, snapshot.picture or b"",
            _merge(nodes.segment_roles(parts, labels).tolist(), roles),
            labels.kind, pictures, _picture_rows(nodes, labels),
        )  # fmt: skip

    def _file(self, key: str) -> Path:
        return self._labels / f"{key}.json"


def _find_saves(folder: Path) -> dict[str, Path]:
    """The saves in a folder, by name; the folder itself if it is one."""
    if (folder / "index.html").is_file():
        return {folder.resolve().name: folder}
    found = sorted(path.parent for path in folder.glob("*/index.html"))
    if not found:
        raise FetchFailed(
            f"{folder} has no saved pages: give a folder with an index.html, or one of such folders"
        )
    return {path.name: path for path in found}


def _read_addresses(folder: Path) -> dict[str, str]:
    """The origin of the pages, if `pages.json` gives it."""
    path = folder / "pages.json"
    if not path.is_file():
        return {}
    return {str(page["key"]): str(page["url"]) for page in json.loads(path.read_bytes())}


def _check_roles(said: Mapping[str, Any], count: int) -> Sequence[str]:
    roles = [str(role) for role in said.get("roles", ())]
    if len(roles) != count:
        raise FetchFailed(f"{count} roles are expected, not {len(roles)}", code="input")
    if unknown := set(roles) - set(ROLES):
        raise UnknownName("role", unknown.pop(), ROLES)
    return roles


def _propose(page: Page, parts: Segments) -> tuple[str, tuple[str, ...]]:
    """The kind of page and the roles that the engine finds likely."""
    try:
        verdict = judge(page, DEFAULT_METHOD, Options()).verdict
    except NoArticle:
        return PAGE_TYPES[0], ("navigation",) * len(parts)
    shown = segments(page, hidden=True)
    at = np.searchsorted(shown.first, parts.first)
    kind = max(verdict.page_type, key=verdict.page_type.__getitem__, default=PAGE_TYPES[0])
    return kind, tuple(_proposed_role(page, parts, verdict, i, int(at[i])) for i in range(len(at)))


def _proposed_role(page: Page, parts: Segments, verdict: Verdict, number: int, at: int) -> str:
    """The likeliest role, or else one by the tags around what the engine keeps."""
    if verdict.roles:
        return max(verdict.roles, key=lambda role: float(verdict.roles[role][at]))
    if not verdict.keep[at]:
        return "navigation"
    block = int(parts.block[number])
    if page.tag[block] == CODES["h1"]:
        return "title"
    around = [block, *page.ancestors(block)]
    return next(
        (role for role, tags in _BY_TAG if any(tags[page.tag[row]] for row in around)), "body"
    )


def _merge(known: Sequence[int], proposed: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        ROLES[role] if role != UNKNOWN else other
        for role, other in zip(known, proposed, strict=True)
    )


def _picture_rows(nodes: LabelPaths, labels: RoleLabels) -> frozenset[int]:
    rows = (nodes.row(path) for path, _ in labels.pictures)
    return frozenset(row for row in rows if row is not None)


def _find_pictures(page: Page) -> tuple[int, ...]:
    """The rows of pictures that are large enough to be asked about."""
    layout = page.layout
    assert layout is not None
    large = (layout.x1 - layout.x0 >= SMALLEST) & (layout.y1 - layout.y0 >= SMALLEST)
    rows = np.flatnonzero(_PICTURES[page.tag] & layout.visible & large)
    return tuple(rows.tolist())


def plain_page(drawn: DrawnPage) -> dict[str, Any]:
    """The data of a page for the browser."""
    look = measure_looks(drawn.page, drawn.segments)
    pictures = [
        {"row": row, "box": drawn.page.box(row), "chosen": row in drawn.chosen}
        for row in drawn.pictures
    ]
    return {
        "kind": drawn.kind,
        "roles": list(drawn.roles),
        "texts": drawn.segments.text,
        "boxes": np.round(look.box, 1).tolist(),
        "around": [_ranges(drawn, number) for number in range(len(drawn.segments))],
        "pictures": pictures,
        "width": _size(drawn)[2],
        "height": _size(drawn)[3],
    }


def _size(drawn: DrawnPage) -> Box:
    layout = drawn.page.layout
    assert layout is not None
    return 0.0, 0.0, float(layout.width), float(layout.height)


def _ranges(drawn: DrawnPage, number: int) -> list[tuple[int, int]]:
    """The runs of segments in the elements around one, each larger than the one before."""
    found: list[tuple[int, int]] = []
    for row in drawn.page.ancestors(int(drawn.segments.first[number])):
        run = segments_within(drawn.page, drawn.segments, row)
        if not found or run != found[-1]:
            found.append((int(run[0]), int(run[1])))
    return found
