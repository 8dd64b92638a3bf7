"""Blocks of an article → the XML elements that trafilatura uses for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from lxml import etree

from tearsheet.compat.trafilatura.settings import Extractor
from tearsheet.prose import plain_text
from tearsheet.types import (
    Block,
    Callout,
    Code,
    Comment,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    ListBlock,
    Math,
    Paragraph,
    Post,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip

_MARKS: Final = {
    "strong": "#b", "em": "#i", "kbd": "#t", "sub": "#sub", "sup": "#sup", "ins": "#u",
}  # fmt: skip


def build_body(blocks: Iterable[Block], options: Extractor) -> etree._Element:
    """The blocks below a `body` element."""
    body = etree.Element("body")
    _add_blocks(body, blocks, options)
    return body


def build_comments(comments: Iterable[Comment]) -> etree._Element:
    body = etree.Element("body")
    for comment in comments:
        for line in comment.text.split("\n"):
            if line.strip():
                etree.SubElement(body, "p").text = line.strip()
    return body


def _add_blocks(parent: etree._Element, blocks: Iterable[Block], options: Extractor) -> None:
    for block in blocks:
        _WRITERS[type(block)](parent, block, options)


def _add_heading(parent: etree._Element, block: Heading, options: Extractor) -> None:
    _add_runs(etree.SubElement(parent, "head", rend=f"h{block.level}"), block.runs, options)


def _add_paragraph(parent: etree._Element, block: Paragraph, options: Extractor) -> None:
    _add_runs(etree.SubElement(parent, "p"), block.runs, options)


def _add_list(parent: etree._Element, block: ListBlock, options: Extractor) -> None:
    made = etree.SubElement(parent, "list", rend="ol" if block.ordered else "ul")
    for parts in block.items:
        _add_content(etree.SubElement(made, "item"), parts, options)


def _add_content(parent: etree._Element, blocks: tuple[Block, ...], options: Extractor) -> None:
    """The blocks of an item or a cell; a first paragraph is its own text."""
    if blocks and isinstance(blocks[0], Paragraph):
        _add_runs(parent, blocks[0].runs, options)
        blocks = blocks[1:]
    _add_blocks(parent, blocks, options)


def _add_definitions(parent: etree._Element, block: Definitions, options: Extractor) -> None:
    made = etree.SubElement(parent, "list", rend="dl")
    for number, (term, blocks) in enumerate(block.entries, 1):
        _add_runs(etree.SubElement(made, "item", rend=f"dt-{number}"), term, options)
        for part in blocks:
            _add_content(etree.SubElement(made, "item", rend=f"dd-{number}"), (part,), options)


def _add_quote(parent: etree._Element, block: Quote, options: Extractor) -> None:
    made = etree.SubElement(parent, "quote")
    if len(block.blocks) == 1:
        _add_content(made, block.blocks, options)
    else:
        _add_blocks(made, block.blocks, options)


def _add_callout(parent: etree._Element, block: Callout, options: Extractor) -> None:
    if block.label:
        _add_runs(etree.SubElement(parent, "p"), block.label, options)
    _add_blocks(parent, block.blocks, options)


def _add_post(parent: etree._Element, block: Post, options: Extractor) -> None:
    _add_blocks(parent, block.blocks, options)


def _add_code(parent: etree._Element, block: Code, options: Extractor) -> None:
    etree.SubElement(parent, "code").text = block.text


def _add_table(parent: etree._Element, block: Table, options: Extractor) -> None:
    if block.caption:
        _add_runs(etree.SubElement(parent, "p"), block.caption, options)
    made = etree.SubElement(parent, "table")
    widest = max((sum(cell.colspan for cell in cells) for cells in block.rows), default=0)
    for cells in block.rows:
        row = etree.SubElement(made, "row")
        for cell in cells:
            role = {"role": "head"} if cell.header else {}
            _add_content(etree.SubElement(row, "cell", role), cell.blocks, options)
            for _ in range(cell.colspan - 1):
                etree.SubElement(row, "cell", role)
        for _ in range(widest - len(row)):  # as wide as the others, or Markdown has no table
            etree.SubElement(row, "cell")


def _add_figure(parent: etree._Element, block: Figure, options: Extractor) -> None:
    for image in block.images if options.images else ():
        shown = {"src": image.url, "alt": image.alt, "title": image.caption}
        etree.SubElement(parent, "graphic", {k: v for k, v in shown.items() if v})


def _add_math(parent: etree._Element, block: Math, options: Extractor) -> None:
    if block.tex:
        etree.SubElement(parent, "p").text = block.tex


def _add_footnotes(parent: etree._Element, block: Footnotes, options: Extractor) -> None:
    made = etree.SubElement(parent, "list", rend="ol")
    for note in block.notes:
        etree.SubElement(made, "item").text = plain_text(note.blocks)


def _add_nothing(parent: etree._Element, block: Embed | Rule, options: Extractor) -> None:
    """What trafilatura leaves out as well."""


_WRITERS: Final[Mapping[type, Callable[[etree._Element, Any, Extractor], None]]] = {
    Heading: _add_heading,
    Paragraph: _add_paragraph,
    ListBlock: _add_list,
    Definitions: _add_definitions,
    Quote: _add_quote,
    Callout: _add_callout,
    Post: _add_post,
    Code: _add_code,
    Table: _add_table,
    Figure: _add_figure,
    Math: _add_math,
    Footnotes: _add_footnotes,
    Embed: _add_nothing,
    Rule: _add_nothing,
}


def _add_runs(parent: etree._Element, runs: Runs, options: Extractor) -> None:
    for run in runs:
        inner = _open_marks(parent, run, options)
        for number, line in enumerate(run.text.split("\n")):
            if number:
                etree.SubElement(inner, "lb")
            _add_text(inner, line)


def _open_marks(parent: etree._Element, run: Run, options: Extractor) -> etree._Element:
    """The innermost of the elements for a run's link and marks."""
    if options.links and run.href:
        parent = etree.SubElement(parent, "ref", target=run.href)
    if "code" in run.marks:
        parent = etree.SubElement(parent, "code")
    if options.formatting:
        for mark in sorted(run.marks & set(_MARKS)):
            parent = etree.SubElement(parent, "hi", rend=_MARKS[mark])
        if "del" in run.marks:
            parent = etree.SubElement(parent, "del")
    return parent


def _add_text(parent: etree._Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
