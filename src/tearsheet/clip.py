"""The line of stages, on one screen:

source ─ acquire ─▶ Snapshot ─ page ─▶ Page ─ segments ─▶ Segments ─ method ─▶ Verdict ─▶ Article
"""

from __future__ import annotations

from tearsheet import plugins
from tearsheet.article import assemble
from tearsheet.components import metadata
from tearsheet.errors import NeedsLayout, NoArticle
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Article, Clipping, Options, Page

DEFAULT_METHOD = "density"


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


def clip_page(page: Page, method: str, options: Options) -> Article:
    """The article of one page, by the named method."""
    made = judge(page, method, options)
    return assemble(made, metadata.of(made.page, made.segments, made.verdict))


def judge(page: Page, method: str, options: Options) -> Clipping:
    """The page's segments and what the method says of them."""
    module = plugins.load("methods", method)
    if getattr(module, "NEEDS_LAYOUT", False) and page.layout is None:
        raise NeedsLayout(method)
    parts = segments(page, hidden=getattr(module, "SEES_HIDDEN", False))
    if not len(parts):
        raise NoArticle("the page has no visible text")
    return Clipping(page, parts, module.score(page, parts, options))
