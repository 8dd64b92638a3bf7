"""The two loops of the Article Clipper, around the pages of one article:

    first page ─▶ its print page, if that says the same
               ─▶ else the page with all of it that is linked beside the pager, if that says more
               ─▶ else its next pages, each confirmed by its text, and joined (`join`)

Pages that cannot be read are left out, and the article's reasons name them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tearsheet import join
from tearsheet.article import MISSING, Article
from tearsheet.errors import FetchFailed, TearsheetError, public_message
from tearsheet.types import Options

OpenPage: TypeAlias = Callable[[str], Article]
"""The article of the page at an address; raises a TearsheetError, or OutOfTime."""
Report: TypeAlias = Callable[[str], None]
"""Called with a few words about what happens."""

MISSING_PAGES = f"{MISSING}further pages of the article, which took too long"
_FORBIDDEN = (401, 403, 407)


class OutOfTime(Exception):
    """A further page takes longer than there is time."""


@dataclass(slots=True)
class _Way:
    """Opens further pages, and notes those that cannot be read."""

    open_page: OpenPage
    options: Options
    report: Report
    notes: list[str] = field(default_factory=list)

    def finish(self, article: Article) -> Article:
        """The article, with the notes among its reasons."""
        if not self.notes:
            return article
        return article.replace(reasons=tuple(dict.fromkeys((*article.reasons, *self.notes))))


def follow_article(
    first: Article, open_page: OpenPage, options: Options, report: Report = lambda what: None
) -> Article:
    """The whole article that begins on a page: its print page, else all of its pages."""
    way = _Way(open_page, options, report)
    found = _use_print_page(first, way) or _use_whole_page(first, way)
    return way.finish(found or _join_next_pages(first, way))


def _use_print_page(first: Article, way: _Way) -> Article | None:
    """The article of the print page, if it exists and agrees with the page itself. The page's print
    link is tried first, then the addresses in its scripts and forms."""
    if way.options.print_page != "auto":
        return None
    for address in _print_addresses(first):
        printed = _try_page(address, "print page", way)
        if printed is None or not join.agrees(first, printed):
            continue
        if first.images and not printed.images and not first.metadata.next_url:
            return None  # it adds nothing, and the pictures would be lost
        known = replace(
            first.metadata,
            print_url=address,
            reading_minutes=printed.metadata.reading_minutes,
        )
        return join.trim_print_page(first, printed).replace(metadata=known, url=first.url)
    return None


def _print_addresses(first: Article) -> list[str]:
    """Possible addresses of the print page, the likeliest first."""
    from tearsheet.components.print_candidates import find_print_candidates

    found = [first.metadata.print_url or ""]
    for clipping in first.clippings[:1]:
        found += find_print_candidates(clipping.page)
    return [address for address in dict.fromkeys(found) if address]


def _use_whole_page(first: Article, way: _Way) -> Article | None:
    """The article of the page that shows all pages in one, if it says the same and more."""
    if way.options.pages != "auto" or not first.metadata.next_url or not first.clippings:
        return None
    from tearsheet.components.whole_page import find_whole_page

    address = find_whole_page(first.clippings[0].page)
    whole = _try_page(address, "all pages in one", way) if address else None
    if whole is None or not (join.agrees(first, whole) and join.says_more(first, whole)):
        return None
    minutes = whole.metadata.reading_minutes
    known = replace(first.metadata, next_url=None, reading_minutes=minutes)
    return whole.replace(metadata=known, url=first.url)


def _try_page(address: str, what: str, way: _Way) -> Article | None:
    """The article of a page that the others do not depend on; None if it cannot be read."""
    way.report(what)
    try:
        return way.open_page(address)
    except OutOfTime:
        way.notes.append(f"the {what} took too long, so the page itself was clipped: {address}")
        return None
    except TearsheetError as error:
        if error.code == "not-html":
            kind = "a PDF" if "PDF" in str(error) or "/pdf" in str(error) else "no web page"
            way.notes.append(f"the {what} is {kind}, so the page itself was clipped: {address}")
        return None


def _join_next_pages(first: Article, way: _Way) -> Article:
    """The page joined with those that its next links lead to, each confirmed by its text."""
    pages, seen = [first], {first.url, *first.page_urls}
    while way.options.pages != "one":
        address = pages[-1].metadata.next_url
        if not address or address in seen:
            break
        if len(pages) >= way.options.max_pages:
            way.notes.append(_explain_limit(len(pages), address))
            break
        seen.add(address)
        page = _open_next(pages, address, way)
        if page is None:
            break
        pages.append(page)
    return join.join_pages(pages)


def _open_next(pages: list[Article], address: str, way: _Way) -> Article | None:
    """The next page, if it can be read and continues the others; notes why not."""
    number = len(pages) + 1
    way.report(f"page {number}")
    try:
        page = way.open_page(address)
    except OutOfTime:
        way.notes.append(MISSING_PAGES)
        return None
    except TearsheetError as error:
        way.notes.append(_explain_failure(number, address, error))
        return None
    if join.continues(pages, page, any_title=way.options.pages == "all"):
        return page
    if _asks_for_password(page) and not _asks_for_password(pages[0]):
        way.notes.append(_describe_gap(number, address, "asks to log in"))
    elif number == 2 and join.repeats(pages, page):
        way.notes.append(_describe_gap(number, address, "repeats the first page"))
    return None


def _explain_limit(count: int, address: str) -> str:
    return (
        f"the article may be incomplete: only {count} pages were joined, and it may go on "
        f"at {address} (--max-pages joins more)"
    )


def _explain_failure(number: int, address: str, error: TearsheetError) -> str:
    if isinstance(error, FetchFailed) and error.status in _FORBIDDEN:
        return _describe_gap(number, address, f"asks to log in (status {error.status})")
    return _describe_gap(number, address, f"could not be read: {public_message(error)}")


def _describe_gap(number: int, address: str, why: str) -> str:
    """A sentence about a missing page. Page 2 is a guess until it has been read."""
    what = "may be incomplete" if number == 2 else f"is incomplete, it ends after page {number - 1}"
    return f"the article {what}: page {number} ({address}) {why}"


def _asks_for_password(article: Article) -> bool:
    pages = (made.page for made in article.clippings)
    return any('type="password"' in raw for page in pages for raw in page.attrs)
