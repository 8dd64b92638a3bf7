"""Articles → JSONL: one line of JSON each, in the shape of `json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tearsheet.article import Article
from tearsheet.layout.json import as_dict
from tearsheet.types import Options

MEDIA_TYPE = "application/jsonl"


def render(article: Article, options: Options) -> bytes:
    """One line."""
    line = json.dumps(as_dict(article), ensure_ascii=False, separators=(",", ":"))
    return (line + "\n").encode("utf-8", "replace")


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """One line per article."""
    return b"".join(render(article, options) for article in articles)
