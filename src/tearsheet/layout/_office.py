"""Articles → a flat row of paragraphs, tables and pictures, from which DOCX and ODT are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from tearsheet.addresses import is_safe_link, is_web_address
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.layout import _document, _links, _picture_fit
from tearsheet.layout._frame import Frame
from tearsheet.picture_files import DRAWING, PictureRefused, make_jpeg
from tearsheet.types import (
    Block,
    Callout,
    Code,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    Image,
    ListBlock,
    Math,
    Options,
    Paragraph,
    Post,
    Quote,
    Resource,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip
from tearsheet.writing import drop_controls

DEEPEST: Final = 6
"""Levels of lists that a word processor has styles for; deeper ones are set at this level."""
_KNOWN: Final = (DRAWING, "image/png", "image/jpeg", "image/gif")
"""Kinds of picture that every word processor shows."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text in one style. A line break is the text `"\\n"`."""

    text: str
    marks: frozenset[str] = frozenset()
    href: str = ""
    """Where it leads: an address, or `#name` for a place in the document."""


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph."""

    style: str
    """One of `_looks.LOOKS`, `text` or `heading`."""
    pieces: tuple[Piece, ...]
    level: int = 0
    """Rank of a heading, from 1."""
    depth: int = 0
    """How many lists it stands in."""
    number: int | None = None
    """The number of an item of an ordered list; 0: a bullet; None: it begins no item."""
    begins_list: bool = False
    name: str = ""
    """Under which links find it."""


@dataclass(frozen=True, slots=True)
class SizedPicture:
    """A picture and its size in points."""

    picture: Resource
    width: float
    height: float
    alt: str


@dataclass(frozen=True, slots=True)
class GridCell:
    x: int
    y: int
    width: int
    height: int
    header: bool
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its cells, how many rows and columns it has, and how many rows are its head."""

    cells: tuple[GridCell, ...]
    rows: int
    columns: int
    head: int


Part: TypeAlias = Line | SizedPicture | Grid


def lay_out(article: Article, options: Options, *, drawings: bool) -> list[Part]:
    """The parts of an article: title, byline, source, text, notes, addresses.

    `drawings` says whether the format can show an SVG.
    """
    return _PartWriter(article, options, drawings=drawings).write()


def parse_xml(written: str | bytes) -> Any:
    """Our XML as a tree, to which small parts can be added. Adding a large tree to another takes
    lxml the square of the time.
    """
    from lxml import etree

    return etree.fromstring(written, etree.XMLParser(huge_tree=True, resolve_entities=False))


def write_xml(tree: Any) -> bytes:
    """The file of a tree."""
    from lxml import etree

    found: bytes = etree.tostring(tree, encoding="UTF-8", standalone=True)
    return found


