"""A pipeline for Scrapy that clips the page of each item:

    ITEM_PIPELINES = {"tearsheet.compat.scrapy.ClipPipeline": 300}

    yield {"url": response.url, "html": response.body}

`title`, `text`, `markdown` and `metadata` replace the item's `html`. An item without an article is
dropped, and Scrapy's statistics count it. `TEARSHEET_METHOD` and `TEARSHEET_HTML_FIELD` in the
settings choose another method and another field.
"""

from __future__ import annotations

from typing import Any

from tearsheet.clip import DEFAULT_METHOD, extract
from tearsheet.compat.facts import facts
from tearsheet.errors import MissingExtra, TearsheetError

try:
    from itemadapter import ItemAdapter
    from scrapy.crawler import Crawler
    from scrapy.exceptions import DropItem
except ModuleNotFoundError as error:
    raise MissingExtra("tearsheet.compat.scrapy", error.name, "adapters") from None


class ClipPipeline:
    """Turns items with HTML into items with an article."""

    def __init__(self, method: str = DEFAULT_METHOD, field: str = "html") -> None:
        self._method, self._field = method, field

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ClipPipeline:
        chosen = crawler.settings
        return cls(
            chosen.get("TEARSHEET_METHOD") or DEFAULT_METHOD,
            chosen.get("TEARSHEET_HTML_FIELD") or "html",
        )

    def process_item(self, item: Any) -> Any:
        """The item with its article; an item without HTML stays as it is."""
        fields = ItemAdapter(item)
        if (html := fields.get(self._field)) is None:
            return item
        try:
            article = extract(html, fields.get("url"), method=self._method)
        except TearsheetError as error:
            raise DropItem(str(error)) from error
        del fields[self._field]
        fields["title"], fields["text"] = article.title, article.text
        fields["markdown"], fields["metadata"] = article.markdown, facts(article)
        return item
