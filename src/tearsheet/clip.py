"""The line of stages, on one screen:

source ─ acquire ─▶ Snapshot ─ page ─▶ Page ─ segments ─▶ Segments ─ method ─▶ Verdict ─▶ Article
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tearsheet import pictures, plugins
from tearsheet.article import assemble
from tearsheet.components import images, metadata
from tearsheet.errors import NeedsLayout, NoArticle, TearsheetError
from tearsheet.page import page_of
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Article, Clipping, Options, Page, Snapshot

DEFAULT_METHOD = "density"
SHELL = 400
"""Characters: a page with less text waits for its scripts to fill it."""
LOW_CONFIDENCE = 0.5
"""Expected F1 below which a page is looked at again, as a browser draws it."""


def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    method: str = DEFAULT_METHOD,
    options: Options | None = None,
) -> Article:
    """The article of a page that one has. No network, no browser.

    >>> extract("<nav>Home</nav><p>The text of the page.").text
    'The text of the page.'
    """
    options = options or Options()
    text = decode(html) if isinstance(html, bytes) else html
    return clip_page(parse(text, url, max_nodes=options.max_nodes), method, options)


def clip(
    source: str | bytes | Path,
    url: str | None = None,
    *,
    method: str = DEFAULT_METHOD,
    render: Literal["auto", "always", "never"] = "auto",
    options: Options | None = None,
) -> Article:
    """The article of a page that one must get: an address, a file, `-` for standard input, bytes.

    `url` says where a saved page came from. By default a browser draws the page when the method
    needs its layout, and when the parsed page gives a poor result.
    """
    from tearsheet.acquire.sources import acquire

    options = options or Options()
    if render == "always" or (render == "auto" and needs_layout(method)):
        return clip_snapshot(acquire(source, url, render=True, options=options), method, options)
    snapshot = acquire(source, url, options=options)
    if render == "never":
        return clip_snapshot(snapshot, method, options)
    return _better(snapshot, method, options)


def clip_snapshot(snapshot: Snapshot, method: str, options: Options) -> Article:
    """The article of one page as it was got, parsed or rendered."""
    article = clip_page(page_of(snapshot, options), method, options)
    return pictures.saved(article, snapshot.resources)


def _better(snapshot: Snapshot, method: str, options: Options) -> Article:
    """The article of the parsed page, or of the rendered one where that was poor."""
    from tearsheet.acquire.sources import drawn

    parsed: Article | NoArticle
    try:
        parsed = clip_snapshot(snapshot, method, options)
        if not _is_poor(parsed):
            return parsed
    except NoArticle as nothing:
        parsed = nothing
    try:
        return clip_snapshot(drawn(snapshot, options), method, options)
    except TearsheetError:  # no browser, or one that fails on this page: the parsed page stands
        if isinstance(parsed, NoArticle):
            raise parsed from None
        return parsed


def _is_poor(article: Article) -> bool:
    text = sum(int(clipping.segments.chars.sum()) for clipping in article.clippings)
    unsure = article.confidence is not None and article.confidence < LOW_CONFIDENCE
    return text < SHELL or unsure


def needs_layout(method: str) -> bool:
    """Whether a method looks at the rendered page."""
    return bool(getattr(plugins.load("methods", method), "NEEDS_LAYOUT", False))


def clip_page(page: Page, method: str, options: Options) -> Article:
    """The article of one page, by the named method."""
    made = judge(page, method, options)
    known = metadata.of(made.page, made.segments, made.verdict, options.pages)
    shown = images.of(made.page, made.segments, made.verdict, known.title, known.authors)
    return assemble(made, known, shown)


def judge(page: Page, method: str, options: Options) -> Clipping:
    """The page's segments and what the method says of them."""
    module = plugins.load("methods", method)
    if needs_layout(method) and page.layout is None:
        raise NeedsLayout(method)
    parts = segments(page, hidden=getattr(module, "SEES_HIDDEN", False))
    if not len(parts):
        raise NoArticle("the page has no visible text")
    return Clipping(page, parts, module.score(page, parts, options))
