"""One pass over the rows of an article with a stack of open elements: rows → blocks.

The stack holds elements whose subtree is not over (`end` tells), so nothing recurses, whatever the
depth of the page. Text collects in a line of runs; the line becomes a paragraph when a line break,
the edge of a block or another block comes. What an element means is told by one function that
opens it and one that closes it, found by its tag at the end of this file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from tearsheet import gc_pause
from tearsheet.addresses import link_address
from tearsheet.article import listings, tables
from tearsheet.article.embeds import embed
from tearsheet.article.material import Material
from tearsheet.tags import CODES, MARKS, TEXT
from tearsheet.types import (
    Block,
    Cell,
    Code,
    Definitions,
    Figure,
    Footnotes,
    Heading,
    ListBlock,
    Math,
    Note,
    Origin,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip
from tearsheet.writing import drop_widthless

_DEEPEST: Final = 24
"""How deep boxes nest; what lies deeper goes on as paragraphs."""
_LONGEST_LINE: Final = 4
"""Segments that a heading, term or caption may have; one with more is a box around blocks."""
_TEX: Final = re.compile(r"\\[(\[](.+?)\\[)\]]")

Style: TypeAlias = tuple[frozenset[str], str | None, str | None]
"""Marks, link and note of a run."""
_PLAIN: Final[Style] = (frozenset(), None, None)
_FORMULA: Final[Style] = (frozenset({"math"}), None, None)
_BREAK: Final = Run("\n")
_new: Final = tuple.__new__  # a third of the time that the constructor of a named tuple takes


class _Open:
    """An element whose subtree is not over yet."""

    __slots__ = ("blocks", "close", "end", "name", "parts", "row", "runs", "style")

    def __init__(self, name: str, row: int, end: int, style: Style) -> None:
        self.name = name
        self.row = row
        self.end = end
        self.style = style
        """The style around it, to go back to."""
        self.close: Callable[[_Builder, _Open], None] | None = None
        self.blocks: list[Block]
        self.parts: list[Any]
        """Items of a list, entries of definitions, cells of a row, rows of a table."""
        self.runs: Runs = ()


def build(material: Material) -> list[Block]:
    """The blocks of an article, in order."""
    with gc_pause.pause_gc():
        return _Builder(material).run()


class _Builder:
    """The state of the pass."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.page = material.page
        self.tag, self.end, self.segments = material.tag, material.end, material.segment
        self.breaks: Any = material.page.breaks.data
        self.style = _PLAIN
        root = _Open("article", 0, len(material.page) + 1, _PLAIN)
        root.blocks = []
        self.stack = [root]
        self.boxes = [root]  # the open elements that hold blocks
        self.line: list[tuple[str, Style]] = []
        self.spaced = True  # a space at this point would be one too many
        self.first = self.last = self.segment = -1
        self.over = 0  # rows before this one have been dealt with
        self.late: list[Block] = []  # figures and formulas inside a line; they follow it

    def run(self) -> list[Block]:
        stack = self.stack
        special = {*self.material.figures, *self.material.notes.targets}
        for row in self.material.rows:
            if row < self.over:
                continue
            while stack[-1].end <= row:
                self.close()
            code = self.tag[row]
            if code == TEXT:
                self.text(row)
            elif code in MARKS:
                stack.append(_Open("mark", row, self.end[row], self.style))
                marks, href, note = self.style
                self.style = (marks | {MARKS[code]}, href, note)
            elif row in special:
                self.special(row, code)
            elif code in _OPENERS:
                _OPENERS[code](self, row)
        while len(stack) > 1:
            self.close()
        self.flush()
        return stack[0].blocks

    def text(self, row: int) -> None:
        """Adds a row of text to the line, white space folded."""
        segment = self.segments[row]
        if segment != self.segment:
            self.turn(segment, row)
            whole = self.material.whole[segment]
            if whole:
                self.put(row, whole, spaced=False)
                return
        raw = _seen(self.page.text[row])
        words = raw.split()
        if words:
            text = " ".join(words)
            if not self.spaced and raw[0].isspace():
                text = " " + text
            spaced = raw[-1].isspace()
            self.put(row, text + " " if spaced else text, spaced)
        elif raw and not self.spaced:
            self.line.append((" ", self.style))
            self.spaced = True

    def put(self, row: int, text: str, spaced: bool) -> None:
        if not self.line:
            self.first = row
        self.last, self.spaced = row, spaced
        if "\\" in text and "code" not in self.style[0]:
            self.line += _formulas(text, self.style)
        else:
            self.line.append((text, self.style))

    def turn(self, segment: int, row: int) -> None:
        """A new segment: a line break, the end of the paragraph, or text behind a formula."""
        before, self.segment = self.segment, segment
        if not self.line or self.breaks[row] == self.breaks[self.last]:
            return
        joined = self.material.joins[segment] and segment == before + 1
        if joined or self.boxes[-1].name == "line":
            self.line.append(("\n", _PLAIN))
            self.spaced = True
        else:
            self.flush()

    def flush(self) -> None:
        """The line becomes a paragraph."""
        if self.line:
            runs = self.runs()
            if runs:
                score = self.material.score[self.segment] if self.segment >= 0 else None
                origin = _new(Origin, (0, self.first, self.last + 1, score))
                self.add(Paragraph(runs, origin))
        if self.late:
            late, self.late = self.late, []
            for block in late:
                self.add(block)

    def runs(self) -> Runs:
        """The line, which is empty then: neighbours of one style joined, ends trimmed."""
        pieces, self.line, self.spaced = self.line, [], True
        if len(pieces) == 1:
            text, style = pieces[0]
            text = text.strip(" ")
            return (_run(text, style),) if text else ()
        return tuple(_trimmed(_joined(pieces)))

    def add(self, block: Block) -> None:
        """Puts a block where it belongs in the innermost box."""
        box = self.boxes[-1]
        if box.name == "line":
            self.late.append(block)
        elif box.name == "list":
            if box.parts and isinstance(block, ListBlock):
                box.parts[-1].append(block)
            else:
                box.parts.append([block])
        elif box.name == "definitions":
            if not box.parts:
                box.parts.append(((), []))
            box.parts[-1][1].append(block)
        else:
            box.blocks.append(block)

    def special(self, row: int, code: int) -> None:
        """A picture's row, or the element that is a note."""
        figure = self.material.figures.get(row)
        if figure is not None:
            self.figure(replace(figure, origin=self.origin(row)))
        if row in self.material.notes.targets and self.fits():
            self.open("note", row, _close_note)
        elif code in _OPENERS:
            _OPENERS[code](self, row)

    def figure(self, figure: Figure) -> None:
        if self.line:
            self.late.append(figure)
        else:
            self.add(figure)

    def fits(self) -> bool:
        """Whether another box may open here. Where not, its content goes on as paragraphs."""
        return self.boxes[-1].name != "line" and len(self.boxes) < _DEEPEST

    def open(self, name: str, row: int, close: Callable[[_Builder, _Open], None]) -> None:
        """Opens an element that holds blocks or, named "line", a line of runs."""
        self.flush()
        box = _Open(name, row, self.end[row], self.style)
        box.close, box.blocks, box.parts = close, [], []
        self.stack.append(box)
        self.boxes.append(box)

    def close(self) -> None:
        element = self.stack.pop()
        if element.close is not None:
            if element.name == "line":
                element.runs = self.runs()
            else:
                self.flush()
            self.boxes.pop()
            element.close(self, element)
            if self.late:
                self.flush()
        self.style = element.style

    def origin(self, row: int) -> Origin:
        return _new(Origin, (0, row, self.end[row], None))


