"""Snapshot → Page: the page as a table, from parsed HTML or from a rendered layout."""

from __future__ import annotations

from dataclasses import replace

from tearsheet import limits
from tearsheet.addresses import file_key
from tearsheet.types import Options, Page, Snapshot


def read_page(snapshot: Snapshot, options: Options | None = None) -> Page:
    """The page of a snapshot, with its layout if a browser rendered it."""
    page = _read(snapshot, options or Options())
    if snapshot.resources or snapshot.claims_url:
        saved = frozenset(map(file_key, snapshot.resources))
        page = replace(page, saved=saved, claims_url=snapshot.claims_url)
    return page


def _read(snapshot: Snapshot, options: Options) -> Page:
    if snapshot.rendered is not None:
        from tearsheet.page import rendered

        return rendered.page(snapshot, max_nodes=options.max_nodes)
    from tearsheet.page.decode import decode
    from tearsheet.page.parsed import parse

    check_size(snapshot.body, options)
    text = decode(snapshot.body, snapshot.encoding)
    return parse(text, snapshot.final_url or snapshot.url, max_nodes=options.max_nodes)


def check_size(html: str | bytes, options: Options) -> None:
    """Raises `LimitExceeded` if a page is larger than the options allow."""
    limits.check_page_bytes(len(html), options.max_bytes)
