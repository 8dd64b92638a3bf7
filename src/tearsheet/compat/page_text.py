"""A page as its own text, for libraries that hand it out."""

from __future__ import annotations

from tearsheet.page.decode import decode


def page_text(page: str | bytes) -> str:
    """The page decoded by what it declares, else by its bytes.

    >>> page_text(b"<p>Snow"), page_text("<p>Füße".encode("latin-1"))
    ('<p>Snow', '<p>Füße')
    """
    found = decode(page) if isinstance(page, bytes) else page
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else found