def _seen(text: str) -> str:
    """The text without signs that only say where it may break or turn, as in its segment."""
    return drop_widthless(text)


def _formulas(text: str, style: Style) -> list[tuple[str, Style]]:
    """The text with what stands in TeX's own brackets as formulas."""
    pieces = [(piece, _FORMULA if i % 2 else style) for i, piece in enumerate(_TEX.split(text))]
    return [piece for piece in pieces if piece[0]]


def _joined(pieces: list[tuple[str, Style]]) -> list[Run]:
    found: list[Run] = []
    held, style = "", _PLAIN
    for text, own in [*pieces, ("", _PLAIN)]:
        if own == style and text != "\n" and own is not _FORMULA:
            held += text
            continue
        if text == "\n":
            held = held.rstrip(" ")
        if held:
            found.append(_run(held, style))
        if text == "\n":
            found.append(_BREAK)
            text = ""
        held, style = text, own
    if held:
        found.append(_run(held, style))
    return found


def _run(text: str, style: Style) -> Run:
    return _new(Run, (text, style[0], style[1], style[2]))


def _trimmed(runs: list[Run]) -> list[Run]:
    """The runs without breaks and blanks at both ends."""
    while runs and (runs[-1] is _BREAK or not runs[-1].text.strip()):
        runs.pop()
    while runs and (runs[0] is _BREAK or not runs[0].text.strip()):
        del runs[0]
    if runs and runs[0].text[0] == " ":
        runs[0] = runs[0]._replace(text=runs[0].text[1:])
    if runs and runs[-1].text[-1] == " ":
        runs[-1] = runs[-1]._replace(text=runs[-1].text[:-1])
    return runs


