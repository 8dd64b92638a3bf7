"""A plain, slow walk over lexbor's own nodes: what the table must say, node by node."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode


@dataclass(slots=True)
class Row:
    """What one row of the table should hold."""

    name: str
    parent: int
    depth: int
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    end: int = 0


def rows(html: str | bytes) -> list[Row]:
    """The tree's elements and text runs in document order; texts that touch are one run."""
    tree = LexborHTMLParser(html, scripting=True)
    tree.strip_tags(["script", "style", "template"])
    found: list[Row] = []
    open_: list[int] = []
    node, depth = tree.root, 0
    while node is not None:
        if node.is_text_node:
            _add_text(found, open_, node, depth)
        elif node.is_element_node:
            parent = open_[-1] if open_ else -1
            attributes = {name: value or "" for name, value in node.attributes.items()}
            found.append(Row(node.tag or "", parent, depth, "", attributes))
            found[-1].end = len(found)
            if node.child is not None:
                open_.append(len(found) - 1)
                node, depth = node.child, depth + 1
                continue
        while node is not None and node.next is None and depth:
            node, depth = node.parent, depth - 1
            found[open_.pop()].end = len(found)
        node = node.next if node is not None and depth else None
    return found


def _add_text(found: list[Row], open_: list[int], node: LexborNode, depth: int) -> None:
    text = node.text_content or ""
    last = found[-1] if found else None
    if last is not None and last.name == "#text" and last.parent == open_[-1]:
        last.text += text
    elif text:
        found.append(Row("#text", open_[-1], depth, text, end=len(found) + 1))
