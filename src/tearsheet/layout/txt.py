"""Article → plain text."""

from __future__ import annotations

from tearsheet.article import Article
from tearsheet.layout import _document
from tearsheet.types import Options
from tearsheet.writing import drop_controls

MEDIA_TYPE = "text/plain; charset=utf-8"


def render(article: Article, options: Options) -> bytes:
    """The text as UTF-8; it ends with a line break."""
    parts = (article.text, _document.missing(article))
    return (drop_controls("\n\n".join(filter(None, parts))) + "\n").encode()
