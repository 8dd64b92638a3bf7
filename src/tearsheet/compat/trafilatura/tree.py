"""Blocks of an article → the XML elements that trafilatura uses for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np
from lxml import etree

from tearsheet.article import Article, assemble
from tearsheet.compat.trafilatura.settings import Extractor
from tearsheet.prose import plain_text
from tearsheet.tags import CODES
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
    Page,
    Paragraph,
    Post,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip

Mark: TypeAlias = tuple[str, str, str]
"""An element around text: its tag, and the name and value of its attribute."""
_TABLE: Final = CODES["table"]
_CELLS: Final = (CODES["td"], CODES["th"])
_SMALL_CELL: Final = 120
"""Characters that a cell has at most, on average."""
_NOWHERE_ROOT: Final = "https://page.invalid/"
NOWHERE: Final = _NOWHERE_ROOT + "folder/"
"""Stands for the address of a page that has none, so that its relative links are links."""
_MARKS: Final = {
    "strong": "#b", "em": "#i", "kbd": "#t", "sub": "#sub", "sup": "#sup", "ins": "#u",
}  # fmt: skip


def build_body(article: Article, options: Extractor) -> etree._Element:
    """The blocks of an article below a `body` element."""
    body = etree.Element("body")
    _add_blocks(body, _with_small_tables(article, options).blocks, options)
    return body


def _with_small_tables(article: Article, options: Extractor) -> Article:
    """The article with those tables that we take for a mere layout as tables, as there; unless
    their cells hold much text."""
    made = article.clippings[0]
    page = made.page
    found = [row for row in page.rows(_TABLE) if _is_small_table(page, row)]
    if not found or not options.tables:
        return article
    attrs = list(page.attrs)
    for row in found:
        attrs[row] = ' class="data"'
    marked = replace(made, page=replace(page, attrs=attrs))
    return assemble(marked, article.metadata, article.images)


def _is_small_table(page: Page, row: int) -> bool:
    tags = page.tag[row + 1 : page.end[row]]
    cells = int(np.isin(tags, _CELLS).sum())
    if not cells or (tags == _TABLE).any() or 'role="presentation"' in page.attrs[row]:
        return False
    return len(page.inner_text(row)) < _SMALL_CELL * cells


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
    hanging: dict[int, int] = {}  # column: rows that a cell above still reaches into
    for cells in block.rows:
        row = etree.SubElement(made, "row")
        for cell in cells:
            _add_hanging(row, hanging)
            role = {"role": "head"} if cell.header else {}
            for number in range(cell.colspan):
                hanging[len(row)] = cell.rowspan - 1
                blocks = () if number else cell.blocks
                _add_content(etree.SubElement(row, "cell", role), blocks, options)
        _add_hanging(row, hanging)
        for _ in range(widest - len(row)):  # as wide as the others, or Markdown has no table
            etree.SubElement(row, "cell")


def _add_hanging(row: etree._Element, hanging: dict[int, int]) -> None:
    """Empty cells where a cell of a row above reaches into this one."""
    while hanging.get(len(row), 0) > 0:
        hanging[len(row)] -= 1
        etree.SubElement(row, "cell")


def _add_figure(parent: etree._Element, block: Figure, options: Extractor) -> None:
    for image in block.images if options.images else ():
        shown = {"src": original_address(image.url), "alt": image.alt, "title": image.caption}
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
    """The runs as text; neighbours share the elements of the link and marks that they share."""
    open_elements: list[tuple[Mark, etree._Element]] = []
    for run in runs:
        wanted = _list_marks(run, options)
        while not all(mark in wanted for mark, _ in open_elements):
            open_elements.pop()
        known = [mark for mark, _ in open_elements]
        for mark in wanted:
            if mark not in known:
                inner = open_elements[-1][1] if open_elements else parent
                open_elements.append((mark, _open_mark(inner, mark)))
        inner = open_elements[-1][1] if open_elements else parent
        text = f"${run.text}$" if "math" in run.marks else run.text
        for number, line in enumerate(text.split("\n")):
            if number:
                etree.SubElement(inner, "lb")
            _add_text(inner, line)


def _list_marks(run: Run, options: Extractor) -> list[Mark]:
    """The link and the marks of a run, the outermost first."""
    found: list[Mark] = []
    if options.links and run.href:
        found.append(("ref", "target", original_address(run.href)))
    if "code" in run.marks:
        found.append(("code", "", ""))
    if options.formatting:
        found += [("hi", "rend", rend) for mark, rend in _MARKS.items() if mark in run.marks]
        if "del" in run.marks:
            found.append(("del", "", ""))
    return found


def _open_mark(parent: etree._Element, mark: Mark) -> etree._Element:
    tag, name, value = mark
    return etree.SubElement(parent, tag, {name: value} if name else {})


def original_address(address: str) -> str:
    """An address as the page has it, if the page was read without its own.

    >>> original_address(NOWHERE + "a.html"), original_address("https://page.invalid/b")
    ('a.html', '/b')
    """
    for base, own in ((NOWHERE, ""), (_NOWHERE_ROOT, "/")):
        if address.startswith(base):
            return own + address.removeprefix(base)
    return address


def _add_text(parent: etree._Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
