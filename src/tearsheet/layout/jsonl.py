"""Articles → JSONL: one line of JSON each, in the shape of `json`."""

from __future__ import annotations

from collections.abc import Sequence

from tearsheet.article import Article
from tearsheet.layout.json import as_dict, write_json
from tearsheet.types import Options

MEDIA_TYPE = "application/jsonl"


def render(article: Article, options: Options) -> bytes:
    """One line."""
    return write_json(as_dict(article), separators=(",", ":"))


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """One line per article."""
    return b"".join(render(article, options) for article in articles)
