"""Other extractors by name, if they are installed (the extra `bench`).

Each is called as its documentation says, with its defaults, on the same decoded page that our
methods get. HTML that one returns is turned into text as ours is.
"""

from __future__ import annotations

import importlib.metadata
import logging
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from tearsheet.article import Article
from tearsheet.metrics import chosen_boxes
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Box

_LANGUAGE: Final = re.compile(r"<html[^>]*\slang=[\"']?([a-zA-Z]{2})")


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of an extractor on a page; None for parts that it does not look for. Our articles
    compute everything but the text later, so that only the text is timed."""

    text: str
    peer_title: str | None = None
    """The title that a peer found."""
    article: Article | None = None
    """The article of one of our methods."""

    @property
    def title(self) -> str | None:
        return self.peer_title if self.article is None else self.article.metadata.title or None

    @property
    def captions(self) -> tuple[str, ...] | None:
        if self.article is None:
            return None
        return tuple(image.caption for image in self.article.images if image.caption)

    @property
    def images(self) -> tuple[str, ...] | None:
        return None if self.article is None else tuple(image.url for image in self.article.images)

    @property
    def next_url(self) -> str | None:
        return None if self.article is None else self.article.metadata.next_url

    @property
    def print_url(self) -> str | None:
        return None if self.article is None else self.article.metadata.print_url

    @property
    def boxes(self) -> list[Box]:
        """The nodes chosen on a rendered page."""
        if self.article is None:
            return []
        clipping = self.article.clippings[0]
        return chosen_boxes(clipping.page, clipping.segments, clipping.verdict)

    @property
    def confidence(self) -> float | None:
        """The F1 that it expects."""
        return None if self.article is None else self.article.confidence

    @property
    def page_type(self) -> str | None:
        return None if self.article is None else self.article.likeliest_type


def installed_peers() -> tuple[str, ...]:
    """The peers that are installed."""
    return tuple(name for name in PEERS if version(name))


@cache
def version(name: str) -> str:
    """The installed version of a peer; '' if it is not installed."""
    try:
        return importlib.metadata.version(_DISTRIBUTION.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return ""


def _trafilatura(html: str, url: str | None) -> Extraction:
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return Extraction(trafilatura.extract(html, url=url) or "")


def _readability_lxml(html: str, url: str | None) -> Extraction:
    from readability import Document

    logging.getLogger("readability").setLevel(logging.CRITICAL)
    document = Document(html, url=url)
    return Extraction(_text(document.summary()), document.short_title())


def _resiliparse(html: str, url: str | None) -> Extraction:
    from resiliparse.extract.html2text import extract_plain_text

    return Extraction(extract_plain_text(html, main_content=True))


def _justext(html: str, url: str | None) -> Extraction:
    import justext

    paragraphs = justext.justext(html, justext.get_stoplist(_stoplist(html)))
    return Extraction("\n\n".join(p.text for p in paragraphs if not p.is_boilerplate))


def _stoplist(html: str) -> str:
    """The stop list for the language that the page declares; jusText needs one."""
    found = _LANGUAGE.search(html[:5000])
    return _STOPLISTS.get(found[1].lower() if found else "en", "English")


def _boilerpy3(html: str, url: str | None) -> Extraction:
    from boilerpy3.extractors import ArticleExtractor

    logging.getLogger("boilerpy3").setLevel(logging.CRITICAL)
    document = ArticleExtractor(raise_on_failure=False).get_doc(html)
    return Extraction(document.content, document.title)


def _newspaper4k(html: str, url: str | None) -> Extraction:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a language toolkit that is not needed here
        import newspaper

    logging.getLogger("newspaper").setLevel(logging.CRITICAL)
    address = url or "https://example.org/"
    article = newspaper.Article(address, fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return Extraction(article.text, article.title)


def _text(html: str) -> str:
    return "\n\n".join(segments(parse(html)).text)


PEERS: Final[Mapping[str, Callable[[str, str | None], Extraction]]] = {
    "trafilatura": _trafilatura,
    "readability-lxml": _readability_lxml,
    "resiliparse": _resiliparse,
    "justext": _justext,
    "boilerpy3": _boilerpy3,
    "newspaper4k": _newspaper4k,
}
_DISTRIBUTION: Final = {"justext": "jusText"}
_STOPLISTS: Final = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch", "no": "Norwegian_Bokmal", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "sr": "Serbian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
}  # fmt: skip


def find_authors(markup: str, url: str | None) -> list[str]:
    """The authors that trafilatura finds, if it is installed."""
    try:
        from trafilatura import extract_metadata
    except ImportError:
        return []
    found = extract_metadata(markup, default_url=url)
    return (found.author or "").split("; ") if found and found.author else []
