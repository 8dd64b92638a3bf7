"""Articles → ODT, the OpenDocument text that LibreOffice and others read."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tearsheet.article import Article
from tearsheet.errors import MissingExtra
from tearsheet.layout import _document, _looks, _office
from tearsheet.layout._archive import LONG_AGO, pack_anew
from tearsheet.layout._frame import Frame
from tearsheet.layout._looks import Look
from tearsheet.layout._markup import escape
from tearsheet.layout._office import Grid, Line, Part, Piece, SizedPicture
from tearsheet.layout._picture_fit import SUFFIXES
from tearsheet.types import Options
from tearsheet.writing import drop_controls

MEDIA_TYPE = "application/vnd.oasis.opendocument.text"
SHOWS_PICTURES = True

_BOLD: Final = " ".join(
    f'{name}="bold"'
    for name in ("fo:font-weight", "style:font-weight-complex", "style:font-weight-asian")
)
_STYLES: Final[Mapping[str, Look]] = {
    "text": Look(),
    **_looks.LOOKS,
    "cell": _looks.CELL,
    "head": replace(_looks.CELL, bold=True),
    "picture": Look(centred=True, stays=True),
    "page": Look(),
}


def render(article: Article, options: Options) -> bytes:
    """The document."""
    return render_many((article,), options)


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """One document; each article begins on a new page."""
    try:
        import odfdo
    except ImportError as error:
        raise MissingExtra("ODT", error.name, "office") from None
    writer = _OdtWriter(odfdo.Document("text"), articles[0], options)
    written: list[str] = []
    for number, article in enumerate(articles):
        writer.prefix = f"a{number}-"
        if number:
            written.append(f'<text:p text:style-name="{_style("page")}"/>')
        written += writer.write(_office.lay_out(article, options, drawings=True))
    return writer.save("".join(written))


class _OdtWriter:
    """A document as it is written; all its text is escaped."""

    def __init__(self, document: Any, first: Article, options: Options) -> None:
        self.document, self.options = document, options
        self.frame = Frame(options)
        self.size = options.font_size
        self.family = options.font or _looks.SERIF
        self.prefix = ""
        self.marks: set[frozenset[str]] = set()
        self.tables = 0
        self.files: dict[bytes, str] = {}
        document.body.clear()
        self.set_page()
        self.add_styles(_document.language(first), _document.direction(first))
        self.add_page_number()
        self.set_properties(first)

    def save(self, xml: str) -> bytes:
        """The document with this text."""
        styles = _office.parse_xml(self.document.get_part("content.xml").serialize())
        spaces = " ".join(f'xmlns:{name}="{address}"' for name, address in styles.nsmap.items())
        tree = _office.parse_xml(
            f"<office:document-content {spaces}><office:body><office:text>{xml}</office:text>"
            "</office:body></office:document-content>"
        )
        tree.attrib.update(styles.attrib)
        for at, part in enumerate(list(styles)[:-1]):
            tree.insert(at, part)
        out = io.BytesIO()
        self.document.save(out)
        return pack_anew(out.getvalue(), {"content.xml": _office.write_xml(tree)})

    def element(self, xml: str) -> Any:
        from odfdo import Element

        return Element.from_tag(xml)

    def style(self, xml: str, *, automatic: bool = False) -> None:
        self.document.insert_style(self.element(xml), automatic=automatic)

    def set_page(self) -> None:
        frame = self.frame
        layout = self.document.get_style("page-layout", "Mpm1") or self.document.get_style(
            "page-layout"
        )
        given = {
            "fo:page-width": frame.width, "fo:page-height": frame.height,
            "fo:margin-left": frame.side, "fo:margin-right": frame.side,
            "fo:margin-top": frame.top, "fo:margin-bottom": frame.bottom,
        }  # fmt: skip
        properties = layout.get_element("style:page-layout-properties")
        for name, points in given.items():
            properties.set_attribute(name, f"{points:.1f}pt")
        if frame.columns > 1:
            properties.append(
                self.element(
                    f'<style:columns fo:column-count="{frame.columns}" '
                    f'fo:column-gap="{frame.gutter:.1f}pt"/>'
                )
            )

    def add_page_number(self) -> None:
        master = self.document.get_style("master-page", "Standard")
        if self.options.header and master is not None:
            number = "<text:page-number/>"
            line = f'<text:p text:style-name="{_style("rule")}">{number}</text:p>'
            master.append(self.element(f"<style:footer>{line}</style:footer>"))

    def add_styles(self, language: str, direction: str) -> None:
        first, _, country = language.partition("-")
        spoken = f'fo:language="{escape(first)}" fo:country="{escape(country or "none")}"'
        self.style(
            f'<style:style style:name="Tearsheet" style:family="paragraph">'
            f'<style:paragraph-properties fo:line-height="130%" fo:orphans="2" fo:widows="2" '
            f'style:writing-mode="{"rl-tb" if direction == "rtl" else "lr-tb"}" '
            f'fo:text-align="start" '
            f'fo:margin-top="0pt" fo:margin-bottom="{0.7 * self.size:.1f}pt"/>'
            f"<style:text-properties {spoken} {_font(self.family)} {self.points(1)}/>"
            f"</style:style>"
        )
        for name, look in _STYLES.items():
            begins_page = 'fo:break-before="page"' if name == "page" else ""
            self.style(
                f'<style:style style:name="{_style(name)}" style:family="paragraph" '
                f'style:parent-style-name="Tearsheet">'
                f"<style:paragraph-properties {begins_page} {_paragraph_look(look)}/>"
                f"<style:text-properties {self.text_look(look)}/></style:style>"
            )
        for rank, scale in enumerate(_looks.HEADINGS, 1):
            self.style(
                f'<style:style style:name="{_style(f"heading{rank}")}" style:family="paragraph" '
                f'style:parent-style-name="Tearsheet" style:default-outline-level="{rank}" '
                f'style:list-style-name="">'
                f'<style:paragraph-properties fo:keep-with-next="always" '
                f'fo:margin-top="{1.5 * self.size:.1f}pt" '
                f'fo:margin-bottom="{0.4 * self.size:.1f}pt"/>'
                f"<style:text-properties {_BOLD} {self.points(scale)}/></style:style>"
            )
        for kind in ("bullets", "numbers"):
            self.style(_list_style(kind))

    def points(self, scale: float) -> str:
        size = f"{scale * self.size:.1f}pt"
        return (
            f'fo:font-size="{size}" style:font-size-complex="{size}" style:font-size-asian="{size}"'
        )

    def text_look(self, look: Look) -> str:
        """The attributes of a style's text."""
        families = {"sans": _font(_looks.SANS), "mono": _font(_looks.MONO)}
        known = (
            (look.size != 1, self.points(look.size)),
            (look.family, families.get(look.family, "")),
            (look.colour and not self.options.grey, f'fo:color="#{look.colour.lower()}"'),
            (look.bold, _BOLD),
            (look.italic, 'fo:font-style="italic"'),
        )
        return " ".join(xml for applies, xml in known if applies)

    def set_properties(self, article: Article) -> None:
        meta, known = article.metadata, self.document.meta
        known.title = drop_controls(_document.title(article))
        known.description = _document.source(article) or ""
        known.subject = drop_controls(meta.description)
        known.keyword = drop_controls(", ".join(meta.tags))
        known.creator = known.initial_creator = drop_controls(", ".join(meta.authors))
        language = _document.language(article)
        known.language = "en" if language == "und" else language
        known.creation_date = known.date = LONG_AGO
        known.generator = "Tearsheet"

    def write(self, parts: Sequence[Part], cell: str = "") -> list[str]:
        found = []
        for part in parts:
            if isinstance(part, Line):
                found.append(self.line(part, cell))
            elif isinstance(part, SizedPicture):
                found.append(self.picture(part))
            else:
                found.append(self.table(part))
        return found

    def line(self, line: Line, cell: str) -> str:
        name = _style(cell if cell and line.style == "text" else line.style)
        mark = f'<text:bookmark text:name="{self.prefix}{line.name}"/>' if line.name else ""
        inner = mark + "".join(map(self.piece, line.pieces))
        if line.style == "heading":
            rank = min(line.level, 6)
            name = _style(f"heading{rank}")
            return f'<text:h text:style-name="{name}" text:outline-level="{rank}">{inner}</text:h>'
        text = f'<text:p text:style-name="{name}">{inner}</text:p>'
        return self.in_list(line, text) if line.depth else text

    def in_list(self, line: Line, text: str) -> str:
        """The paragraph in its list; each says its own number, so no list must be continued."""
        kind = _style("numbers" if line.number else "bullets")
        start = f' text:start-value="{line.number}"' if line.number else ""
        opening = "text:list-header" if line.number is None else "text:list-item"
        item = f"<{opening}{start}>{text}</{opening}>"
        for _ in range(line.depth - 1):
            item = f"<text:list-header><text:list>{item}</text:list></text:list-header>"
        return f'<text:list text:style-name="{kind}">{item}</text:list>'

    def piece(self, piece: Piece) -> str:
        if piece.text == "\n":
            return "<text:line-break/>"
        text = _keep_spaces(escape(piece.text))
        marks = frozenset(piece.marks & _MARKS.keys())
        if marks:
            text = f'<text:span text:style-name="{self.span(marks)}">{text}</text:span>'
        if not piece.href:
            return text
        inside = piece.href.startswith("#")
        href = f"#{self.prefix}{piece.href[1:]}" if inside else piece.href
        return f'<text:a xlink:type="simple" xlink:href="{escape(href)}">{text}</text:a>'

    def span(self, marks: frozenset[str]) -> str:
        """The name of the style for some marks, which is added at its first use."""
        name = _style("-".join(sorted(marks)))
        if marks not in self.marks:
            self.marks.add(marks)
            looks = _merge_attributes(" ".join(_MARKS[mark] for mark in sorted(marks)))
            self.style(
                f'<style:style style:name="{name}" style:family="text">'
                f"<style:text-properties {looks}/></style:style>"
            )
        return name

    def picture(self, shown: SizedPicture) -> str:
        address = self.embed(shown)
        return (
            f'<text:p text:style-name="{_style("picture")}"><draw:frame text:anchor-type="as-char" '
            f'svg:width="{shown.width:.1f}pt" svg:height="{shown.height:.1f}pt">'
            f'<draw:image xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" '
            f'xlink:href="{escape(address)}"/><svg:title>{escape(shown.alt)}</svg:title>'
            f"</draw:frame></text:p>"
        )

    def embed(self, shown: SizedPicture) -> str:
        """The name of a picture's file in the document."""
        body = shown.picture.body
        if body not in self.files:
            file = io.BytesIO(body)
            file.name = f"picture.{SUFFIXES[shown.picture.media_type]}"
            self.files[body] = self.document.add_file(file)
        return self.files[body]

    def table(self, grid: Grid) -> str:
        self.tables += 1
        number = self.tables
        if number == 1:
            self.style(
                f'<style:style style:name="{_style("box")}" style:family="table-cell">'
                f'<style:table-cell-properties fo:padding="3pt" '
                f'fo:border-bottom="0.4pt solid #{_looks.LINE.lower()}"/></style:style>',
                automatic=True,
            )
            self.style(
                f'<style:style style:name="{_style("grid")}" style:family="table">'
                f'<style:table-properties fo:margin-bottom="{self.size:.1f}pt" '
                f'table:align="margins"/></style:style>',
                automatic=True,
            )
        covered = ["<table:covered-table-cell/>"] * grid.columns
        rows = [list(covered) for _ in range(grid.rows)]
        for cell in grid.cells:
            inner = "".join(self.write(cell.parts, "head" if cell.header else "cell"))
            spans = f' table:number-columns-spanned="{cell.width}"' if cell.width > 1 else ""
            spans += f' table:number-rows-spanned="{cell.height}"' if cell.height > 1 else ""
            rows[cell.y][cell.x] = (
                f'<table:table-cell table:style-name="{_style("box")}" '
                f'office:value-type="string"{spans}>{inner or "<text:p/>"}</table:table-cell>'
            )
        lines = [f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows]
        head = "".join(lines[: grid.head])
        head = f"<table:table-header-rows>{head}</table:table-header-rows>" if head else ""
        return (
            f'<table:table table:name="Table{number}" table:style-name="{_style("grid")}">'
            f'<table:table-column table:number-columns-repeated="{grid.columns}"/>'
            f"{head}{''.join(lines[grid.head :])}</table:table>"
        )


