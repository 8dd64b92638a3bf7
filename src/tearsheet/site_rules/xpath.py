"""XPath on a page: its rows as a tree of lxml, and what an expression finds as rows or as text."""

from __future__ import annotations

import re
import time
from typing import Any, Final

from tearsheet.errors import LimitExceeded, MissingExtra, TearsheetError
from tearsheet.isolation import run_isolated
from tearsheet.store.nodes import tag_name
from tearsheet.tags import TEXT
from tearsheet.types import Page
from tearsheet.writing import drop_non_xml

try:
    from lxml import etree
except ImportError as error:
    raise MissingExtra("rules with XPath", error.name, "rules") from None

_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]|^(?=[^A-Za-z_])")
_STRING: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_LOOP: Final = re.compile(r"//\*?|(?<![\w\])*.'])/|::|\.+|\||[=<>](?!\s*['\d])")
"""Parts of an expression that may search the whole page, or the text of a whole element."""
_MOST_STEPS: Final = 50_000_000
"""Nodes that an expression is allowed to look at in this process: a second at most."""
SECONDS: Final = 5.0
"""For all other expressions of a file on one page."""


class BadExpression(TearsheetError):
    code = "bad-path"


class PageTree:
    """A page on which XPath is evaluated."""

    def __init__(self, page: Page) -> None:
        self._page, self._seconds = page, SECONDS
        self._rows: dict[Any, int] = {}  # keeps the elements alive, so that they stay the same
        self._root = self._build(page)

    def find(self, path: str) -> list[int]:
        """The rows of the elements that an expression names, in document order.

        >>> from tearsheet.page.parsed import parse
        >>> PageTree(parse("<p class=a>One<p>Two")).find("//p[@class='a']")
        [3]
        """
        return self._evaluate(path)[0]

    def read(self, path: str) -> str:
        """The text that an expression names: of its first element, or an attribute or string."""
        return self._evaluate(path)[1]

    def _evaluate(self, path: str) -> tuple[list[int], str]:
        """Rows and text; in another process if it may take long: nothing else can end it."""
        if len(self._page) ** count_loops(path) <= _MOST_STEPS:
            return self.evaluate(path)
        if self._seconds <= 0:
            raise LimitExceeded("it takes too long on this page, with those before it")
        began = time.monotonic()
        try:
            return run_isolated(_evaluate_elsewhere, self._page, path, seconds=self._seconds)
        except LimitExceeded:
            raise LimitExceeded("it takes too long on this page") from None
        finally:
            self._seconds -= time.monotonic() - began

    def evaluate(self, path: str) -> tuple[list[int], str]:
        """The rows that an expression names, and the text of the first thing that it names."""
        try:
            found = self._root.xpath(path)
        except etree.XPathError as error:
            raise BadExpression(f"it is no XPath: {error}") from None
        rows = {self._row_of(one) for one in (found if isinstance(found, list) else ())}
        first = found[0] if isinstance(found, list) and found else found
        text = "".join(map(str, first.itertext())) if isinstance(first, etree._Element) else first
        return sorted(rows - {-1}), " ".join(text.split()) if isinstance(text, str) else ""

    def _row_of(self, found: Any) -> int:
        """The row of an element; of a text or an attribute that of the element that has it."""
        if not isinstance(found, etree._Element):
            found = getattr(found, "getparent", lambda: None)()
        return self._rows.get(found, -1)

    def _build(self, page: Page) -> Any:
        made: list[Any] = [None] * len(page)
        last: dict[int, Any] = {}  # the last child of each row: lxml would count them all
        for row in range(len(page)):
            parent = page.parent.item(row)
            above = made[parent] if row else None
            if page.tag.item(row) == TEXT:
                _add_text(above, last.get(parent), drop_non_xml(page.text[row]))
                continue
            tag = _NO_NAME.sub("_", tag_name(page, row))
            given = {
                _NO_NAME.sub("_", name): drop_non_xml(value)
                for name, value in page.attributes(row).items()
            }
            made[row] = (
                etree.Element(tag, given) if above is None else etree.SubElement(above, tag, given)
            )
            self._rows[made[row]] = row
            last[parent] = made[row]
        return made[0].getroottree()


def _add_text(parent: Any, before: Any, text: str) -> None:
    if before is None:
        parent.text = (parent.text or "") + text
    else:
        before.tail = (before.tail or "") + text


def count_loops(path: str) -> int:
    """The largest number of nested loops over a page that an expression may cause.

    >>> count_loops("//div[contains(@class, 'a//b')]/p"), count_loops("//p[../p[//a = //b]]")
    (1, 5)
    """
    return len(_LOOP.findall(_STRING.sub("''", path)))


def _evaluate_elsewhere(page: Page, path: str) -> tuple[list[int], str]:
    return PageTree(page).evaluate(path)
