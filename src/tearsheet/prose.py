"""Blocks → plain text: what a reader would copy, one blank line between blocks.

No word stands here that the page does not have: no labels, no alternative texts, no addresses.
Pictures are left out with their captions, which interrupt a text that is read without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from tearsheet.types import (
    Block,
    Code,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    ListBlock,
    Math,
    Paragraph,
    Quote,
    Rule,
    Runs,
    Table,
)  # fmt: skip


def plain_text(blocks: Iterable[Block]) -> str:
    """The text of blocks, in order."""
    texts = [_TEXT[type(block)](block) for block in blocks]
    return "\n\n".join([text for text in texts if text])


def _line(block: Paragraph | Heading) -> str:
    runs = block.runs
    return runs[0][0] if len(runs) == 1 else _runs(runs)


def _runs(runs: Runs) -> str:
    return "".join([run[0] for run in runs])  # by index: half the time of `run.text`


def _list(block: ListBlock) -> str:
    lines = []
    for number, item in enumerate(block.items, block.start):
        sign = f"{number}. " if block.ordered else "- "
        text = "\n".join([_TEXT[type(part)](part) for part in item])
        lines.append(sign + (text.replace("\n", "\n" + " " * len(sign)) if "\n" in text else text))
    return "\n".join(lines)


def _definitions(block: Definitions) -> str:
    lines = []
    for term, blocks in block.entries:
        if term:
            lines.append(_runs(term))
        lines += ("  " + plain_text((part,)).replace("\n", "\n  ") for part in blocks)
    return "\n".join(lines)


def _quote(block: Quote) -> str:
    return plain_text(block.blocks)


def _code(block: Code) -> str:
    return block.text


def _table(block: Table) -> str:
    lines = [_runs(block.caption)] if block.caption else []
    lines += ("\t".join(_cell(cell.blocks) for cell in row).rstrip("\t") for row in block.rows)
    return "\n".join(line for line in lines if line)


def _cell(blocks: tuple[Block, ...]) -> str:
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return _runs(blocks[0].runs).replace("\n", " ")
    return " ".join(plain_text(blocks).split())


def _math(block: Math) -> str:
    return block.tex


def _footnotes(block: Footnotes) -> str:
    return "\n".join(f"{note.label}. {plain_text(note.blocks)}" for note in block.notes)


def _nothing(block: Figure | Embed | Rule) -> str:
    return ""


_TEXT: Final[Mapping[type, Callable[[Any], str]]] = {
    Paragraph: _line, Heading: _line, ListBlock: _list, Definitions: _definitions, Quote: _quote,
    Code: _code, Table: _table, Figure: _nothing, Math: _math, Footnotes: _footnotes,
    Embed: _nothing, Rule: _nothing,
}  # fmt: skip
