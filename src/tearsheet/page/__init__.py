"""Snapshot → Page: the page as a table, from parsed HTML or from a rendered layout."""

from __future__ import annotations

from tearsheet.types import Options, Page, Snapshot


def page_of(snapshot: Snapshot, options: Options | None = None) -> Page:
    """The page of a snapshot: with its layout when a browser drew it."""
    options = options or Options()
    if snapshot.rendered is not None:
        from tearsheet.page import rendered

        return rendered.page(snapshot, max_nodes=options.max_nodes)
    from tearsheet.page.decode import decode
    from tearsheet.page.parsed import parse

    text = decode(snapshot.body, snapshot.encoding)
    return parse(text, snapshot.final_url or snapshot.url, max_nodes=options.max_nodes)
