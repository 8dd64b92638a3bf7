"""newspaper4k's `Article`, on Tearsheet's engine:

    from tearsheet.compat.newspaper import Article, article

Names, order and defaults are the same. An argument that should change the result, but cannot here,
is refused (`InvalidOption`). docs/migration.md lists the differences.
"""

from __future__ import annotations

import copy
import json
from datetime import datetime
from enum import IntEnum
from typing import Any, Final

from tearsheet.acquire.fetch import fetch
from tearsheet.addresses import web_address
from tearsheet.article import Article as Clipped
from tearsheet.article.blocks import walk_blocks
from tearsheet.clip import extract
from tearsheet.compat.page_text import page_text
from tearsheet.components._head import Head, read_head
from tearsheet.errors import InvalidOption, NoArticle, TearsheetError
from tearsheet.page.parsed import parse
from tearsheet.types import Embed, Options

_LANGUAGES: Final = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da "
    "de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy "
    "hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg "
    "li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or "
    "os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta "
    "te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
).split()
"""The codes of ISO 639-1."""
_ACCEPTED: Final = {
    "fetch_images": True, "follow_meta_refresh": False, "ignored_images_suffix_list": None,
    "max_file_memo": 20_000, "memorize_articles": True, "number_threads": 10, "verbose": False,
    "thread_timeout_seconds": 10, "use_cached_categories": True, "disable_category_cache": False,
    "MIN_WORD_COUNT": 300, "MIN_SENT_COUNT": 7, "max_keywords": 35, "max_summary": 5000,
    "max_summary_sent": 5, "clean_article_html": True,
}  # fmt: skip
"""Settings that change nothing in an article that is made here: pictures are never downloaded, and
articles are always remembered by their owner."""
_HONOURED: Final = {
    "max_text": 100_000, "max_title": 200, "max_authors": 10, "request_timeout": 7,
    "browser_user_agent": "", "use_meta_language": True,
}  # fmt: skip


class ArticleException(Exception):
    """The page could not be fetched, or was used before its download."""


class ArticleDownloadState(IntEnum):
    """The state of an article's download."""

    NOT_STARTED = 0
    FAILED_RESPONSE = 1
    SUCCESS = 2


