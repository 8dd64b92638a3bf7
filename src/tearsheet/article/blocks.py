"""Blocks inside blocks: a walk over all of them, and the pictures they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tearsheet.types import (
    Block,
    Definitions,
    Figure,
    Footnotes,
    Image,
    ListBlock,
    Quote,
    Table,
)  # fmt: skip


def walk_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks in order, those inside others too."""
    for block in blocks:
        yield block
        for inner in _blocks_inside(block):
            yield from walk_blocks(inner)


def shown_images(blocks: Iterable[Block]) -> list[Image]:
    """The pictures of all figures in order, each address once."""
    found: dict[str, Image] = {}
    for block in walk_blocks(blocks):
        if isinstance(block, Figure):
            for image in block.images:
                found.setdefault(image.url, image)
    return list(found.values())


def _blocks_inside(block: Block) -> Iterator[tuple[Block, ...]]:
    match block:
        case ListBlock():
            yield from block.items
        case Definitions():
            yield from (blocks for _, blocks in block.entries)
        case Quote():
            yield block.blocks
        case Footnotes():
            yield from (note.blocks for note in block.notes)
        case Table():
            yield from (cell.blocks for row in block.rows for cell in row)
