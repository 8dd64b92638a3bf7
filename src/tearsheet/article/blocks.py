"""Blocks inside blocks: a walk over all of them, the pictures they show, and blocks without some
of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

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


def drop_tables(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks without tables, those inside others too."""
    return _change_blocks(blocks, lambda block: None if isinstance(block, Table) else block)


def drop_captions(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks with figures that have no captions, those inside others too."""
    return _change_blocks(
        blocks,
        lambda block: (
            replace(block, images=tuple(map(drop_caption, block.images)), caption=(), credit="")
            if isinstance(block, Figure)
            else block
        ),
    )


def drop_caption(image: Image) -> Image:
    """The picture without its caption and credit."""
    return replace(image, caption="", credit="", caption_runs=())


def _change_blocks(
    blocks: Iterable[Block], change: Callable[[Block], Block | None]
) -> tuple[Block, ...]:
    """The blocks as a function changes each, the inner ones first; None: the block goes."""
    changed = (change(_change_inside(block, change)) for block in blocks)
    return tuple(block for block in changed if block is not None)


def _change_inside(block: Block, change: Callable[[Block], Block | None]) -> Block:
    match block:
        case ListBlock():
            items = tuple(_change_blocks(item, change) for item in block.items)
            return replace(block, items=items)
        case Definitions():
            entries = tuple((term, _change_blocks(some, change)) for term, some in block.entries)
            return replace(block, entries=entries)
        case Quote():
            return replace(block, blocks=_change_blocks(block.blocks, change))
        case Footnotes():
            notes = (replace(it, blocks=_change_blocks(it.blocks, change)) for it in block.notes)
            return replace(block, notes=tuple(notes))
        case Table():
            rows = tuple(
                tuple(replace(cell, blocks=_change_blocks(cell.blocks, change)) for cell in row)
                for row in block.rows
            )
            return replace(block, rows=rows)
        case _:
            return block


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
