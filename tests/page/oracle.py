"""A plain, slow walk over selectolax's nodes: what the table must hold, node by node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tearsheet.writing import drop_controls, drop_widthless


@dataclass(slots=True)
class Row:
    """One row that the table should hold."""

    name: str
    parent: int
    depth: int
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    end: int = 0


def rows(html: str | bytes, *, open_noscript: bool = False) -> list[Row]:
    """The tree's elements and text runs in document order; texts that touch are one run.

    Scripts, styles and templates are left out, but a shadow root is a `div` in its place, and so is
    each `<noscript>` if it is to be opened.
    """
    return _Reader(html, open_noscript).found


class _Reader:
    def __init__(self, html: str | bytes, open_noscript: bool) -> None:
        self.found: list[Row] = []
        self.open_noscript = open_noscript
        self.contents: dict[int, LexborNode] = {}
        self.page = self.parse(html, is_fragment=False)
        # The nodes that are still to be read, with the row above them; the innermost last.
        self.waiting = [(_siblings(self.page.root), -1)]
        while self.waiting:
            nodes, parent = self.waiting[-1]
            node = next(nodes, None)
            if node is not None:
                self.read(node, parent)
                continue
            self.waiting.pop()
            if parent >= 0:
                self.found[parent].end = len(self.found)

    def parse(self, html: str | bytes, *, is_fragment: bool) -> LexborHTMLParser:
        tree = LexborHTMLParser(html, scripting=True, is_fragment=is_fragment)
        waiting = tree.template_fragments()
        while waiting:
            fragment = waiting.pop()
            assert fragment.parent is not None
            self.contents[fragment.parent.mem_id] = fragment
            waiting += fragment.template_fragments()
        return tree

    def read(self, node: LexborNode, parent: int) -> None:
        depth = self.found[parent].depth + 1 if parent >= 0 else 0
        if node.is_text_node:
            self.read_text(drop_widthless(node.text_content or ""), parent, depth)
        if not node.is_element_node or node.tag in ("script", "style"):
            return
        if node.tag == "template" and "shadowrootmode" not in node.attributes:
            return
        attributes = {name: drop_controls(value or "") for name, value in node.attributes.items()}
        row, first = Row(node.tag or "", parent, depth, "", attributes), node.first_child
        if node.tag == "template":
            row.name, first = "div", self.contents.get(node.mem_id, node).first_child
        elif node.tag == "noscript" and self.open_noscript and node.parser is self.page:
            row.name, row.attributes = "div", {}
            first = self.parse(node.text(), is_fragment=True).root
        self.waiting.append((_siblings(first), len(self.found)))
        self.found.append(row)

    def read_text(self, text: str, parent: int, depth: int) -> None:
        last = self.found[-1]
        if last.name == "#text" and last.parent == parent:
            last.text += text
        elif text:
            self.found.append(Row("#text", parent, depth, text, end=len(self.found) + 1))


def _siblings(node: LexborNode | None) -> Iterator[LexborNode]:
    while node is not None:
        yield node
        node = node.next
