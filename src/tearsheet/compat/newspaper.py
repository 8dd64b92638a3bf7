"""newspaper4k's `Article`, on Tearsheet's engine:

from tearsheet.compat.newspaper import Article, article
"""

from __future__ import annotations

from datetime import datetime

from tearsheet.article import Article as Clipped
from tearsheet.clip import clip, extract
from tearsheet.errors import InvalidOption, TearsheetError


class ArticleException(Exception):
    """The page could not be had, or was asked for too early."""


class Article:
    """The article at an address: `download`, then `parse`, then its parts."""

    def __init__(self, url: str, title: str = "", language: str | None = None) -> None:
        self.url = self.source_url = url
        self.title, self.language = title, language
        self.text = self.html = self.article_html = self.top_image = ""
        self.meta_description = self.meta_lang = self.meta_site_name = self.canonical_link = ""
        self.authors: list[str] = []
        self.images: list[str] = []
        self.tags: set[str] = set()
        self.publish_date: datetime | None = None
        self.is_parsed = False
        self._found: Clipped | None = None

    def download(self, input_html: str | bytes | None = None, title: str | None = None) -> Article:
        """Gets the page, through Tearsheet's guard, unless its HTML is given."""
        if title:
            raise InvalidOption("title", title, "none: give it to Article")
        try:
            found = clip(self.url) if input_html is None else extract(input_html, self.url)
        except TearsheetError as error:
            raise ArticleException(str(error)) from error
        self._found = found
        return self

    def parse(self) -> Article:
        """Fills the fields from the page.

        >>> page = "<title>Tides</title><h1>Tides</h1><p>The tide rises and falls."
        >>> Article("https://example.org/tides").download(page).parse().title
        'Tides'
        """
        if self._found is None:
            raise ArticleException("you must `download()` an article first")
        found, meta = self._found, self._found.metadata
        self.title = self.title or found.title
        self.text, self.article_html = found.text, found.html
        self.authors, self.tags = list(meta.authors), set(meta.tags)
        self.publish_date = datetime.fromisoformat(meta.published) if meta.published else None
        self.top_image = meta.lead_image or ""
        self.images = [image.url for image in found.images]
        self.meta_description, self.meta_lang = meta.description, meta.language
        self.meta_site_name, self.canonical_link = meta.site, meta.canonical or self.url
        self.is_parsed = True
        return self

    def build(self) -> Article:
        """`download` and `parse`."""
        return self.download().parse()

    def nlp(self) -> None:
        """Not done here: Tearsheet neither finds keywords nor summarises."""
        raise NotImplementedError("Tearsheet has no keywords and no summaries")


def article(url: str, language: str | None = None, input_html: str | None = None) -> Article:
    """The article at an address, downloaded and parsed."""
    return Article(url, language=language).download(input_html).parse()
