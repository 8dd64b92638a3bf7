"""Articles → DOCX, for word processors: real headings, lists, tables, pictures and links."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from tearsheet.article import Article
from tearsheet.errors import MissingExtra
from tearsheet.layout import _document, _office
from tearsheet.layout._archive import pack_anew
from tearsheet.layout._frame import Frame
from tearsheet.layout._office import Grid, Line, Part, Piece, Shown
from tearsheet.types import Options
from tearsheet.writing import drop_controls

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHOWS_PICTURES = True

_SERIF: Final = "Georgia"
_SANS: Final = "Arial"
_MONO: Final = "Courier New"
_INDENT: Final = 18.0
"""Points for each level of a list."""
_LOOKS: Final[dict[str, dict[str, Any]]] = {
    "title": {"size": 2.0, "bold": True, "after": 8, "stays": True},
    "byline": {"size": 0.95, "italic": True, "after": 2, "stays": True},
    "source": {"size": 0.72, "sans": True, "color": _office.SOFT, "after": 22},
    "quote": {"color": "3A3733", "left": 18, "right": 18},
    "code": {"size": 0.82, "mono": True, "shade": True, "ragged": True},
    "caption": {"size": 0.8, "sans": True, "color": _office.SOFT, "after": 14, "ragged": True},
    "callout": {"left": 12, "right": 12, "shade": True},
    "term": {"bold": True, "after": 2, "stays": True},
    "explained": {"left": 18},
    "missing": {"size": 0.78, "sans": True, "color": _office.SOFT, "ragged": True},
    "rule": {"color": _office.SOFT, "centre": True},
    "math": {"italic": True, "centre": True},
    "note": {"size": 0.84, "after": 3},
    "address": {"size": 0.72, "sans": True, "color": _office.SOFT, "after": 1, "ragged": True},
}
"""How the styles differ from plain text; sizes in ems, distances in points."""
_HEADINGS: Final = (1.44, 1.2, 1.05, 1.0, 1.0, 1.0)
_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)


def render(article: Article, options: Options) -> bytes:
    """The document."""
    return render_many((article,), options)


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """One document; each article begins on a new page."""
    try:
        import docx
    except ImportError as error:
        raise MissingExtra("DOCX", error.name, "office") from None
    writer = _Writer(docx.Document(), articles[0], options)
    for number, article in enumerate(articles):
        if number:
            writer.document.add_page_break()
        writer.start(article, number)
        writer.write(_office.lay_out(article, options, drawings=False), writer.document)
    out = io.BytesIO()
    writer.document.save(out)
    return pack_anew(out.getvalue())


class _Writer:
    """A document as it is written."""

    def __init__(self, document: Any, first: Article, options: Options) -> None:
        self.document, self.options = document, options
        self.frame = Frame(options)
        self.rtl = False
        self.prefix = ""
        self.bookmarks = 0
        self.links: dict[str, str] = {}
        """The relation of each address: python-docx would look through all of them for each."""
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
        _set_font(normal, self.options.font or _SERIF, size)
        tag = _child(normal.element.get_or_add_rPr(), "w:lang")
        for name in ("w:val", "w:eastAsia", "w:bidi"):
            tag.set(_name(name), "en" if language == "und" else language)
        normal.paragraph_format.space_after = Pt(size * 0.7)
        normal.paragraph_format.line_spacing = 1.3
        normal.paragraph_format.widow_control = True
        for style, look in _LOOKS.items():
            made = styles.add_style(f"Tearsheet {style}", WD_STYLE_TYPE.PARAGRAPH)
            made.base_style = normal
            self.set_look(made, look)
        for rank, scale in enumerate(_HEADINGS, 1):
            made = styles[f"Heading {rank}"]
            _set_font(made, self.options.font or _SERIF, size * scale)
            _colour(made.font, "1D1B18")
            made.font.bold = made.font.cs_bold = True
            made.font.italic = False
            made.paragraph_format.space_before = Pt(size * 1.5)
            made.paragraph_format.space_after = Pt(size * 0.4)
            made.paragraph_format.keep_with_next = True

    def set_look(self, style: Any, look: dict[str, Any]) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.shared import Pt

        family = _SANS if look.get("sans") else _MONO if look.get("mono") else ""
        _set_font(
            style, family or self.options.font or _SERIF, self.frame.size * look.get("size", 1)
        )
        style.font.bold = style.font.cs_bold = look.get("bold")
        style.font.italic = look.get("italic")
        if look.get("color") and not self.options.grey:
            _colour(style.font, look["color"])
        form = style.paragraph_format
        form.left_indent, form.right_indent = Pt(look.get("left", 0)), Pt(look.get("right", 0))
        form.keep_with_next = look.get("stays")
        if "after" in look:
            form.space_after = Pt(look["after"])
        if look.get("centre"):
            form.alignment = WD_ALIGN_PARAGRAPH.CENTER
        if look.get("shade"):
            shade = _child(style.element.get_or_add_pPr(), "w:shd")
            shade.set(_name("w:val"), "clear")
            shade.set(_name("w:fill"), _office.WASH)
        if look.get("ragged"):
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
        known.created = known.modified = _LONG_AGO

    def add_numbering(self) -> None:
        """Adds the two kinds of list, each with its levels; every list is a copy of one."""
        self.numbering = self.document.part.numbering_part.element
        from docx.oxml import parse_xml

        levels = {"bullet": "", "decimal": ""}
        for depth in range(_office.DEEPEST):
            left = int((depth + 1) * _INDENT * 20)
            for kind, sign in (("bullet", "•–·"[depth % 3]), ("decimal", f"%{depth + 1}.")):
                levels[kind] += (
                    f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
                    f'<w:lvlText w:val="{sign}"/><w:lvlJc w:val="start"/><w:pPr>'
                    f'<w:ind w:start="{left}" w:hanging="{int(_INDENT * 20)}"/></w:pPr></w:lvl>'
                )
        space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        for at, kind in enumerate(("decimal", "bullet")):
            head = f'<w:abstractNum {space} w:abstractNumId="{900 + at}">'
            self.numbering.insert(0, parse_xml(f"{head}{levels[kind]}</w:abstractNum>"))
        self.next_number = 9000

    def write(self, parts: Sequence[Part], place: Any) -> None:
        for part in parts:
            if isinstance(part, Line):
                self.line(part, place.add_paragraph())
            elif isinstance(part, Shown):
                self.picture(part, place.add_paragraph())
            else:
                self.table(part, place)

    def line(self, line: Line, paragraph: Any) -> None:
        if line.style == "heading":
            paragraph._p.style = self.style_ids[f"Heading {min(line.level, 6)}"]
        elif line.style != "text":
            paragraph._p.style = self.style_ids[f"Tearsheet {line.style}"]
        if self.rtl:
            _add(paragraph._p.get_or_add_pPr(), "w:bidi")
        if line.depth:
            self.list_item(line, paragraph)
        if line.name:
            self.bookmark(paragraph, line.name)
        for piece in line.pieces:
            self.piece(piece, paragraph)

    def list_item(self, line: Line, paragraph: Any) -> None:
        from docx.shared import Pt

        if line.number is None:
            paragraph.paragraph_format.left_indent = Pt(line.depth * _INDENT)
            return
        key = (line.depth, line.number > 0)
        if key not in self.lists or line.begins_list:
            self.lists[key] = self.add_list(line)
        properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val = line.depth - 1
        properties.get_or_add_numId().val = self.lists[key]
        paragraph.paragraph_format.space_after = Pt(self.frame.size * 0.25)

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

    def bookmark(self, paragraph: Any, name: str) -> None:
        self.bookmarks += 1
        for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
            mark = _add(paragraph._p, tag)
            mark.set(_name("w:id"), str(self.bookmarks))
            if tag == "w:bookmarkStart":
                mark.set(_name("w:name"), (self.prefix + name)[:40])

    def piece(self, piece: Piece, paragraph: Any) -> None:
        run = paragraph.add_run()
        if piece.text == "\n":
            run.add_break()
            return
        run.text = piece.text
        self.set_marks(run, piece)
        if piece.href:
            link = _add(paragraph._p, "w:hyperlink")
            if piece.href.startswith("#"):
                link.set(_name("w:anchor"), (self.prefix + piece.href[1:])[:40])
            else:
                link.set(_name("r:id"), self.relate(piece.href))
            if not self.options.grey:
                _colour(run.font, _office.ACCENT)
            link.append(run._r)

    def relate(self, address: str) -> str:
        """The name of the relation that leads to an address."""
        from docx.opc.constants import RELATIONSHIP_TYPE

        if address not in self.links:
            name = self.links[address] = f"link{len(self.links) + 1}"
            relations = self.document.part.rels
            relations.add_relationship(RELATIONSHIP_TYPE.HYPERLINK, address, name, is_external=True)
        return self.links[address]

    def set_marks(self, run: Any, piece: Piece) -> None:
        font, marks = run.font, piece.marks
        font.bold = font.cs_bold = True if "strong" in marks else None
        font.italic = True if marks & {"em", "math"} else None
        font.strike = True if "del" in marks else None
        font.underline = True if "ins" in marks else None
        if "sup" in marks:
            font.superscript = True
        elif "sub" in marks:
            font.subscript = True
        if marks & {"code", "kbd"}:
            font.name = _MONO
        if "mark" in marks:
            from docx.enum.text import WD_COLOR_INDEX

            font.highlight_color = WD_COLOR_INDEX.YELLOW
        if self.rtl:
            font.rtl = True

    def picture(self, shown: Shown, paragraph: Any) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.shared import Pt

        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        paragraph.paragraph_format.keep_with_next = True
        body = io.BytesIO(shown.picture.body)
        made = paragraph.add_run().add_picture(body, Pt(shown.width), Pt(shown.height))
        made._inline.docPr.set("descr", shown.alt)

    def table(self, grid: Grid, place: Any) -> None:
        from docx.shared import Pt

        table = place.add_table(grid.rows, grid.columns)
        table._tblPr.style = self.style_ids["Table Grid"]
        if self.rtl:
            _add(table._tblPr, "w:bidiVisual")
        cells = [list(row.cells) for row in table.rows]
        for cell in grid.cells:
            first = cells[cell.y][cell.x]
            last = cells[cell.y + cell.height - 1][cell.x + cell.width - 1]
            target = first.merge(last) if last is not first else first
            self.write(cell.parts, target)
            if cell.parts and len(target.paragraphs) > 1 and not target.paragraphs[0].text:
                target._tc.remove(target.paragraphs[0]._p)
            for paragraph in target.paragraphs:
                paragraph.paragraph_format.space_after = Pt(2)
                for run in paragraph.runs:
                    run.font.size = Pt(self.frame.size * 0.82)
                    run.font.bold = True if cell.header else run.font.bold
            if target._tc[-1].tag == _name("w:tbl"):
                target.add_paragraph()  # a cell must end with one
        for row in table.rows[: grid.head]:
            _add(row._tr.get_or_add_trPr(), "w:tblHeader")
        for row in table.rows:
            _add(row._tr.get_or_add_trPr(), "w:cantSplit")
        if hasattr(place, "add_page_break"):
            place.add_paragraph()


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