class _PartWriter:
    """Writes one article as parts."""

    def __init__(self, article: Article, options: Options, *, drawings: bool) -> None:
        self.article, self.options, self.drawings = article, options, drawings
        self.frame = Frame(options)
        self.body = _document.body(article)
        self.ranks = _document.heading_ranks(self.body)
        self.headings = _links.Headings(self.body, _links.page_addresses(article))
        notes = (b for b in walk_blocks(self.body) if isinstance(b, Footnotes))
        self.notes = {note.id: note for block in notes for note in block.notes}
        self.place: _links.Place = (
            _links.choose_place(self.body, article, self.frame.letters)
            if options.links == "auto"
            else options.links
        )
        self.addresses: dict[str, int] = {}
        self.parts: list[Part] = []
        self.depth = 0
        self.style = "text"
        self.number: int | None = None
        """The number for the next line, which begins an item."""
        self.begins_list = False

    def write(self) -> list[Part]:
        article = self.article
        self.add("title", (Piece(drop_controls(_document.title(article))),))
        byline = " · ".join(_document.byline(article))
        if byline:
            self.add("byline", (Piece(drop_controls(byline)),))
        if source := _document.source(article):
            self.add("source", (Piece(_links.decode(source), href=source),))
        self.blocks(self.body)
        for url, number in self.addresses.items():
            self.add(
                "address",
                (Piece(f"{number}  "), Piece(drop_controls(_links.decode(url)), href=url)),
            )
        if missing := _document.missing(article):
            self.add("missing", (Piece(drop_controls(missing)),))
        return self.parts

    def add(self, style: str, pieces: tuple[Piece, ...], **more: Any) -> None:
        line = Line(style, pieces, **more)
        self.parts.append(
            replace(line, depth=self.depth, number=self.number, begins_list=self.begins_list)
        )
        self.number, self.begins_list = None, False

    def blocks(self, blocks: tuple[Block, ...]) -> None:
        for block in blocks:
            _WRITERS[type(block)](self, block)

    def styled_blocks(self, style: str, blocks: tuple[Block, ...]) -> None:
        """Blocks whose paragraphs have another style."""
        before, self.style = self.style, style
        self.blocks(blocks)
        self.style = before

    def paragraph(self, block: Paragraph) -> None:
        self.add(self.style, self.pieces(block.runs))

    def heading(self, block: Heading) -> None:
        name = f"h{self.headings.number(block)}"
        self.add("heading", self.pieces(block.runs), level=self.ranks[id(block)], name=name)

    def listblock(self, block: ListBlock) -> None:
        outer, self.depth = self.depth, min(self.depth + 1, DEEPEST)
        for number, item in enumerate(block.items, max(block.start, 1)):
            self.number = number if block.ordered else 0
            self.begins_list = item is block.items[0]
            if not item or not isinstance(item[0], Paragraph | ListBlock):
                self.add(self.style, ())
            self.blocks(item)
            self.number, self.begins_list = None, False
        self.depth = outer

    def definitions(self, block: Definitions) -> None:
        for term, blocks in block.entries:
            if term:
                self.add("term", self.pieces(term))
            self.styled_blocks("explained", blocks)

    def quote(self, block: Quote) -> None:
        self.styled_blocks("quote", block.blocks)

    def callout(self, block: Callout) -> None:
        if block.label:
            pieces = self.pieces(block.label)
            self.add("callout", tuple(Piece(p.text, p.marks | {"strong"}, p.href) for p in pieces))
        self.styled_blocks("callout", block.blocks)

    def post(self, block: Post) -> None:
        """A post below a line that says who wrote it, and when."""
        if head := _document.post_line(block):
            self.add("term", (Piece(drop_controls(head)),))
        self.styled_blocks("explained" if block.depth else self.style, block.blocks)

    def code(self, block: Code) -> None:
        lines = drop_controls(block.text).expandtabs(4).split("\n")
        pieces = [piece for line in lines for piece in (Piece("\n"), Piece(line))]
        self.add("code", tuple(pieces[1:]))

    def table(self, block: Table) -> None:
        block = _document.fit_table(block)
        if block.caption:
            self.add("caption", self.pieces(block.caption))
        placed = _document.place_cells(block)
        columns = max((cell.x + cell.width for cell in placed), default=0)
        if not columns:
            return
        cells = tuple(
            GridCell(c.x, c.y, c.width, c.height, c.cell.header, self.cell_parts(c.cell.blocks))
            for c in placed
        )
        head = 0
        while (
            head < len(block.rows) - 1
            and block.rows[head]
            and all(cell.header for cell in block.rows[head])
        ):
            head += 1
        self.parts.append(Grid(cells, len(block.rows), columns, head))

    def cell_parts(self, blocks: tuple[Block, ...]) -> tuple[Part, ...]:
        """The parts of a cell."""
        outer, depth, self.parts, self.depth = self.parts, self.depth, [], 0
        self.styled_blocks("text", blocks)
        made, self.parts, self.depth = tuple(self.parts), outer, depth
        return made

    def figure(self, block: Figure) -> None:
        if self.options.images == "off":
            return
        shown = [made for image in block.images if (made := self.image(image))]
        self.parts += shown
        if not shown:
            self.missing(block.images[0])
        runs, credit = _document.caption(block)
        pieces = self.pieces(runs)
        if credit:
            pieces += (Piece((" " if pieces else "") + drop_controls(credit)),)
        if pieces:
            self.add("caption", pieces)

    def image(self, image: Image) -> SizedPicture | None:
        found = _document.picture(self.article, image)
        if found is None or (found.media_type == DRAWING and not self.drawings):
            return None
        if found.media_type not in _KNOWN:
            found = make_jpeg(found)
        if found.media_type not in _KNOWN:
            return None
        try:
            size = _picture_fit.picture_size(found.body, found.media_type)
        except PictureRefused:
            return None
        if size is None:
            return None
        small = self.options.images == "small"
        one = {"width": size[0] * 0.75, "ratio": size[0] / size[1]}
        share = _picture_fit.height_share("article", small=small, lead=False)
        (((fitted,),),) = _picture_fit.fit_pages([one], self.frame, share)
        alt = drop_controls(image.alt or image.caption)
        width = 0.98 * fitted["width"]  # word processors round up
        return SizedPicture(found, width, width / fitted["ratio"], alt)

    def missing(self, image: Image) -> None:
        """The description and the address of a picture that could not be had."""
        url = image.url if is_web_address(image.url) else ""
        pieces = (Piece(drop_controls(image.alt), frozenset({"em"})),) if image.alt else ()
        if url:
            space = (Piece("\n"),) if pieces else ()
            pieces += (*space, Piece(drop_controls(_links.shorten(url)), href=url))
        if pieces:
            self.add("missing", pieces)

    def math(self, block: Math) -> None:
        if block.tex:
            self.add("math", (Piece(drop_controls(block.tex)),))

    def embed(self, block: Embed) -> None:
        if is_safe_link(block.url):
            self.add("text", (Piece(drop_controls(block.title or block.url), href=block.url),))

    def rule(self, block: Rule) -> None:
        self.add("rule", (Piece("* * *"),))

    def footnotes(self, block: Footnotes) -> None:
        for note in block.notes:
            first = len(self.parts)
            self.styled_blocks("note", note.blocks)
            label = Piece(f"{drop_controls(note.label)}. ")
            for at, part in enumerate(self.parts[first:], first):
                if isinstance(part, Line):
                    name = _note_name(note.id)
                    self.parts[at] = Line(
                        "note", (label, *part.pieces), depth=part.depth, name=name
                    )
                    break

    def pieces(self, runs: Runs) -> tuple[Piece, ...]:
        found: list[Piece] = []
        for run in runs:
            text = run.text if run.text == "\n" else drop_controls(run.text).replace("\n", " ")
            if run.note in self.notes:
                name = f"#{_note_name(run.note or '')}"
                found.append(Piece(text.strip("[]() "), frozenset({"sup"}), name))
                continue
            found.append(Piece(text, run.marks, self.target(run)))
            found += self.address(run)
        return tuple(found)

    def target(self, run: Run) -> str:
        heading = self.headings.find(run.href)
        if heading is not None:
            return f"#h{heading}"
        is_link = run.href and is_safe_link(run.href) and self.options.links != "none"
        return drop_controls(run.href or "") if is_link else ""

    def address(self, run: Run) -> list[Piece]:
        """An address on paper: its number, or the address itself."""
        url = run.href or ""
        if self.place == "none" or not _links.prints_address(run, self.headings.own):
            return []
        if self.place == "inline":
            return [Piece(f" ({drop_controls(url)})", frozenset({"small"}))]
        number = self.addresses.setdefault(url, len(self.addresses) + 1)
        sign = f"[{number}]" if self.notes else str(number)
        return [Piece(sign, frozenset({"sup"}))]


def _note_name(note: str) -> str:
    return "n" + "".join(sign if sign.isalnum() and sign.isascii() else "_" for sign in note)[:35]


_WRITERS: Final[Mapping[type, Callable[[_PartWriter, Any], None]]] = {
    Paragraph: _PartWriter.paragraph,
    Heading: _PartWriter.heading,
    ListBlock: _PartWriter.listblock,
    Definitions: _PartWriter.definitions,
    Quote: _PartWriter.quote,
    Callout: _PartWriter.callout,
    Post: _PartWriter.post,
    Code: _PartWriter.code,
    Table: _PartWriter.table,
    Figure: _PartWriter.figure,
    Math: _PartWriter.math,
    Embed: _PartWriter.embed,
    Rule: _PartWriter.rule,
    Footnotes: _PartWriter.footnotes,
}
