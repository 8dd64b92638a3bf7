"""`extract` and `bare_extraction`, as in trafilatura:

    from tearsheet.compat.trafilatura import extract

Arguments that have a meaning here are used; the others are accepted and ignored. As there, `None`
means that nothing was found.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from tearsheet.article import Article
from tearsheet.clip import extract as extract_article
from tearsheet.errors import NoArticle, UnknownName
from tearsheet.types import Options

_FORMATS: Final = {
    "txt": "txt", "markdown": "md", "html": "html", "json": "json", "xmltei": "tei",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """The metadata and text of a page, by trafilatura's names."""

    title: str | None
    author: str | None
    url: str | None
    hostname: str | None
    description: str | None
    sitename: str | None
    date: str | None
    tags: list[str]
    image: str | None
    language: str | None
    text: str
    comments: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def extract(
    filecontent: str | bytes,
    url: str | None = None,
    *,
    output_format: str = "txt",
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    include_tables: bool = True,
    include_images: bool = False,
    include_links: bool = False,
    with_metadata: bool = False,
    target_language: str | None = None,
    **others: Any,
) -> str | None:
    """The text of a page, or its document in another format.

    >>> extract("<p>The text of the page.", include_comments=False)
    'The text of the page.'
    """
    if output_format not in _FORMATS:
        raise UnknownName("format", output_format, _FORMATS)
    wanted = _choose_options(favor_precision, favor_recall, include_comments, include_tables)
    article = _article(filecontent, url, wanted, target_language)
    if article is None:
        return None
    if output_format == "txt" and not with_metadata:
        return article.text
    options = Options(
        images="on" if include_images else "off",
        links="inline" if include_links else "none",
        front_matter=with_metadata,
    )
    return article.to(_FORMATS[output_format], options).decode()


def bare_extraction(
    filecontent: str | bytes,
    url: str | None = None,
    *,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    include_tables: bool = True,
    target_language: str | None = None,
    **others: Any,
) -> Document | None:
    """The metadata and text of a page, and apart from it the comments of its readers."""
    wanted = _choose_options(favor_precision, favor_recall, comments=False, tables=include_tables)
    article = _article(filecontent, url, wanted, target_language)
    if article is None:
        return None
    meta = article.metadata
    address = meta.canonical or article.url
    return Document(
        title=meta.title or None,
        author="; ".join(meta.authors) or None,
        url=address,
        hostname=urlsplit(address).hostname if address else None,
        description=meta.description or None,
        sitename=meta.site or None,
        date=meta.published[:10] if meta.published else None,
        tags=list(meta.tags),
        image=meta.lead_image,
        language=meta.language or None,
        text=article.text,
        comments="\n\n".join(it.text for it in article.comments) if include_comments else None,
    )


def _choose_options(precision: bool, recall: bool, comments: bool, tables: bool) -> Options:
    favor: Literal["balanced", "precision", "recall"] = "balanced"
    if precision or recall:
        favor = "precision" if precision else "recall"
    return Options(favor=favor, comments=comments, tables=tables)


def _article(
    html: str | bytes, url: str | None, options: Options, language: str | None
) -> Article | None:
    try:
        article = extract_article(html, url, options=options)
    except NoArticle:
        return None
    found = article.metadata.language.partition("-")[0]
    return None if language and found and found != language else article