def _open_link(builder: _Builder, row: int) -> None:
    notes, end = builder.material.notes, builder.material.end[row]
    builder.stack.append(_Open("link", row, end, builder.style))
    if row in notes.backlinks:
        builder.over = end
        return
    marks, _, _ = builder.style
    note = notes.references.get(row)
    if note is not None:
        builder.style = (marks - {"sup"}, None, note)
        return
    page = builder.page
    if " href=" in page.attrs[row]:
        builder.style = (marks, link_address(page.base_url, page.attribute(row, "href")), None)


def _open_heading(builder: _Builder, row: int) -> None:
    _open_line(builder, row, _close_heading)


def _open_line(builder: _Builder, row: int, close: Callable[[_Builder, _Open], None]) -> None:
    """A heading, term or caption: one line of runs, whatever stands in it."""
    segment, end = builder.material.segment, builder.material.end[row]
    if builder.fits() and segment[end - 1] - segment[row] <= _LONGEST_LINE:
        builder.open("line", row, close)


def _close_heading(builder: _Builder, element: _Open) -> None:
    if element.runs:
        level = builder.material.tag[element.row] - CODES["h1"] + 1
        builder.add(Heading(element.runs, level, builder.origin(element.row)))


def _open_quote(builder: _Builder, row: int) -> None:
    if builder.fits():
        builder.open("quote", row, _close_quote)


def _close_quote(builder: _Builder, box: _Open) -> None:
    if box.blocks:
        cite = link_address(builder.page.base_url, builder.page.attribute(box.row, "cite"))
        builder.add(Quote(tuple(box.blocks), cite, builder.origin(box.row)))


def _open_list(builder: _Builder, row: int) -> None:
    if builder.fits():
        builder.open("list", row, _close_list)


def _open_item(builder: _Builder, row: int) -> None:
    if builder.boxes[-1].name == "list" and builder.fits():
        builder.open("item", row, _close_item)


def _close_item(builder: _Builder, box: _Open) -> None:
    if box.blocks:
        builder.boxes[-1].parts.append(box.blocks)


def _close_list(builder: _Builder, box: _Open) -> None:
    if not box.parts:
        return
    if 2 * sum(map(_is_note, box.parts)) >= len(box.parts):
        builder.add(Footnotes(_all_notes(box), builder.origin(box.row)))
        return
    page, ordered = builder.page, builder.material.tag[box.row] == CODES["ol"]
    start = page.attribute(box.row, "start") if ordered and page.attrs[box.row] else None
    first = int(start) if start and start.lstrip("-").isdecimal() and len(start) < 9 else 1
    items = tuple(tuple(item) for item in box.parts)
    builder.add(ListBlock(items, ordered, first, builder.origin(box.row)))


def _is_note(item: list[Block]) -> bool:
    return len(item) == 1 and isinstance(item[0], Footnotes)


def _all_notes(box: _Open) -> tuple[Note, ...]:
    """The notes of a list; an item that nothing refers to stays in its place."""
    found: list[Note] = []
    for number, item in enumerate(box.parts, 1):
        if _is_note(item):
            found += item[0].notes
        else:
            found.append(Note(f"fn-x{number}", str(number), tuple(item)))
    return tuple(found)


def _close_note(builder: _Builder, box: _Open) -> None:
    if not box.blocks:
        return
    notes = builder.material.notes
    name = notes.targets[box.row]
    label = notes.labels[name]
    counted = builder.material.tag[box.row] == CODES["li"]  # its number is not in the text
    blocks = tuple(box.blocks)
    note = Note(name, label, blocks if counted else _without_label(blocks, label))
    parent = builder.boxes[-1]
    before = parent.blocks[-1] if parent.blocks else None
    if parent.name != "list" and isinstance(before, Footnotes):
        parent.blocks[-1] = Footnotes((*before.notes, note), before.origin)
    else:
        builder.add(Footnotes((note,), builder.origin(box.row)))


def _without_label(blocks: tuple[Block, ...], label: str) -> tuple[Block, ...]:
    """The note's text without the number that it begins with: the label says it."""
    first = blocks[0]
    if not isinstance(first, Paragraph):
        return blocks
    begin = re.match(rf"[\[(^]*{re.escape(label)}[\]).:]*(?: |$)", first.runs[0].text)
    if begin is None:
        return blocks
    rest = first.runs[0]._replace(text=first.runs[0].text[begin.end() :])
    runs = tuple(_trimmed([rest, *first.runs[1:]] if rest.text else list(first.runs[1:])))
    return (replace(first, runs=runs), *blocks[1:]) if runs else blocks


