"""Snapshot → Page: the page as a table, from parsed HTML or from a rendered layout."""

from __future__ import annotations

from typing import TypeVar

from tearsheet.errors import LimitExceeded
from tearsheet.types import Options, Page, Snapshot

Html = TypeVar("Html", bound=str | bytes)


def page_of(snapshot: Snapshot, options: Options | None = None) -> Page:
    """The page of a snapshot: with its layout when a browser drew it."""
    options = options or Options()
    if snapshot.rendered is not None:
        from tearsheet.page import rendered

        return rendered.page(snapshot, max_nodes=options.max_nodes)
    from tearsheet.page.decode import decode
    from tearsheet.page.parsed import parse

    text = decode(bounded(snapshot.body, options), snapshot.encoding)
    return parse(text, snapshot.final_url or snapshot.url, max_nodes=options.max_nodes)


def bounded(html: Html, options: Options) -> Html:
    """The page itself, unless it is larger than the options allow."""
    if len(html) > options.max_bytes:
        limit = f"{options.max_bytes / 2**20:.3g} MB"
        raise LimitExceeded(f"the page is larger than {limit}")
    return html
