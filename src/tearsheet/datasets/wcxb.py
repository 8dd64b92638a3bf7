"""WCXB (M. Foley, 2026). Where it has no true text, `text` is None."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tearsheet.datasets import Example

LICENCE: Final = "CC-BY-4.0, WCXB (M. Foley, 2026)"


def read(folder: Path) -> Iterator[Example]:
    """The pages of the development set."""
    for path in sorted(folder.glob("dev/ground-truth/*.json")):
        record = json.loads(path.read_bytes())
        truth = record["ground_truth"]
        yield Example(
            name=path.stem,
            path=folder / "dev" / "html" / f"{path.stem}.html.gz",
            url=record.get("url") or truth.get("url"),
            text=(truth.get("main_content") or "").strip() or None,
            title=truth.get("title"),
            published=str(truth.get("publish_date") or "")[:10] or None,
            authors=(truth["author"],) if truth.get("author") else (),
            page_type=record["_internal"]["page_type"]["primary"],
            present=tuple(truth.get("with") or ()),
            absent=tuple(truth.get("without") or ()),
        )
