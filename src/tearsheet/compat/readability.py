"""readability-lxml's `Document`, on Tearsheet's engine:

from tearsheet.compat.readability import Document
"""

from __future__ import annotations

from collections.abc import Iterable

from tearsheet.article import Article
from tearsheet.clip import extract
from tearsheet.compat.page_text import page_text
from tearsheet.errors import InvalidOption, NoArticle
from tearsheet.page.parsed import parse
from tearsheet.tags import CODES
from tearsheet.types import Options


class Document:
    """A page; its article is found when first needed."""

    def __init__(
        self,
        input: str | bytes,  # noqa: A002
        positive_keywords: str | Iterable[str] | None = None,
        negative_keywords: str | Iterable[str] | None = None,
        url: str | None = None,
        min_text_length: int = 25,
        retry_length: int = 250,
        xpath: bool = False,
        handle_failures: str | None = "discard",
    ) -> None:
        """`min_text_length`, `retry_length` and `handle_failures` steer a search that is not done
        here; what would change the result in other ways is refused."""
        refused = {
            "positive_keywords": positive_keywords,
            "negative_keywords": negative_keywords,
            "xpath": xpath,
        }
        for name, value in refused.items():
            if value:
                raise InvalidOption(name, value, "none: the engine has no list of keywords")
        self.input, self.url = input, url
        self._article: Article | None = None

    def title(self) -> str:
        """The title as the head of the page has it; `[no-title]` if it has none."""
        page = parse(page_text(self.input))
        found = (page.inner_text(row) for row in page.rows(CODES["title"]))
        return next(filter(None, found), "") or "[no-title]"

    def short_title(self) -> str:
        """The title of the article, without the name of the site."""
        return self._find_article().title or "[no-title]"

    def author(self) -> str:
        return ", ".join(self._find_article().metadata.authors) or "[no-author]"

    def summary(self, html_partial: bool = False, keep_all_images: bool = False) -> str:
        """The article as HTML: a whole page, or its inner part.

        >>> Document("<p>The text of the page.").summary(html_partial=True)
        '<div><p>The text of the page.</p></div>'
        """
        if keep_all_images:
            raise InvalidOption("keep_all_images", True, "False: only the article's are kept")
        options = Options(fragment=True)
        part = self._find_article().to("html", options).decode().strip()
        part = f"<div>{part}</div>"
        return part if html_partial else f"<html><body>{part}</body></html>"

    def get_clean_html(self) -> str:
        """The article as HTML, without attributes that style it."""
        return self.summary(html_partial=True)

    def content(self) -> str:
        """The page as it was given."""
        return page_text(self.input)

    def _find_article(self) -> Article:
        if self._article is None:
            try:
                self._article = extract(self.input, self.url)
            except NoArticle as error:
                raise Unparseable(str(error)) from None
        return self._article


class Unparseable(ValueError):
    """The page has nothing to read."""
