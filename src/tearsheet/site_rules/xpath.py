"""XPath on a page: its rows as a tree of lxml, and what an expression finds as rows or as text."""

from __future__ import annotations

import re
from typing import Any, Final

from tearsheet.errors import MissingExtra, TearsheetError
from tearsheet.store.nodes import tag_name
from tearsheet.tags import TEXT
from tearsheet.types import Page

try:
    from lxml import etree
except ImportError as error:
    raise MissingExtra("rules with XPath", error.name, "rules") from None

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]|^(?=[^A-Za-z_])")
_NO_TEXT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class BadExpression(TearsheetError):
    code = "bad-path"


class PageTree:
    """A page on which XPath is evaluated."""

    def __init__(self, page: Page) -> None:
        self._rows: dict[Any, int] = {}  # keeps the elements alive, so that they stay the same
        self._root = self._build(page)

    def find(self, path: str) -> list[int]:
        """The rows of the elements that an expression names, in document order.

        >>> from tearsheet.page.parsed import parse
        >>> PageTree(parse("<p class=a>One<p>Two")).find("//p[@class='a']")
        [3]
        """
        found = self._evaluate(path)
        rows = {self._row_of(one) for one in (found if isinstance(found, list) else ())}
        return sorted(rows - {-1})

    def read(self, path: str) -> str:
        """The text that an expression names: of its first element, or an attribute or string."""
        found = self._evaluate(path)
        first = found[0] if isinstance(found, list) and found else found
        text = "".join(map(str, first.itertext())) if isinstance(first, etree._Element) else first
        return " ".join(text.split()) if isinstance(text, str) else ""

    def _evaluate(self, path: str) -> Any:
        try:
            return self._root.xpath(path)
        except etree.XPathError as error:
            raise BadExpression(f"it is no XPath: {error}") from None

    def _row_of(self, found: Any) -> int:
        """The row of an element; of a text or an attribute that of the element that has it."""
        if not isinstance(found, etree._Element):
            found = getattr(found, "getparent", lambda: None)()
        return self._rows.get(found, -1)

    def _build(self, page: Page) -> Any:
        made: list[Any] = [None] * len(page)
        for row in range(len(page)):
            above = made[page.parent.item(row)] if row else None
            if page.tag.item(row) == TEXT:
                _add_text(above, _NO_TEXT.sub("", page.text[row]))
                continue
            tag = _NO_NAME.sub("_", tag_name(page, row))
            given = {
                _NO_NAME.sub("_", name): _NO_TEXT.sub("", value)
                for name, value in page.attributes(row).items()
            }
            made[row] = (
                etree.Element(tag, given) if above is None else etree.SubElement(above, tag, given)
            )
            self._rows[made[row]] = row
        return made[0].getroottree()


def _add_text(parent: Any, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
