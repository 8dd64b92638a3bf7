"""Article → plain text."""

from __future__ import annotations

from tearsheet.article import Article
from tearsheet.types import Options

MEDIA_TYPE = "text/plain; charset=utf-8"


def render(article: Article, options: Options) -> bytes:
    """The text as UTF-8; it ends with a line break."""
    return (article.text + "\n").encode("utf-8", "replace")
