"""Article → plain text."""

from __future__ import annotations

from tearsheet import prose
from tearsheet.article import Article
from tearsheet.article.blocks import change_blocks
from tearsheet.layout import _document
from tearsheet.types import Block, Options, Paragraph, Post, Run
from tearsheet.writing import drop_controls

MEDIA_TYPE = "text/plain; charset=utf-8"


def render(article: Article, options: Options) -> bytes:
    """The text as UTF-8; it ends with a line break."""
    parts = (_write_text(article), _document.missing(article))
    return (drop_controls("\n\n".join(filter(None, parts))) + "\n").encode()


def _write_text(article: Article) -> str:
    """The text; that of a thread says who wrote each post, and when."""
    if article.likeliest_type != "forum":
        return article.text
    return prose.plain_text(change_blocks(article.blocks, _write_heads))


def _write_heads(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks with a line before each post."""
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Post) and (line := _document.post_line(block)):
            found.append(Paragraph((Run(line),)))
        found.append(block)
    return tuple(found)