class Configuration:
    """The settings of newspaper4k that have a meaning here; others are refused."""

    def __init__(self) -> None:
        for name, value in {**_ACCEPTED, **_HONOURED}.items():
            object.__setattr__(self, name, value)
        self._language = "en"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Configuration has no {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (*_ACCEPTED, *_HONOURED, "language", "_language"):
            known = ", ".join(sorted((*_ACCEPTED, *_HONOURED, "language")))
            raise InvalidOption(name, value, f"nothing; there are: {known}")
        object.__setattr__(self, name, value)

    def update(self, **settings: Any) -> None:
        """Changes several settings."""
        for name, value in settings.items():
            setattr(self, name, value)

    @property
    def language(self) -> str:
        """The language of the text. The engine knows all at once, so it steers nothing."""
        return self._language

    @language.setter
    def language(self, value: str) -> None:
        if value not in _LANGUAGES:
            raise InvalidOption("language", value, "a code of ISO 639-1, as in de")
        self._language, self.use_meta_language = value, False


class Article:
    """The article at an address: `download`, then `parse`, then its parts."""

    def __init__(
        self,
        url: str,
        title: str = "",
        source_url: str = "",
        read_more_link: str = "",
        config: Configuration | None = None,
        **settings: Any,
    ) -> None:
        if read_more_link:
            raise InvalidOption("read_more_link", read_more_link, "none: pages are joined by bulk")
        self.config = Configuration() if config is None else copy.copy(config)
        self.config.update(**settings)
        self.url = self.original_url = web_address(source_url, url) or url
        self.source_url, self.read_more_link = source_url, read_more_link
        self.title = self._title = title
        self.text = self.html = self.article_html = self.summary = ""
        self.top_image = self.meta_img = self.meta_favicon = ""
        self.meta_description = self.meta_lang = self.meta_site_name = self.canonical_link = ""
        self.authors: list[str] = []
        self.images: list[str] = []
        self.movies: list[str] = []
        self.keywords: list[str] = []
        self.meta_keywords: list[str] = []
        self.meta_data: dict[str, Any] = {}
        self.tags: set[str] = set()
        self.publish_date: datetime | None = None
        self.is_parsed = False
        self.download_state = ArticleDownloadState.NOT_STARTED
        self.download_exception_msg: str | None = None

    def download(
        self,
        input_html: str | bytes | None = None,
        title: str | None = None,
        recursion_counter: int = 0,
        ignore_read_more: bool = False,
    ) -> Article:
        """Gets the page, through Tearsheet's guard, unless its HTML is given. As there, a failure
        is noted and shows when the article is parsed. A `file:` address is refused."""
        self.title = title or self.title
        try:
            self.html = page_text(self._fetch() if input_html is None else input_html)
        except TearsheetError as error:
            self.download_state = ArticleDownloadState.FAILED_RESPONSE
            self.download_exception_msg = str(error)
            return self
        self.download_state = ArticleDownloadState.SUCCESS
        return self

    def _fetch(self) -> bytes:
        timeout = self.config.request_timeout
        agent = self.config.browser_user_agent
        return fetch(self.url, Options(timeout=float(timeout), user_agent=agent)).body

    def parse(self) -> Article:
        """Fills the fields from the page.

        >>> page = "<title>Tides</title><h1>Tides</h1><p>The tide rises and falls."
        >>> Article("https://example.org/tides").download(page).parse().title
        'Tides'
        """
        self._check_download()
        try:
            found = extract(self.html, web_address(None, self.url))
        except NoArticle:
            found = Clipped()
        except TearsheetError as error:
            raise ArticleException(str(error)) from error
        meta, head = found.metadata, read_head(parse(self.html, web_address(None, self.url)))
        self.title = (self.title or found.title)[: self.config.max_title]
        self.text = found.text[: self.config.max_text]
        self.article_html = found.html
        self.authors = list(meta.authors)[: self.config.max_authors]
        self.publish_date = datetime.fromisoformat(meta.published) if meta.published else None
        self.top_image = self.meta_img = meta.lead_image or ""
        self.images = [image.url for image in found.images]
        self.movies = _list_videos(found)
        self.meta_description, self.meta_lang = meta.description, meta.language.partition("-")[0]
        self.meta_site_name, self.canonical_link = meta.site, meta.canonical or ""
        self._read_head(head, meta.tags)
        self.is_parsed = True
        return self

    def _read_head(self, head: Head, tags: tuple[str, ...]) -> None:
        self.meta_data = {name: ", ".join(values) for name, values in head.meta.items()}
        words = ",".join(head.meta.get("keywords", ())).split(",")
        self.meta_keywords = [word.strip() for word in words]
        self.tags = set(tags)
        icons = (link.href for link in head.links if "icon" in link.rel.lower().split())
        self.meta_favicon = next(icons, "")
        language = self.meta_lang
        if self.config.use_meta_language and language in _LANGUAGES:
            self.config.language = language

    def _check_download(self) -> None:
        if self.download_state == ArticleDownloadState.NOT_STARTED:
            raise ArticleException("you must `download()` an article first")
        if self.download_state == ArticleDownloadState.FAILED_RESPONSE:
            raise ArticleException(f"download failed: {self.download_exception_msg} ({self.url})")

    def build(self) -> Article:
        """`download` and `parse`."""
        return self.download().parse()

    def nlp(self) -> None:
        """Not done here: Tearsheet neither finds keywords nor summarises."""
        self._check_download()
        if not self.is_parsed:
            raise ArticleException("you must `parse()` an article first")
        raise NotImplementedError("Tearsheet has no keywords and no summaries")

    @property
    def top_img(self) -> str:
        return self.top_image

    @property
    def imgs(self) -> list[str]:
        return self.images

    @property
    def language(self) -> str:
        return self.config.language

    def to_json(self, as_string: bool = True) -> str | dict[str, Any]:
        """The fields that newspaper4k writes."""
        if not self.is_parsed:
            raise ArticleException("you must `parse()` an article first")
        names = (
            "url", "read_more_link", "language", "title", "top_image", "meta_img", "images",
            "movies", "keywords", "meta_keywords", "tags", "authors", "publish_date", "summary",
            "meta_description", "meta_lang", "meta_favicon", "meta_site_name", "canonical_link",
            "text",
        )  # fmt: skip
        values = {name: getattr(self, name) for name in names}
        day = self.publish_date
        values |= {"tags": sorted(self.tags), "publish_date": day.isoformat() if day else None}
        return json.dumps(values, ensure_ascii=False, indent=4) if as_string else values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Article):
            return NotImplemented
        return self._values() == other._values()

    __hash__ = None  # type: ignore[assignment]

    def _values(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "config"}


def _list_videos(found: Clipped) -> list[str]:
    """The addresses of the videos in an article, each once."""
    embeds = (block for block in walk_blocks(found.blocks) if isinstance(block, Embed))
    return list(dict.fromkeys(embed.url for embed in embeds if embed.kind != "audio"))


def article(
    url: str, language: str | None = None, input_html: str | None = None, **settings: Any
) -> Article:
    """The article at an address, downloaded and parsed."""
    chosen = {"language": language, **settings} if language else settings
    return Article(url, **chosen).download(input_html).parse()
