"""The line of stages, and the two loops of the Article Clipper around it:

source ─ acquire ─▶ Snapshot ─ page ─▶ Page ─ segments ─▶ Segments ─ method ─▶ Verdict ─▶ Article
   ▲                                                                                        │
   └──────────────── the print page first, else the next pages (`follow`) ──────────────────┘
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from tearsheet import gc_pause, limits, plugins
from tearsheet.article import Article, assemble
from tearsheet.deadline import Budget, Deadline
from tearsheet.errors import NeedsLayout, NoArticle, TearsheetError
from tearsheet.page import check_size, read_page
from tearsheet.page.decode import decode, is_pdf
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Clipping, Options, Page, Snapshot

if TYPE_CHECKING:
    from tearsheet.acquire.render import Picture

Render: TypeAlias = Literal["auto", "always", "never"]
Report: TypeAlias = Callable[[str], None]
"""Called with the stage that begins (fetching, drawing, reading) or with the further page."""
DEFAULT_METHOD = "forest"
DEFAULTS = Options()
SHELL = 400
"""Characters: a page with less text probably waits for its scripts to fill it."""
PAUSE = 0.5
"""Seconds between two requests for pages of one article."""
LOW_CONFIDENCE = 0.5
"""Expected F1 below which a parsed page is rendered and clipped again."""


def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    method: str = DEFAULT_METHOD,
    options: Options | None = None,
) -> Article:
    """The article in HTML that you have, without network or browser.

    `url` is the address of the page: links and pictures are resolved against it.

    >>> extract("<nav><a href=/>Home</a></nav><main><p>The text of the page.</main>").text
    'The text of the page.'
    """
    options = options or DEFAULTS
    check_size(html, options)
    if options.isolate:
        return _isolate(_extract_all, options, html, url, method)
    deadline = Deadline(options.timeout)
    with gc_pause.pause_gc():
        text = deadline.run(decode, html) if isinstance(html, bytes) else html
        page = deadline.run(parse, text, url, max_nodes=options.max_nodes)
        return clip_page(page, method, options, deadline)


def _isolate(call: Callable[..., Article], options: Options, *args: object) -> Article:
    """The result of a function that runs in a process of its own, with a time limit."""
    from tearsheet.isolation import run_isolated

    return run_isolated(call, *args, replace(options, isolate=False), seconds=options.timeout)


def _extract_all(html: str | bytes, url: str | None, method: str, options: Options) -> Article:
    return extract(html, url, method=method, options=options).complete()


def _clip_all(snapshot: Snapshot, method: str, options: Options) -> Article:
    return clip_snapshot(snapshot, method, options).complete()


def clip(
    source: str | bytes | Path,
    url: str | None = None,
    *,
    method: str = DEFAULT_METHOD,
    render: Render = "auto",
    options: Options | None = None,
    report: Report = lambda stage: None,
) -> Article:
    """The article of a page from an address, a file, standard input (`-`) or bytes.

    `url` is the address that a saved page came from. By default a browser renders the page if the
    method needs its layout, or if the parsed page gives a poor result. If the source is an address,
    the print page is clipped instead if it has the same text; otherwise further pages of the
    article are joined. `report` is called with the name of each stage, and with each further page.
    """
    from tearsheet.acquire.sources import is_address

    options = options or DEFAULTS
    first, _ = clip_source(source, url, method, render, options, report=report)
    if not is_address(source):
        return first
    return follow_links(first, method, render, options, report=report)


def clip_source(
    source: str | bytes | Path,
    url: str | None,
    method: str,
    render: Render,
    options: Options,
    *,
    picture: Picture | None = None,
    report: Report = lambda stage: None,
) -> tuple[Article, Snapshot]:
    """The article of one page, and the page as it was read in the end."""
    from tearsheet.acquire.sources import acquire

    draw = render == "always" or (render == "auto" and needs_layout(method))
    report("drawing" if draw else "fetching")
    snapshot = acquire(source, url, render=draw, options=options, picture=picture)
    return parse_or_render(snapshot, method, render, options, picture=picture, report=report)


def parse_or_render(
    snapshot: Snapshot,
    method: str,
    render: Render,
    options: Options,
    *,
    picture: Picture | None = None,
    report: Report = lambda stage: None,
) -> tuple[Article, Snapshot]:
    """The article of the parsed page; if that is poor, of the page as a browser renders it."""
    from tearsheet.acquire.sources import render_snapshot

    report("reading")
    if render != "auto" or snapshot.rendered is not None or is_pdf(snapshot.body):
        return clip_snapshot(snapshot, method, options).complete(), snapshot
    parsed: Article | NoArticle
    try:
        parsed = clip_snapshot(snapshot, method, options)
        if not _is_poor(parsed):
            return parsed.complete(), snapshot
    except NoArticle as nothing:
        parsed = nothing
    report("drawing")
    try:
        rendered = render_snapshot(snapshot, options, picture=picture)
        report("reading")
        return clip_snapshot(rendered, method, options).complete(), rendered
    except TearsheetError:  # no browser, or it failed on this page: keep the parsed page
        if isinstance(parsed, NoArticle):
            raise parsed from None
        return parsed.complete(), snapshot


def _is_poor(article: Article) -> bool:
    text = sum(int(clipping.segments.chars.sum()) for clipping in article.clippings)
    is_unsure = article.confidence is not None and article.confidence < LOW_CONFIDENCE
    return text < SHELL or is_unsure


def follow_links(
    first: Article,
    method: str,
    render: Render,
    options: Options,
    budget: Budget | None = None,
    report: Report = lambda stage: None,
) -> Article:
    """The whole article that begins on a page: its print page, else all its pages joined.

    `budget` is the time for all of them. Pages that do not fit into it are left out, and the
    article's reasons name them.
    """
    from tearsheet import follow  # here, so that `import tearsheet` stays light

    budget = budget or Budget(options.timeout * limits.FOLLOW_PAGES)
    open_page = partial(
        _clip_linked, first.own_url, method=method, render=render, options=options, budget=budget
    )
    return follow.follow_article(first, open_page, options, report)


def _clip_linked(
    page: str | None, address: str, method: str, render: Render, options: Options, budget: Budget
) -> Article:
    """The article of a page that another links to, after a pause.

    It may use half of the time that is left for fetching, and half for rendering.
    """
    from tearsheet import follow
    from tearsheet.acquire.visitor import keep_on_site

    time.sleep(min(PAUSE, budget.seconds_left))
    options = keep_on_site(options, address, page)
    limited = replace(options, timeout=min(options.timeout, budget.seconds_left / 2))
    if limited.timeout <= 0:
        raise follow.OutOfTime
    try:
        return clip_source(address, None, method, render, limited)[0]
    except TearsheetError as error:
        if error.code in ("timeout", "limit"):
            raise follow.OutOfTime from error
        raise


def clip_snapshot(snapshot: Snapshot, method: str, options: Options) -> Article:
    """The article of one page that was acquired, parsed or rendered."""
    from tearsheet import pictures

    if is_pdf(snapshot.body):
        return clip_pdf(snapshot, options)
    if options.isolate:
        return _isolate(_clip_all, options, snapshot, method)
    deadline = Deadline(options.timeout)
    page = deadline.run(read_page, snapshot, options)
    article = clip_page(page, method, options, deadline)
    return pictures.attach_saved(article, snapshot.resources)


def clip_pdf(snapshot: Snapshot, options: Options) -> Article:
    """The article in a PDF, read in a process that ends when its time is over."""
    from tearsheet.article.pdf_reader import read_pdf
    from tearsheet.isolation import run_isolated

    check_size(snapshot.body, options)
    url = snapshot.final_url or snapshot.url
    return run_isolated(read_pdf, snapshot.body, url, options, seconds=options.timeout)


def clip_page(
    page: Page, method: str, options: Options, deadline: Deadline | None = None
) -> Article:
    """The article of one page, by the named method."""
    deadline = deadline or Deadline(options.timeout)
    return build_article(judge(page, method, options, deadline), options, deadline)


def judge(page: Page, method: str, options: Options, deadline: Deadline | None = None) -> Clipping:
    """The page's segments, and the method's decision about each."""
    module = plugins.load("methods", method)
    deadline = deadline or Deadline(options.timeout)
    if needs_layout(method) and page.layout is None:
        raise NeedsLayout(method)
    parts = deadline.run(segments, page, hidden=getattr(module, "SEES_HIDDEN", False))
    if not len(parts) and not getattr(module, "READS_DATA", False):
        raise NoArticle("the page has no visible text")
    verdict = deadline.run(module.score, page, parts, options)
    return Clipping(page, parts, verdict)


def needs_layout(method: str) -> bool:
    """Whether a method looks at the rendered page."""
    return bool(getattr(plugins.load("methods", method), "NEEDS_LAYOUT", False))


def build_article(
    clipping: Clipping, options: Options, deadline: Deadline | None = None
) -> Article:
    """The article of a clipping by the options, without asides."""
    # Here, so that `import tearsheet` stays light.
    from tearsheet.article.whole import keep_whole
    from tearsheet.components import asides, role_lines

    deadline = deadline or Deadline(options.timeout)
    clipping = deadline.run(keep_whole, deadline.run(asides.drop_asides, clipping))
    clipping = role_lines.apply_options(clipping, options)
    if options.rules:
        from tearsheet.site_rules import apply_rules

        return apply_rules(clipping, options, deadline)
    return assemble(clipping, options=options, deadline=deadline)
