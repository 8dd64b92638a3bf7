"""Article → plain text."""

from __future__ import annotations

from tearsheet.article import Article
from tearsheet.types import Options
from tearsheet.writing import drop_controls

MEDIA_TYPE = "text/plain; charset=utf-8"


def render(article: Article, options: Options) -> bytes:
    """The text as UTF-8; it ends with a line break."""
    return (drop_controls(article.text) + "\n").encode()