def _paragraph_look(look: Look) -> str:
    """The attributes of a style's paragraphs."""
    known = (
        (look.left, f'fo:margin-left="{look.left:g}pt"'),
        (look.right, f'fo:margin-right="{look.right:g}pt"'),
        (look.below is not None, f'fo:margin-bottom="{look.below or 0:g}pt"'),
        (look.stays, 'fo:keep-with-next="always"'),
        (look.centred, 'fo:text-align="center"'),
        (look.shaded, f'fo:background-color="#{_looks.WASH.lower()}" fo:padding="4pt"'),
        (look.dense, 'fo:line-height="115%"'),
    )
    return " ".join(xml for applies, xml in known if applies)


def _font(family: str) -> str:
    name = escape(family)
    return (
        f'fo:font-family="{name}" style:font-family-complex="{name}" '
        f'style:font-family-asian="{name}"'
    )


_MARKS: Final = {
    "strong": _BOLD, "em": 'fo:font-style="italic"',
    "math": 'fo:font-style="italic"', "del": 'style:text-line-through-style="solid"',
    "ins": 'style:text-underline-style="solid"', "sup": 'style:text-position="super 62%"',
    "sub": 'style:text-position="sub 62%"', "code": _font(_looks.MONO), "kbd": _font(_looks.MONO),
    "small": 'fo:font-size="88%"', "mark": 'fo:background-color="#f7e8a8"',
}  # fmt: skip


