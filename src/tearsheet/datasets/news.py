"""The test articles of flairNLP/fundus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tearsheet.datasets import Example

LICENCE: Final = "MIT, test data of flairNLP/fundus"


def read(folder: Path) -> Iterator[Example]:
    """The articles, publisher by publisher."""
    for path in sorted(folder.glob("*/truth.json")):
        for page, truth in sorted(json.loads(path.read_bytes()).items()):
            images = truth["images"] or []
            yield Example(
                name=f"{path.parent.name}/{page.removesuffix('.html.gz')}",
                path=path.parent / page,
                url=truth["url"],
                text="\n\n".join(truth["body"]),
                title=truth["title"],
                published=str(truth.get("published") or "")[:10] or None,
                authors=tuple(truth.get("authors") or ()),
                captions=tuple(image["caption"] for image in images if image.get("caption")),
                images=tuple(tuple(image["urls"]) for image in images),
            )
