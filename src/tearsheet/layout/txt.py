"""Article → plain text: what a reader would copy, one blank line between blocks."""

from __future__ import annotations

from tearsheet.types import Article, Block, Options

MEDIA_TYPE = "text/plain; charset=utf-8"


def render(article: Article, options: Options) -> bytes:
    return ("\n\n".join(_text(block) for block in article.blocks) + "\n").encode()


def _text(block: Block) -> str:
    return "".join(run.text for run in getattr(block, "runs", ()))
