"""Article → plain text, as `prose` tells it."""

from __future__ import annotations

from tearsheet.prose import text_of
from tearsheet.types import Article, Options

MEDIA_TYPE = "text/plain; charset=utf-8"


def render(article: Article, options: Options) -> bytes:
    """The text as UTF-8; it ends with a line break."""
    text = article.plain if article.plain is not None else text_of(article.blocks)
    return (text + "\n").encode("utf-8", "replace")
