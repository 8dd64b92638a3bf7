"""Articles from HTML with everything kept, or what a test says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tearsheet.article import Article, assemble
from tearsheet.layout.json import as_dict
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Block, Clipping, Image, Metadata, Verdict

URL = "https://press.example/2026/story.html"


def clipping(html: str | bytes, keep: Callable[[str], bool] = lambda text: True) -> Clipping:
    """The page with the segments kept whose text `keep` says yes to."""
    page = parse(html, URL)
    found = segments(page)
    kept = np.array([keep(text) for text in found.text], dtype=np.bool_)
    return Clipping(page, found, Verdict("test", kept.astype(np.float32), kept))


def article(
    html: str | bytes,
    keep: Callable[[str], bool] = lambda text: True,
    images: Sequence[Image] = (),
    **metadata: Any,
) -> Article:
    """The article of a page."""
    return assemble(clipping(html, keep), Metadata(**metadata), images)


def blocks(html: str) -> tuple[Block, ...]:
    return article(html).blocks


def shape(found: Article) -> Any:
    """The blocks as plain values, without where they came from."""
    return _without_origin(as_dict(found)["blocks"])


def _without_origin(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_origin(v) for k, v in value.items() if k != "origin"}
    return [_without_origin(v) for v in value] if isinstance(value, list) else value


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))