def _open_definitions(builder: _Builder, row: int) -> None:
    if builder.fits():
        builder.open("definitions", row, _close_definitions)


def _open_term(builder: _Builder, row: int) -> None:
    if builder.boxes[-1].name == "definitions":
        _open_line(builder, row, _close_term)


def _close_term(builder: _Builder, element: _Open) -> None:
    if element.runs:
        builder.boxes[-1].parts.append((element.runs, []))


def _open_explanation(builder: _Builder, row: int) -> None:
    builder.flush()


def _close_definitions(builder: _Builder, box: _Open) -> None:
    if box.parts:
        entries = tuple((term, tuple(blocks)) for term, blocks in box.parts)
        builder.add(Definitions(entries, builder.origin(box.row)))


def _open_code(builder: _Builder, row: int) -> None:
    material = builder.material
    builder.over = material.end[row]
    text = listings.code_text(material.page, row, material.tag, material.text)
    if text:
        if builder.boxes[-1].name != "line":
            builder.flush()
        builder.add(Code(text, listings.language(material.page, row), builder.origin(row)))


def _open_table(builder: _Builder, row: int) -> None:
    if not builder.fits():
        return
    material = builder.material
    rows, tables_inside = material.rows, material.tables
    at = bisect_left(tables_inside, row + 1)
    if at < len(tables_inside) and tables_inside[at] < material.end[row]:
        return  # a table with tables in it lays them out
    inside = rows[bisect_left(rows, row + 1) : bisect_left(rows, material.end[row])]
    if listings.is_listing(material.page, inside):
        _open_code(builder, row)
    elif tables.is_data(material.page, row, inside):
        builder.open("table", row, _close_table)


def _open_caption(builder: _Builder, row: int) -> None:
    if builder.boxes[-1].name == "table":
        _open_line(builder, row, _close_caption)


def _close_caption(builder: _Builder, element: _Open) -> None:
    builder.boxes[-1].runs = element.runs


def _open_row(builder: _Builder, row: int) -> None:
    if builder.boxes[-1].name == "table":
        builder.open("row", row, _close_row)


def _close_row(builder: _Builder, box: _Open) -> None:
    if box.parts:
        builder.boxes[-1].parts.append(tuple(box.parts))


def _open_cell(builder: _Builder, row: int) -> None:
    if builder.boxes[-1].name == "row":
        builder.open("cell", row, _close_cell)


def _close_cell(builder: _Builder, box: _Open) -> None:
    page, row = builder.page, box.row
    header = builder.material.tag[row] == CODES["th"]
    colspan, rowspan = tables.span(page, row, "colspan"), tables.span(page, row, "rowspan")
    builder.boxes[-1].parts.append(Cell(tuple(box.blocks), header, colspan, rowspan))


def _close_table(builder: _Builder, box: _Open) -> None:
    for block in box.blocks:
        builder.add(block)
    if box.parts:
        table = Table(tuple(box.parts), box.runs, builder.origin(box.row))
        builder.add(tables.tidy(table))


def _open_formula(builder: _Builder, row: int) -> None:
    formula = builder.material.formulas.get(row)
    if formula is None:
        return
    if formula.display:
        if builder.boxes[-1].name != "line":
            builder.flush()
        builder.add(Math(formula.tex, formula.mathml, builder.origin(row)))
    elif formula.tex:
        if builder.line and builder.breaks[row] != builder.breaks[builder.last]:
            builder.flush()
        if not builder.line:
            builder.first = row
        builder.last, builder.spaced = row, False
        builder.line.append((formula.tex, _FORMULA))


def _open_rule(builder: _Builder, row: int) -> None:
    builder.flush()
    box = builder.boxes[-1]
    if box.name in ("article", "quote") and box.blocks and not isinstance(box.blocks[-1], Rule):
        box.blocks.append(Rule(builder.origin(row)))


def _open_embed(builder: _Builder, row: int) -> None:
    found = embed(builder.page, row)
    if found is not None and builder.boxes[-1].name != "line":
        builder.flush()
        builder.add(found)


_OPENERS: Final[Mapping[int, Callable[[_Builder, int], None]]] = {
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
        "math": _open_formula,
        "hr": _open_rule,
        "iframe video audio object embed": _open_embed,
    }.items()
    for name in names.split()
}
