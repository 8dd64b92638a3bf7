"""Articles → DOCX, for word processors: real headings, lists, tables, pictures and links."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Final

from tearsheet.article import Article
from tearsheet.errors import MissingExtra
from tearsheet.layout import _document, _looks, _office
from tearsheet.layout._archive import LONG_AGO, pack_anew
from tearsheet.layout._frame import Frame
from tearsheet.layout._markup import escape
from tearsheet.layout._office import Grid, Line, Part, Piece, SizedPicture
from tearsheet.layout._picture_fit import SUFFIXES
from tearsheet.types import Options
from tearsheet.writing import drop_controls

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHOWS_PICTURES = True

_EMU: Final = 12700
"""Units of a drawing in a point."""
_DRAWING: Final = "http://schemas.openxmlformats.org/drawingml/2006"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006"
_PICTURE: Final = f"{_DRAWING}/picture"
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACES: Final = (
    f'xmlns:w="{_WORD}" xmlns:r="{_OFFICE}/relationships" xmlns:a="{_DRAWING}/main" '
    f'xmlns:pic="{_PICTURE}" xmlns:wp="{_DRAWING}/wordprocessingDrawing"'
)


def render(article: Article, options: Options) -> bytes:
    """The document."""
    return render_many((article,), options)


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """One document; each article begins on a new page."""
    try:
        import docx
    except ImportError as error:
        raise MissingExtra("DOCX", error.name, "office") from None
    writer = _DocxWriter(docx.Document(), articles[0], options)
    written = []
    for number, article in enumerate(articles):
        writer.start(article, number)
        written.append(writer.write(_office.lay_out(article, options, drawings=False)))
    return writer.save('<w:p><w:r><w:br w:type="page"/></w:r></w:p>'.join(written))


class _DocxWriter:
    """A document as it is written."""

    def __init__(self, document: Any, first: Article, options: Options) -> None:
        self.document, self.options = document, options
        self.frame = Frame(options)
        self.rtl = False
        self.prefix = ""
        self.bookmarks = 0
        self.links: dict[str, str] = {}
        """The relation of each address: python-docx would look through all of them for each."""
        self.files: dict[bytes, str] = {}
        """The relation of each picture: python-docx would digest all of them for each."""
        self.pictures = 0
        self.lists: dict[tuple[int, bool], int] = {}
        """The numbering that is open at each depth."""
        self.set_page()
        self.set_styles(_document.language(first))
        self.style_ids = {style.name: style.style_id for style in document.styles}
        self.set_properties(first)
        self.add_numbering()

    def start(self, article: Article, number: int) -> None:
        self.rtl = _document.direction(article) == "rtl"
        self.prefix = f"a{number}_"

    def set_page(self) -> None:
        from docx.shared import Pt

        section, frame = self.document.sections[0], self.frame
        section.page_width, section.page_height = Pt(frame.width), Pt(frame.height)
        section.left_margin = section.right_margin = Pt(frame.side)
        section.top_margin, section.bottom_margin = Pt(frame.top), Pt(frame.bottom)
        if frame.columns > 1:
            columns = _child(section._sectPr, "w:cols")
            columns.set(_name("w:num"), str(frame.columns))
            columns.set(_name("w:space"), str(int(frame.gutter * 20)))
        if self.options.header:
            self.add_page_number(section.footer.paragraphs[0])

    def add_page_number(self, paragraph: Any) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.shared import Pt

        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        run = paragraph.add_run()
        run.font.size = Pt(self.frame.size * 0.75)
        for kind, text in (("begin", ""), ("", "PAGE"), ("end", "")):
            if kind:
                _add(run._r, "w:fldChar").set(_name("w:fldCharType"), kind)
            else:
                _add(run._r, "w:instrText").text = text

    def set_styles(self, language: str) -> None:
        from docx.enum.style import WD_STYLE_TYPE
        from docx.shared import Pt

        styles, size = self.document.styles, self.frame.size
        normal = styles["Normal"]
        _set_font(normal, self.options.font or _looks.SERIF, size)
        tag = _child(normal.element.get_or_add_rPr(), "w:lang")
        for name in ("w:val", "w:eastAsia", "w:bidi"):
            tag.set(_name(name), "en" if language == "und" else language)
        normal.paragraph_format.space_after = Pt(size * 0.7)
        normal.paragraph_format.line_spacing = 1.3
        normal.paragraph_format.widow_control = True
        for style, look in _looks.LOOKS.items():
            made = styles.add_style(f"Tearsheet {style}", WD_STYLE_TYPE.PARAGRAPH)
            made.base_style = normal
            self.set_look(made, look)
        for rank, scale in enumerate(_looks.HEADINGS, 1):
            made = styles[f"Heading {rank}"]
            _set_font(made, self.options.font or _looks.SERIF, size * scale)
            _colour(made.font, "1D1B18")
            made.font.bold = made.font.cs_bold = True
            made.font.italic = False
            made.paragraph_format.space_before = Pt(size * 1.5)
            made.paragraph_format.space_after = Pt(size * 0.4)
            made.paragraph_format.keep_with_next = True

    def set_look(self, style: Any, look: _looks.Look) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.shared import Pt

        family = {"": self.options.font or _looks.SERIF, "sans": _looks.SANS, "mono": _looks.MONO}
        _set_font(style, family[look.family], self.frame.size * look.size)
        style.font.bold = style.font.cs_bold = look.bold or None
        style.font.italic = look.italic or None
        if look.colour and not self.options.grey:
            _colour(style.font, look.colour)
        form = style.paragraph_format
        form.left_indent, form.right_indent = Pt(look.left), Pt(look.right)
        form.keep_with_next = look.stays or None
        if look.below is not None:
            form.space_after = Pt(look.below)
        if look.centred:
            form.alignment = WD_ALIGN_PARAGRAPH.CENTER
        if look.shaded:
            shade = _child(style.element.get_or_add_pPr(), "w:shd")
            shade.set(_name("w:val"), "clear")
            shade.set(_name("w:fill"), _looks.WASH)
        if look.dense:
            form.line_spacing = 1.15

    def set_properties(self, article: Article) -> None:
        meta, known = article.metadata, self.document.core_properties
        known.title = drop_controls(_document.title(article))[:255]
        known.author = drop_controls(", ".join(meta.authors))[:255]
        known.subject = drop_controls(meta.description)[:255]
        known.keywords = drop_controls(", ".join(meta.tags))[:255]
        known.comments = (_document.source(article) or "")[:255]
        known.language = _document.language(article)
        known.last_modified_by = ""
        known.created = known.modified = LONG_AGO

    def add_numbering(self) -> None:
        """Adds the two kinds of list, each with its levels; every list is a copy of one."""
        self.numbering = self.document.part.numbering_part.element
        from docx.oxml import parse_xml

        levels = {"bullet": "", "decimal": ""}
        for depth in range(_office.DEEPEST):
            left = int((depth + 1) * _looks.INDENT * 20)
            for kind, sign in (("bullet", "•–·"[depth % 3]), ("decimal", f"%{depth + 1}.")):
                levels[kind] += (
                    f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
                    f'<w:lvlText w:val="{sign}"/><w:lvlJc w:val="start"/><w:pPr>'
                    f'<w:ind w:start="{left}" w:hanging="{int(_looks.INDENT * 20)}"/></w:pPr>'
                    "</w:lvl>"
                )
        for at, kind in enumerate(("decimal", "bullet")):
            head = f'<w:abstractNum xmlns:w="{_WORD}" w:abstractNumId="{900 + at}">'
            self.numbering.insert(0, parse_xml(f"{head}{levels[kind]}</w:abstractNum>"))
        self.next_number = 9000

    def write(self, parts: Sequence[Part], cell: _Cell | None = None) -> str:
        """The parts as XML, with all text escaped.

        The elements of python-docx look for their place among all that is there: many paragraphs,
        cells or pictures would take the square of the time.
        """
        width = cell.width if cell else self.frame.width - 2 * self.frame.side
        found = []
        for part in parts:
            if isinstance(part, Line):
                found.append(self.line(part, cell))
            elif isinstance(part, SizedPicture):
                found.append(self.picture(part, cell))
            else:
                found.append(f"{self.table(part, width)}<w:p/>")
        return "".join(found)

    def save(self, xml: str) -> bytes:
        """The document with this text."""
        text = f"<w:document {_SPACES}><w:body>{xml}</w:body></w:document>"
        tree = _office.parse_xml(text)
        tree[0].append(copy(self.document.element.body.sectPr))
        out = io.BytesIO()
        self.document.save(out)
        return pack_anew(out.getvalue(), {"word/document.xml": _office.write_xml(tree)})

    def line(self, line: Line, cell: _Cell | None) -> str:
        looks = ""
        if line.style == "heading":
            looks = _tag("pStyle", self.style_ids[f"Heading {min(line.level, 6)}"])
        elif line.style != "text":
            looks = _tag("pStyle", self.style_ids[f"Tearsheet {line.style}"])
        after = _looks.CELL.below if cell else None
        indent = ""
        if line.depth and line.number is None:
            indent = f'<w:ind w:left="{int(line.depth * _looks.INDENT * 20)}"/>'
        elif line.depth:
            looks += (
                f"<w:numPr>{_tag('ilvl', line.depth - 1)}{_tag('numId', self.list_number(line))}"
                "</w:numPr>"
            )
            after = self.frame.size * 0.25 if after is None else after
        looks += ("<w:bidi/>" if self.rtl else "") + _spacing(after) + indent
        inner = self.bookmark(line.name) if line.name else ""
        inner += "".join(self.piece(piece, cell) for piece in line.pieces)
        return _paragraph(looks, inner)

    def list_number(self, line: Line) -> int:
        """The numbering of the list that a line stands in."""
        key = (line.depth, bool(line.number))
        if key not in self.lists or line.begins_list:
            self.lists[key] = self.add_list(line)
        return self.lists[key]

    def add_list(self, line: Line) -> int:
        """A numbering of its own for a list, which begins with its first number."""
        self.next_number += 1
        made = _add(self.numbering, "w:num")
        made.set(_name("w:numId"), str(self.next_number))
        _add(made, "w:abstractNumId").set(_name("w:val"), "900" if line.number else "901")
        override = _add(made, "w:lvlOverride")
        override.set(_name("w:ilvl"), str(line.depth - 1))
        _add(override, "w:startOverride").set(_name("w:val"), str(line.number or 1))
        return self.next_number

    def bookmark(self, name: str) -> str:
        self.bookmarks += 1
        number = f'w:id="{self.bookmarks}"'
        return (
            f'<w:bookmarkStart {number} w:name="{escape((self.prefix + name)[:40])}"/>'
            f"<w:bookmarkEnd {number}/>"
        )

    def piece(self, piece: Piece, cell: _Cell | None) -> str:
        if piece.text == "\n":
            return "<w:r><w:br/></w:r>"
        run = f"<w:r>{self.marks(piece, cell)}{_text(piece.text)}</w:r>"
        if not piece.href:
            return run
        if piece.href.startswith("#"):
            target = f'w:anchor="{escape((self.prefix + piece.href[1:])[:40])}"'
        else:
            target = f'r:id="{self.relate(piece.href)}"'
        return f"<w:hyperlink {target}>{run}</w:hyperlink>"

    def relate(self, address: str) -> str:
        """The name of the relation that leads to an address."""
        from docx.opc.constants import RELATIONSHIP_TYPE

        if address not in self.links:
            name = self.links[address] = f"link{len(self.links) + 1}"
            relations = self.document.part.rels
            relations.add_relationship(RELATIONSHIP_TYPE.HYPERLINK, address, name, is_external=True)
        return self.links[address]

    def marks(self, piece: Piece, cell: _Cell | None) -> str:
        """How a text looks, in the order that the format asks for."""
        marks = piece.marks
        coloured = piece.href and not self.options.grey
        mono = _looks.MONO
        raised = "superscript" if "sup" in marks else "subscript"
        known = (
            (
                marks & {"code", "kbd"},
                f'<w:rFonts w:ascii="{mono}" w:hAnsi="{mono}"/>',
            ),
            ("strong" in marks or (cell and cell.header), "<w:b/><w:bCs/>"),
            (marks & {"em", "math"}, "<w:i/>"),
            ("del" in marks, "<w:strike/>"),
            (coloured, _tag("color", _looks.ACCENT)),
            (cell, _tag("sz", round(self.frame.size * _looks.CELL.size * 2))),
            ("mark" in marks, _tag("highlight", "yellow")),
            ("ins" in marks, _tag("u", "single")),
            (marks & {"sup", "sub"}, _tag("vertAlign", raised)),
            (self.rtl, "<w:rtl/>"),
        )
        looks = "".join(xml for applies, xml in known if applies)
        return f"<w:rPr>{looks}</w:rPr>" if looks else ""

    def picture(self, shown: SizedPicture, cell: _Cell | None) -> str:
        self.pictures += 1
        number = self.pictures
        size = f'cx="{int(shown.width * _EMU)}" cy="{int(shown.height * _EMU)}"'
        drawing = (
            f'<w:drawing><wp:inline><wp:extent {size}/><wp:docPr id="{number}" '
            f'name="Picture {number}" descr="{escape(shown.alt)}"/><wp:cNvGraphicFramePr>'
            f'<a:graphicFrameLocks noChangeAspect="1"/></wp:cNvGraphicFramePr><a:graphic>'
            f'<a:graphicData uri="{_PICTURE}"><pic:pic><pic:nvPicPr>'
            f'<pic:cNvPr id="0" name="picture"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>'
            f'<a:blip r:embed="{self.embed(shown)}"/><a:stretch><a:fillRect/></a:stretch>'
            f'</pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {size}/></a:xfrm>'
            f'<a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic>'
            f"</wp:inline></w:drawing>"
        )
        looks = (
            f"<w:keepNext/>{_spacing(_looks.CELL.below if cell else None)}{_tag('jc', 'center')}"
        )
        return _paragraph(looks, f"<w:r>{drawing}</w:r>")

    def embed(self, shown: SizedPicture) -> str:
        """The name of the relation that leads to a picture."""
        from docx.opc.constants import RELATIONSHIP_TYPE
        from docx.opc.packuri import PackURI
        from docx.opc.part import Part as File

        body, kind = shown.picture.body, shown.picture.media_type
        if body not in self.files:
            number = len(self.files) + 1
            name = self.files[body] = f"picture{number}"
            address = PackURI(f"/word/media/image{number}.{SUFFIXES[kind]}")
            file = File(address, kind, body, self.document.part.package)
            self.document.part.rels.add_relationship(RELATIONSHIP_TYPE.IMAGE, file, name)
        return self.files[body]

    def table(self, grid: Grid, width: float) -> str:
        one = width / grid.columns
        rows: list[list[str]] = [[""] * grid.columns for _ in range(grid.rows)]
        for cell in grid.cells:
            place = _Cell(one * cell.width, cell.header)
            inner = self.write(cell.parts, place) or _paragraph(_spacing(_looks.CELL.below), "")
            for y in range(cell.y, cell.y + cell.height):
                looks = f'<w:tcW w:type="dxa" w:w="{int(place.width * 20)}"/>'
                looks += _tag("gridSpan", cell.width) if cell.width > 1 else ""
                if cell.height > 1:
                    looks += _tag("vMerge", "restart" if y == cell.y else "continue")
                shown = inner if y == cell.y else "<w:p/>"
                rows[y][cell.x] = f"<w:tc><w:tcPr>{looks}</w:tcPr>{shown}</w:tc>"
        covered = {
            (cell.x + right, y)
            for cell in grid.cells
            for right in range(1, cell.width)
            for y in range(cell.y, cell.y + cell.height)
        }
        empty = f'<w:tc><w:tcPr><w:tcW w:type="dxa" w:w="{int(one * 20)}"/></w:tcPr><w:p/></w:tc>'
        lines = [
            "".join(xml or empty for x, xml in enumerate(row) if xml or (x, y) not in covered)
            for y, row in enumerate(rows)
        ]
        head = "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>"
        other = "<w:trPr><w:cantSplit/></w:trPr>"
        look = 'w:firstColumn="1" w:firstRow="1" w:lastColumn="0" w:lastRow="0" w:noHBand="0"'
        return (
            f"<w:tbl><w:tblPr>{_tag('tblStyle', self.style_ids['Table Grid'])}"
            f"{'<w:bidiVisual/>' if self.rtl else ''}"
            f'<w:tblW w:type="auto" w:w="0"/><w:tblLook {look} w:noVBand="1" w:val="04A0"/>'
            f"</w:tblPr><w:tblGrid>"
            + f'<w:gridCol w:w="{int(one * 20)}"/>' * grid.columns
            + "</w:tblGrid>"
            + "".join(
                f"<w:tr>{head if y < grid.head else other}{line}</w:tr>"
                for y, line in enumerate(lines)
            )
            + "</w:tbl>"
        )


@dataclass(frozen=True, slots=True)
class _Cell:
    """The cell of a table that something is written into."""

    width: float
    """Points."""
    header: bool


def _paragraph(looks: str, inner: str) -> str:
    return f"<w:p>{f'<w:pPr>{looks}</w:pPr>' if looks else ''}{inner}</w:p>"


def _tag(name: str, value: object) -> str:
    return f'<w:{name} w:val="{value}"/>'


def _spacing(after: float | None) -> str:
    return "" if after is None else f'<w:spacing w:after="{int(after * 20)}"/>'


def _text(text: str) -> str:
    """A text that keeps its spaces; tabs and line breaks are elements."""
    parts = re.split(r"([\t\r\n])", text)
    return "".join(
        "<w:tab/>" if part == "\t"
        else "<w:br/>" if part in ("\r", "\n")
        else f'<w:t xml:space="preserve">{escape(part)}</w:t>'
        for part in parts
        if part
    )  # fmt: skip


def _set_font(style: Any, family: str, size: float) -> None:
    from docx.shared import Pt

    style.font.name, style.font.size = family, Pt(round(size * 2) / 2)
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for name in list(fonts.attrib):
        if "Theme" in name:
            del fonts.attrib[name]
    for name in ("w:ascii", "w:hAnsi", "w:cs"):
        fonts.set(_name(name), family)
    # Scripts from right to left have a size of their own.
    _child(style.element.rPr, "w:szCs").set(_name("w:val"), str(round(size * 2)))


def _colour(font: Any, colour: str) -> None:
    from docx.shared import RGBColor

    font.color.rgb = RGBColor.from_string(colour)


def _name(tag: str) -> str:
    from docx.oxml.ns import qn

    found: str = qn(tag)
    return found


def _add(parent: Any, tag: str) -> Any:
    from docx.oxml import OxmlElement

    made = OxmlElement(tag)
    parent.append(made)
    return made


def _child(parent: Any, tag: str) -> Any:
    found = parent.find(_name(tag))
    return found if found is not None else _add(parent, tag)
