"""What each element means for the blocks of an article.

`Builder` of the compiled core goes over the rows with a stack of open elements. Here is, for each
tag, the function that opens it and the one that closes it; the table at the end names them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tearsheet import gc_pause
from tearsheet._core.blocks import Builder, OpenElement, trim_runs
from tearsheet.addresses import drop_tracking, link_address
from tearsheet.article import callouts, listings, refine, tables
from tearsheet.article.embeds import read_embed
from tearsheet.article.material import Material
from tearsheet.tags import CODES, OTHER
from tearsheet.types import (
    Block,
    Callout,
    Cell,
    Code,
    Definitions,
    Embed,
    Footnotes,
    Heading,
    ListBlock,
    Math,
    Note,
    Paragraph,
    Post,
    Quote,
    Rule,
    Table,
)  # fmt: skip

_LONGEST_LINE: Final = 4
"""Most segments of a heading, term or caption; an element with more is a box around blocks."""
_MOST_INNER_TABLES: Final = 12
"""Fewest tables inside a table that make it one of layout or facts."""


def build(material: Material) -> list[Block]:
    """The blocks of an article, in order."""
    with gc_pause.pause_gc():
        return refine.refine_blocks(Builder(material, _OPENERS, _open_special).build(), material)


def _open_special(builder: Builder, row: int) -> None:
    """Adds the figure at a row, or opens the post or the note."""
    material = builder.material
    figure = material.figures.get(row)
    if figure is not None:
        builder.add_beside_line(replace(figure, origin=builder.origin(row)))
    opener = _OPENERS.get(material.tag[row])
    if row in material.posts and builder.fits():
        builder.open("post", row, _close_post)
    elif row in material.notes.targets and builder.fits():
        builder.open("note", row, _close_note)
    elif opener is not None:
        opener(builder, row)


def _close_post(builder: Builder, box: OpenElement) -> None:
    """Adds a post, and then the posts inside it, which answer it."""
    blocks = tuple(block for block in box.blocks if not isinstance(block, Post))
    head = builder.material.posts[box.row]
    if blocks:
        builder.add(
            Post(
                blocks, head.author, head.published, head.kind, head.depth, builder.origin(box.row)
            )
        )
    for block in box.blocks:
        if isinstance(block, Post):
            builder.add(block)


def _open_link(builder: Builder, row: int) -> None:
    notes, page = builder.material.notes, builder.page
    if row in notes.backlinks:
        builder.skip(row)
        return
    marks, _, _ = builder.style
    note = notes.references.get(row)
    if note is not None:
        builder.open_inline(row, (marks - {"sup"}, None, note))
    elif " href=" in page.attrs[row]:
        address = link_address(page.base_url, page.attribute(row, "href"))
        builder.open_inline(row, (marks, drop_tracking(address) if address else None, None))


def _open_heading(builder: Builder, row: int) -> None:
    _open_line(builder, row, _close_heading)


def _open_line(builder: Builder, row: int, close: Callable[[Builder, OpenElement], None]) -> None:
    """Opens a heading, term or caption: one line of runs, whatever elements it contains."""
    segment, end = builder.material.segment, builder.material.end[row]
    if builder.fits() and segment[end - 1] - segment[row] <= _LONGEST_LINE:
        builder.open("line", row, close)


def _close_heading(builder: Builder, element: OpenElement) -> None:
    if element.runs:
        level = builder.material.tag[element.row] - CODES["h1"] + 1
        builder.add(Heading(element.runs, level, builder.origin(element.row)))


def _open_quote(builder: Builder, row: int) -> None:
    if builder.fits():
        builder.open("quote", row, _close_quote)


def _close_quote(builder: Builder, box: OpenElement) -> None:
    if box.blocks:
        cite = link_address(builder.page.base_url, builder.page.attribute(box.row, "cite"))
        builder.add(Quote(tuple(box.blocks), cite, builder.origin(box.row)))


def _open_list(builder: Builder, row: int) -> None:
    if builder.fits():
        builder.open("list", row, _close_list)


def _open_item(builder: Builder, row: int) -> None:
    if builder.boxes[-1].name == "list" and builder.fits():
        builder.open("item", row, _close_item)


def _close_item(builder: Builder, box: OpenElement) -> None:
    if box.blocks:
        builder.boxes[-1].parts.append(box.blocks)


def _close_list(builder: Builder, box: OpenElement) -> None:
    if not box.parts:
        return
    if 2 * sum(map(_is_note, box.parts)) >= len(box.parts):
        builder.add(Footnotes(_collect_notes(box), builder.origin(box.row)))
        return
    page, ordered = builder.page, builder.material.tag[box.row] == CODES["ol"]
    start = page.attribute(box.row, "start") if ordered and page.attrs[box.row] else None
    first = int(start) if start and start.lstrip("-").isdecimal() and len(start) < 9 else 1
    items = tuple(tuple(item) for item in box.parts)
    builder.add(ListBlock(items, ordered, first, builder.origin(box.row)))


def _is_note(item: list[Block]) -> bool:
    return len(item) == 1 and isinstance(item[0], Footnotes)


def _collect_notes(box: OpenElement) -> tuple[Note, ...]:
    """The notes of a list. An item that nothing refers to becomes a note, too."""
    found: list[Note] = []
    for number, item in enumerate(box.parts, 1):
        if _is_note(item):
            found += item[0].notes
        else:
            found.append(Note(f"fn-x{number}", str(number), tuple(item)))
    return tuple(found)


def _close_note(builder: Builder, box: OpenElement) -> None:
    if not box.blocks:
        return
    notes = builder.material.notes
    name = notes.targets[box.row]
    label = notes.labels[name]
    counted = builder.material.tag[box.row] == CODES["li"]  # its number is not in the text
    blocks = tuple(box.blocks)
    note = Note(name, label, blocks if counted else _drop_label(blocks, label))
    parent = builder.boxes[-1]
    before = parent.blocks[-1] if parent.blocks else None
    if parent.name != "list" and isinstance(before, Footnotes):
        parent.blocks[-1] = Footnotes((*before.notes, note), before.origin)
    else:
        builder.add(Footnotes((note,), builder.origin(box.row)))


def _drop_label(blocks: tuple[Block, ...], label: str) -> tuple[Block, ...]:
    """The blocks without the number at their beginning, which the label repeats."""
    first = blocks[0]
    if not isinstance(first, Paragraph):
        return blocks
    begin = re.match(rf"[\[(^]*{re.escape(label)}[\]).:]*(?: |$)", first.runs[0].text)
    if begin is None:
        return blocks
    rest = first.runs[0]._replace(text=first.runs[0].text[begin.end() :])
    runs = tuple(trim_runs([rest, *first.runs[1:]] if rest.text else list(first.runs[1:])))
    return (replace(first, runs=runs), *blocks[1:]) if runs else blocks[1:] or blocks


def _open_definitions(builder: Builder, row: int) -> None:
    if builder.fits():
        builder.open("definitions", row, _close_definitions)


def _open_term(builder: Builder, row: int) -> None:
    if builder.boxes[-1].name == "definitions":
        _open_line(builder, row, _close_term)


def _close_term(builder: Builder, element: OpenElement) -> None:
    if element.runs:
        builder.boxes[-1].parts.append((element.runs, []))


def _open_explanation(builder: Builder, row: int) -> None:
    builder.flush()


def _close_definitions(builder: Builder, box: OpenElement) -> None:
    if box.parts:
        entries = tuple((term, tuple(blocks)) for term, blocks in box.parts)
        builder.add(Definitions(entries, builder.origin(box.row)))


def _open_code(builder: Builder, row: int) -> None:
    material = builder.material
    builder.skip(row)
    text = listings.read_code(material.page, row, material.tag, material.text)
    if text and not listings.is_gutter_text(text):
        _add_code(builder, row, text, listings.find_language(material.page, row))


def _open_editor(builder: Builder, row: int) -> None:
    material = builder.material
    text = listings.read_editor(material.page, row, material.tag, material.text)
    if text:
        builder.skip(row)
        _add_code(builder, row, text, listings.find_inner_language(material.page, row))


def _add_code(builder: Builder, row: int, text: str, language: str) -> None:
    if builder.boxes[-1].name != "line":
        builder.flush()
    builder.add(Code(text, language, builder.origin(row)))


def _open_table(builder: Builder, row: int) -> None:
    if not builder.fits():
        return
    material = builder.material
    rows, tables_inside = material.rows, material.tables
    at = bisect_left(tables_inside, row + 1)
    inner = bisect_left(tables_inside, material.end[row]) - at
    if inner > _MOST_INNER_TABLES or (inner and not tables.has_own_headers(material.page, row)):
        return  # a table around tables is for layout
    if any(box.name == "table" for box in builder.boxes):
        return  # in a cell, its lines are enough
    inside = rows[bisect_left(rows, row + 1) : bisect_left(rows, material.end[row])]
    if listings.is_listing(material.page, inside):
        _open_code(builder, row)
    elif tables.is_data_table(material.page, row, inside):
        builder.open("table", row, _close_table)


def _open_caption(builder: Builder, row: int) -> None:
    if builder.boxes[-1].name == "table":
        _open_line(builder, row, _close_caption)


def _close_caption(builder: Builder, element: OpenElement) -> None:
    builder.boxes[-1].runs = element.runs


def _open_row(builder: Builder, row: int) -> None:
    if builder.boxes[-1].name == "table":
        builder.open("row", row, _close_row)


def _close_row(builder: Builder, box: OpenElement) -> None:
    if box.parts:
        builder.boxes[-1].parts.append(tuple(box.parts))


def _open_cell(builder: Builder, row: int) -> None:
    if builder.boxes[-1].name == "row":
        builder.open("cell", row, _close_cell)


def _close_cell(builder: Builder, box: OpenElement) -> None:
    page, row = builder.page, box.row
    header = builder.material.tag[row] == CODES["th"]
    colspan, rowspan = (
        tables.read_span(page, row, "colspan"),
        tables.read_span(page, row, "rowspan"),
    )
    builder.boxes[-1].parts.append(Cell(tuple(box.blocks), header, colspan, rowspan))


def _close_table(builder: Builder, box: OpenElement) -> None:
    for block in box.blocks:
        builder.add(block)
    if box.parts:
        table = Table(tuple(box.parts), box.runs, builder.origin(box.row))
        builder.add(tables.clip_spans(table))


def _open_formula(builder: Builder, row: int) -> None:
    formula = builder.material.formulas.get(row)
    if formula is None:
        return
    if formula.display:
        if builder.boxes[-1].name != "line":
            builder.flush()
        builder.add(Math(formula.tex, formula.mathml, builder.origin(row)))
    elif formula.tex:
        builder.add_formula(row, formula.tex)


def _open_span(builder: Builder, row: int) -> None:
    """Adds a formula; skips a note inside a sentence, which is added at the end."""
    if row in builder.material.notes.inline:
        builder.skip(row)
    else:
        _open_formula(builder, row)


def _open_box(builder: Builder, row: int) -> None:
    """Opens a callout, or adds the embed, the code or the formula that a block shows."""
    material = builder.material
    embed = material.facades.get(row)
    if embed is not None:
        builder.skip(row)
        _add_embed(builder, embed)
    elif row in material.editors:
        _open_editor(builder, row)
    elif row not in material.callouts:
        _open_formula(builder, row)
    elif builder.fits():
        builder.open("callout", row, _close_callout)


def _close_callout(builder: Builder, box: OpenElement) -> None:
    title, blocks = callouts.split_title(builder.page, tuple(box.blocks))
    if blocks or title:
        kind = builder.material.callouts[box.row]
        builder.add(Callout(blocks, kind, title, builder.origin(box.row)))


def _open_rule(builder: Builder, row: int) -> None:
    builder.flush()
    box = builder.boxes[-1]
    if box.name in ("article", "quote") and box.blocks and not isinstance(box.blocks[-1], Rule):
        box.blocks.append(Rule(builder.origin(row)))


def _open_embed(builder: Builder, row: int) -> None:
    _add_embed(builder, read_embed(builder.page, row))


def _add_embed(builder: Builder, found: Embed | None) -> None:
    if found is not None and builder.boxes[-1].name != "line":
        builder.flush()
        builder.add(found)


_OPENERS: Final[dict[int, Callable[[Builder, int], None]]] = {
    CODES[name]: opens
    for names, opens in {
        "a": _open_link,
        "h1 h2 h3 h4 h5 h6": _open_heading,
        "blockquote": _open_quote,
        "ul ol menu dir": _open_list,
        "li": _open_item,
        "dl": _open_definitions,
        "dt": _open_term,
        "dd": _open_explanation,
        "pre listing xmp plaintext": _open_code,
        "table": _open_table,
        "caption": _open_caption,
        "tr": _open_row,
        "td th": _open_cell,
        "math img": _open_formula,
        "span": _open_span,
        "div section aside details p figure button": _open_box,
        "hr": _open_rule,
        "iframe video audio object embed": _open_embed,
    }.items()
    for name in names.split()
}
_OPENERS[OTHER] = _open_box
