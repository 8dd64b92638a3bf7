"""The metadata of an article as flat strings, as other libraries keep it with a text."""

from __future__ import annotations

from tearsheet.article import Article


def facts(article: Article) -> dict[str, str]:
    """The fields that were found, by the names that loaders commonly use."""
    meta = article.metadata
    found = {
        "source": article.url or meta.canonical,
        "title": meta.title,
        "author": "; ".join(meta.authors),
        "published": meta.published,
        "site": meta.site,
        "language": meta.language,
        "description": meta.description,
    }
    return {name: value for name, value in found.items() if value}