def _style(name: str) -> str:
    return f"Tearsheet_{name}"


def _list_style(kind: str) -> str:
    levels = ""
    for depth in range(1, _office.DEEPEST + 1):
        left = depth * _looks.INDENT
        name = f"text:list-level-style-{kind.removesuffix('s')}"
        bullet = "•–·"[(depth - 1) % 3]
        sign = f'text:bullet-char="{bullet}"'
        if kind == "numbers":
            sign = 'style:num-format="1" style:num-suffix="."'
        levels += (
            f'<{name} text:level="{depth}" {sign}><style:list-level-properties '
            f'text:list-level-position-and-space-mode="label-alignment">'
            f'<style:list-level-label-alignment text:label-followed-by="listtab" '
            f'fo:text-indent="-{_looks.INDENT}pt" fo:margin-left="{left}pt"/>'
            f"</style:list-level-properties></{name}>"
        )
    return f'<text:list-style style:name="{_style(kind)}">{levels}</text:list-style>'


def _keep_spaces(text: str) -> str:
    """Several spaces, and those of an indented line, as elements: ODF folds white space."""
    return re.sub(r"^ +|(?<= ) +", lambda spaces: f'<text:s text:c="{len(spaces[0])}"/>', text)


def _merge_attributes(attributes: str) -> str:
    """Attributes, each name once."""
    found = dict(re.findall(r'([\w:-]+)="([^"]*)"', attributes))
    return " ".join(f'{name}="{value}"' for name, value in found.items())
