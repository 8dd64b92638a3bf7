"""Complete saves of real pages, whose roles are labelled in the repository (`role_labels`).

The truth is made from roles: the text is all that an article must have, whatever its kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tearsheet.components.image_sources import find_image_source
from tearsheet.datasets import Example
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.role_labels import CONTENT, UNKNOWN, LabelPaths, RoleLabels, read_labels
from tearsheet.segments import segments
from tearsheet.types import ROLES, Page, Segments

LICENCE: Final = "people's own saves, see pages.json; for labelling, measuring and parameters"


def read(folder: Path) -> Iterator[Example]:
    """The saves that are there and labelled."""
    addresses = {page["key"]: page["url"] for page in json.loads(_read_list(folder))}
    for key, labels in read_labels("saves").items():
        path = folder / key / "index.html"
        if path.is_file():
            yield _example(key, path, addresses.get(key), labels)


def _read_list(folder: Path) -> bytes:
    return (folder / "pages.json").read_bytes()


def _example(key: str, path: Path, url: str | None, labels: RoleLabels) -> Example:
    page = parse(decode(path.read_bytes()), url)
    nodes, parts = LabelPaths(page), segments(page)
    roles = [ROLES[r] if r != UNKNOWN else "" for r in nodes.segment_roles(parts, labels).tolist()]
    title = " ".join(_texts(parts, roles, frozenset(["title"])))
    return Example(
        name=key,
        path=path,
        url=url,
        text="\n".join(_texts(parts, roles, CONTENT)) or None,
        title=title or None,
        page_type=labels.kind,
        images=tuple(_addresses(page, nodes.row(path)) for path, _ in labels.pictures),
        captions=tuple(_texts(parts, roles, frozenset(["caption"]))),
        roles=labels,
        has_files=True,
    )


def _texts(parts: Segments, roles: list[str], wanted: frozenset[str]) -> list[str]:
    return [text for text, role in zip(parts.text, roles, strict=True) if role in wanted]


def _addresses(page: Page, row: int | None) -> tuple[str, ...]:
    found = find_image_source(page, row) if row is not None else None
    return (found.url,) if found else ()
