"""The addresses of links on paper: which are printed, where, and which lead within the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal
from urllib.parse import unquote, urldefrag

from tearsheet.addresses import is_safe_link
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.layout._document import fold_letters, plain_line
from tearsheet.types import Block, Callout, Definitions, Figure, Heading, Run, Table

Place = Literal["footnotes", "end", "inline", "none"]

_ENCODED: Final = re.compile(r"(?:%[89a-fA-F][0-9a-fA-F])+")
_LETTERS: Final = re.compile(
    "[\u00c0-\u024f\u0386-\u03ff\u0400-\u052f\u3041-\u3096\u30a1-\u30fc\u3400-\u9fff\uac00-\ud7a3]+"
)
"""Latin, Greek, Cyrillic, Japanese, Chinese, Korean: one direction, and no sign above another."""
_FEW: Final = 4.0
"""Addresses a page that its foot can bear."""
_LISTED: Final = 90.0
"""Addresses on a page of the list at the end."""
_LIST_SHARE: Final = 0.25
"""The list may be so much of the document, and half a page in any case."""


def choose_place(blocks: tuple[Block, ...], article: Article, letters: float) -> Place:
    """Where addresses go by default: to the foot of the pages if there are few, else to the end, or
    nowhere if they would be a large part of the document. `letters` is about the number of letters
    on a page.
    """
    own = page_addresses(article)
    count = len({run.href for run in all_runs(blocks) if prints_address(run, own)})
    pages = max(sum(len(run.text) for run in all_runs(blocks)) / letters, 1.0)
    if count <= _FEW * pages:
        return "footnotes"
    return "end" if count / _LISTED <= _LIST_SHARE * pages + 0.5 else "none"


def prints_address(run: Run, own: frozenset[str]) -> bool:
    """Whether a run is a link whose address a reader of paper does not see already."""
    if not run.href or run.note or not is_safe_link(run.href) or within_page(run.href, own):
        return False
    shown = run.href.removeprefix("mailto:").removeprefix("tel:")
    known = (run.href, shown, shorten(shown), decode(shown), shorten(decode(shown)))
    return run.text.strip() not in known


def page_addresses(article: Article) -> frozenset[str]:
    """The addresses under which the article itself is known, without fragments."""
    known = (article.url, article.metadata.canonical, *article.page_urls)
    return frozenset(_page_key(url) for url in known if url)


def within_page(href: str, own: frozenset[str]) -> bool:
    """Whether a link leads to a place in the article itself."""
    return "#" in href and _page_key(href) in own


def shorten(address: str) -> str:
    """An address as readers say it: without its scheme.

    >>> shorten("https://www.a.example/b/")
    'a.example/b'
    """
    return re.sub(r"^https?://(?:www\.)?|/$", "", address)


def decode(address: str) -> str:
    """An address with its letters as browsers show them; whatever else is encoded stays so.

    >>> decode("https://ru.example/%D0%9D%D0%B5%D0%B2%D0%B0?to=%20%D0%9D%D0%B5%D0%B2%D0%B0")
    'https://ru.example/Нева?to=%20Нева'
    """
    return _ENCODED.sub(_decode_letters, address)


def _decode_letters(encoded: re.Match[str]) -> str:
    try:
        letters = unquote(encoded[0], errors="strict")
    except UnicodeDecodeError:
        return encoded[0]
    return letters if _LETTERS.fullmatch(letters) else encoded[0]


def _page_key(address: str) -> str:
    place = urldefrag(address).url.partition("?")[0]
    return place.removeprefix("https:").removeprefix("http:").rstrip("/")


class Headings:
    """The headings of an article by the names under which pages link to them."""

    def __init__(self, blocks: tuple[Block, ...], own: frozenset[str]) -> None:
        self.own = own
        self.known: dict[str, int] = {}
        headings = [block for block in walk_blocks(blocks) if isinstance(block, Heading)]
        self.numbers = {id(heading): number for number, heading in enumerate(headings, 1)}
        for number, heading in enumerate(headings, 1):
            self.known.setdefault(fold_letters(plain_line(heading.runs)), number)

    def number(self, heading: Heading) -> int:
        """The number of a heading of these blocks, counted from 1."""
        return self.numbers[id(heading)]

    def find(self, href: str | None) -> int | None:
        """The number of the heading that a link within the page leads to, counted from 1."""
        if not href or not within_page(href, self.own):
            return None
        name = fold_letters(unquote(urldefrag(href).fragment))
        return self.known.get(name) if name else None


def all_runs(blocks: tuple[Block, ...]) -> Iterator[Run]:
    """The runs of all blocks, captions and labels too."""
    for block in walk_blocks(blocks):
        yield from getattr(block, "runs", ())
        if isinstance(block, Figure | Table):
            yield from block.caption
        if isinstance(block, Callout):
            yield from block.label
        if isinstance(block, Definitions):
            for term, _ in block.entries:
                yield from term
