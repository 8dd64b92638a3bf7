"""Blocks inside blocks: a walk over all of them, the pictures they show, and blocks without some
of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from tearsheet.types import (
    Block,
    Callout,
    Definitions,
    Figure,
    Footnotes,
    Image,
    ListBlock,
    Post,
    Quote,
    Table,
)  # fmt: skip

Change: TypeAlias = Callable[[tuple[Block, ...]], tuple[Block, ...]]
"""Turns a sequence of blocks into another."""


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
    return change_blocks(
        blocks, lambda some: tuple(block for block in some if not isinstance(block, Table))
    )


def drop_captions(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks with figures that have no captions, those inside others too."""
    return change_blocks(blocks, lambda some: tuple(map(_drop_figure_caption, some)))


def _drop_figure_caption(block: Block) -> Block:
    if not isinstance(block, Figure):
        return block
    return replace(block, images=tuple(map(drop_caption, block.images)), caption=(), credit="")


def drop_caption(image: Image) -> Image:
    """The picture without its caption and credit."""
    return replace(image, caption="", credit="", caption_runs=())


def change_blocks(blocks: Iterable[Block], change: Change) -> tuple[Block, ...]:
    """The blocks after a function has changed each sequence of them, inner ones first."""
    return change(tuple(_change_inside(block, change) for block in blocks))


def _change_inside(block: Block, change: Change) -> Block:
    match block:
        case ListBlock():
            items = tuple(change_blocks(item, change) for item in block.items)
            return replace(block, items=items)
        case Definitions():
            entries = tuple((term, change_blocks(some, change)) for term, some in block.entries)
            return replace(block, entries=entries)
        case Quote() | Callout() | Post():
            return replace(block, blocks=change_blocks(block.blocks, change))
        case Footnotes():
            notes = (replace(it, blocks=change_blocks(it.blocks, change)) for it in block.notes)
            return replace(block, notes=tuple(notes))
        case Table():
            rows = tuple(
                tuple(replace(cell, blocks=change_blocks(cell.blocks, change)) for cell in row)
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
        case Quote() | Callout() | Post():
            yield block.blocks
        case Footnotes():
            yield from (note.blocks for note in block.notes)
        case Table():
            yield from (cell.blocks for row in block.rows for cell in row)
