"""Looks at the pages of a PDF as a careful printer would: what runs over an edge or over text, what
is cut, stranded, blank or drawn as an empty box, and whether its text can be copied out.

`find_faults` is what `make gallery`, `benchmarks.documents` and the tests ask.
"""

from __future__ import annotations

import ctypes
import io
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image as Picture

from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.layout import _document
from tearsheet.layout._frame import Frame
from tearsheet.layout._typeset import announces
from tearsheet.types import Block, Code, Heading, ListBlock, Options, Paragraph, Run

EDGE: Final = 14.0
"""Points that nothing may come closer to the edge of the paper."""
BLANK: Final = 0.25
"""Share of a page that may be blank at its end."""
_APART: Final = 9.0
"""Points between two cells of a row."""
_NOTE_SIZE: Final = 0.76
_MARKER: Final = re.compile(r"(?:\d+[.)]|[•–·])")
_SOFT: Final = ("\u00ad", "\ufffe", "\u0002")
"""A soft hyphen, and what PDFium makes of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text on a page, in points from the top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    font: str
    pieces: tuple[tuple[float, ...], ...] = ()
    """Boxes of what stands together in it: PDFium takes cells of a row for one line."""
    covered: str = ""
    """A letter that is printed over another one."""

    @property
    def letters(self) -> str:
        return letters(self.text)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its size, its lines, and the boxes of its pictures."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    pictures: tuple[tuple[float, float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Fault:
    kind: str
    """overflow, overlap, cut, stranded, blank, glyph or text."""
    page: int
    what: str

    def __str__(self) -> str:
        return f"{self.kind} on page {self.page}: {self.what}"


@dataclass(slots=True)
class Report:
    """The faults found in one document."""

    faults: list[Fault] = field(default_factory=list)
    pages: int = 0
    inner_pages: int = 0
    """Pages that another page of the text follows."""
    share_copied: float = 1.0
    """Share of the article's letters that can be copied out in their blocks."""

    def count(self, kind: str) -> int:
        return sum(fault.kind == kind for fault in self.faults)


def find_faults(document: bytes, article: Article, options: Options) -> Report:
    """All that is wrong with the PDF of an article."""
    frame, sheets = Frame(options), read_sheets(document)
    report = Report(pages=len(sheets))
    plates = [
        sheet for sheet in sheets if sheet.width > sheet.height > 0 and frame.height > frame.width
    ]
    text_pages = [sheet for sheet in sheets if sheet not in plates]
    report.inner_pages = max(len(text_pages) - 1, 0)
    for sheet in sheets:
        report.faults += _find_overflow(sheet)
        report.faults += _find_overlaps(sheet)
    ends = _stranded_texts(article)
    for sheet in text_pages[:-1]:
        report.faults += _find_stranded(sheet, frame, ends)
        report.faults += _find_blank(sheet, frame)
    report.faults += _find_empty_boxes(document)
    report.share_copied, lost = _compare_text(article, options, sheets, frame)
    report.faults += [Fault("text", 0, text[:80]) for text in lost]
    return report


def draw_sheets(document: bytes, scale: float = 0.9) -> list[Picture.Image]:
    """The pages as pictures."""
    opened = pypdfium2.PdfDocument(document)
    try:
        return [page.render(scale=scale).to_pil().convert("RGB") for page in opened]
    finally:
        opened.close()


def read_sheets(document: bytes) -> list[Sheet]:
    """The pages with their lines."""
    opened = pypdfium2.PdfDocument(document)
    try:
        return [_read_sheet(opened[i], i + 1) for i in range(len(opened))]
    finally:
        opened.close()


def _read_sheet(page: Any, number: int) -> Sheet:
    width, height = page.get_size()
    pictures = []
    for thing in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = thing.get_bounds()
        pictures.append((left, height - top, right, height - bottom))
    lines = tuple(_read_lines(page.get_textpage(), height))
    return Sheet(number, width, height, lines, tuple(pictures))


def _read_lines(text: Any, height: float) -> Iterator[Line]:
    raw = text.raw
    edges = [ctypes.c_double() for _ in range(4)]
    name, flags = ctypes.create_string_buffer(80), ctypes.c_int()
    signs: list[tuple[str, float]] = []
    box = [1e9, 1e9, -1e9, -1e9]
    font, covered = "", ""
    pieces: list[list[float]] = []
    places: dict[int, list[float]] = {}
    for i in range(pdfium.FPDFText_CountChars(raw)):
        sign = chr(pdfium.FPDFText_GetUnicode(raw, i))
        if sign in "\r\n" or (sign in _SOFT and signs):
            if sign == "\n" or sign in _SOFT:
                if box[2] > 0:
                    yield _make_line(signs, box, font, pieces, covered, hyphen=sign in _SOFT)
                signs, box, font = [], [1e9, 1e9, -1e9, -1e9], ""
                covered, places, pieces = "", {}, []
            continue
        signs.append((sign, pdfium.FPDFText_GetFontSize(raw, i)))
        if sign.isspace() or pdfium.FPDFText_IsGenerated(raw, i) == 1:
            continue
        left, right, bottom, top = edges
        pdfium.FPDFText_GetCharBox(raw, i, left, right, bottom, top)
        here = [left.value, height - top.value, right.value, height - bottom.value]
        if sign.isalnum() and sign.isascii() and _covers(here, places):
            covered = covered or sign
        box = _join(box, here)
        if pieces and abs(here[0] - pieces[-1][2]) < _APART and here[1] < pieces[-1][3]:
            pieces[-1] = _join(pieces[-1], here)
        else:
            pieces.append(here)
        if not font:
            pdfium.FPDFText_GetFontInfo(raw, i, name, 80, flags)
            font = name.value.decode("utf-8", "replace")
    if box[2] > 0:
        yield _make_line(signs, box, font, pieces, covered, hyphen=False)


def _join(one: list[float], other: list[float]) -> list[float]:
    return [*map(min, one[:2], other[:2]), *map(max, one[2:], other[2:])]


def _covers(here: list[float], places: dict[int, list[float]]) -> bool:
    """Whether a letter is printed over one of its line; keeps its place, by points from the left.

    The letters of a ligature share one box.
    """
    middle = (here[0] + here[2]) / 2
    near = [places.get(int(middle) + step, here) for step in (-1, 0, 1)]
    places[int(middle)] = here
    return any(_is_over(here, other) for other in near if other != here)


def _is_over(one: list[float], other: list[float]) -> bool:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    tall = min(one[3], other[3]) - max(one[1], other[1])
    least = min(one[3] - one[1], other[3] - other[1])
    return wide > 0.6 * min(one[2] - one[0], other[2] - other[0]) > 0.5 and tall > 0.6 * least > 1.0


def _make_line(
    signs: list[tuple[str, float]],
    box: list[float],
    font: str,
    pieces: list[list[float]],
    covered: str,
    *,
    hyphen: bool,
) -> Line:
    size = max(size for _, size in signs)
    # A raised number is no part of what a line says.
    said = "".join(sign for sign, own in signs if own > 0.75 * size)
    text = said + ("\u00ad" if hyphen else "")
    boxes = tuple(map(tuple, pieces))
    return Line(text, box[0], box[1], box[2], box[3], size, font, boxes, covered)


def letters(text: str) -> str:
    """Letters and figures alone, as they compare: hyphens, spaces and line ends fall away."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text))


def _find_overflow(sheet: Sheet) -> Iterator[Fault]:
    for line in sheet.lines:
        if line.right < line.left:
            continue
        inside = line.left >= EDGE and line.right <= sheet.width - EDGE
        if not (inside and line.top >= EDGE and line.bottom <= sheet.height - EDGE / 2):
            yield Fault("overflow", sheet.number, line.text[:60])
    for left, top, right, bottom in sheet.pictures:
        if left < 0 or top < 0 or right > sheet.width + 1 or bottom > sheet.height + 1:
            yield Fault("cut", sheet.number, f"a picture at {left:.0f}, {top:.0f}")


def _find_overlaps(sheet: Sheet) -> Iterator[Fault]:
    """Lines that are printed over each other: a word wider than its cell."""
    lines = sorted((line for line in sheet.lines if line.letters), key=lambda line: line.top)
    for i, one in enumerate(lines):
        if one.covered:
            yield Fault("overlap", sheet.number, f"{one.covered} in {one.text[:60]}")
        for other in lines[i + 1 :]:
            if other.top > one.bottom:
                break
            if _collide(one, other) and not _goes_on(one, other):
                yield Fault("overlap", sheet.number, f"{one.text[:30]} / {other.text[:30]}")
                break


def _collide(one: Line, other: Line) -> bool:
    for a, b in itertools.product(one.pieces, other.pieces):
        wide, tall = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        least = min(a[3] - a[1], b[3] - b[1])
        if wide > 3 and least > 2 and tall > 0.6 * least:
            return True
    return False


def _goes_on(one: Line, other: Line) -> bool:
    """Whether one line is the rest of the other: PDFium ends a line before a sign that stands above
    the last letter."""
    return any(unicodedata.category(line.text.strip()[0]) == "Mn" for line in (one, other))


def _stranded_texts(article: Article) -> dict[str, str]:
    """Letters with which no page may end → what they are."""
    found: dict[str, str] = {}
    for block in walk_blocks(article.blocks):
        if isinstance(block, Heading):
            found[letters(_document.plain_line(block.runs))] = "a heading"
        if isinstance(block, ListBlock):
            for first, after in (item[:2] for item in block.items if len(item) > 1):
                if isinstance(first, Paragraph) and isinstance(after, ListBlock):
                    found[letters(_document.plain_line(first.runs))] = "an item with a list"
    for block, after in itertools.pairwise(article.blocks):
        if isinstance(block, Paragraph) and announces(block, after):
            found[letters(_document.plain_line(block.runs))] = "a lead-in"
    return found


def _columns(sheet: Sheet, frame: Frame) -> list[list[Line]]:
    """The lines of the text, without head, foot and notes, by column."""
    found: list[list[Line]] = [[] for _ in range(frame.columns)]
    for line in sheet.lines:
        in_text = line.top >= frame.top - 4 and line.bottom <= frame.height - frame.bottom + 6
        if in_text and not _is_note(line, frame) and line.text.strip():
            place = (line.left - frame.side) / (frame.column + frame.gutter)
            found[min(max(int(place + 0.1), 0), frame.columns - 1)].append(line)
    return found


def _is_note(line: Line, frame: Frame) -> bool:
    small = abs(line.size - _NOTE_SIZE * frame.size) < 0.03 or line.size < 0.6 * frame.size
    return small and "Sans" not in line.font


def _find_stranded(sheet: Sheet, frame: Frame, ends: dict[str, str]) -> Iterator[Fault]:
    for column in _columns(sheet, frame):
        if not column:
            continue
        last = max(column, key=lambda line: line.bottom)
        below = [box for box in sheet.pictures if box[3] > last.bottom + 2]
        lowest = sorted(column, key=lambda line: line.top)[-4:]
        said = letters("".join(line.text for line in lowest))
        if below:
            continue
        if _MARKER.fullmatch(last.text.strip()):
            yield Fault("stranded", sheet.number, f"a list number: {last.text.strip()}")
        for end, what in ends.items():
            is_whole = end and said.endswith(end) and end.endswith(last.letters)
            if is_whole and (what != "a heading" or _is_bold(last)):
                yield Fault("stranded", sheet.number, f"{what}: {last.text[:60]}")
                break


def _is_bold(line: Line) -> bool:
    return re.search(r"semi|bold|black|heavy|700|600", line.font, re.I) is not None


def _find_blank(sheet: Sheet, frame: Frame) -> Iterator[Fault]:
    foot = frame.height - frame.bottom
    notes = [line.top for line in sheet.lines if _is_note(line, frame) and line.bottom <= foot + 6]
    free = 0.0
    for number, column in enumerate(_columns(sheet, frame)):
        left = frame.side + number * (frame.column + frame.gutter)
        mine = [b[3] for b in sheet.pictures if b[2] > left and b[0] < left + frame.column]
        lowest = max([line.bottom for line in column] + mine, default=frame.top)
        ends = min([top for top in notes if top > lowest] or [foot])
        free += max(ends - lowest, 0.0)
    share = free / frame.columns / frame.text_height
    if share > BLANK:
        yield Fault("blank", sheet.number, f"{share:.0%} of it")


def _find_empty_boxes(document: bytes) -> Iterator[Fault]:
    """Glyph 0 of a font is the box for letters that it lacks."""
    with pikepdf.open(io.BytesIO(document)) as opened:
        for number, page in enumerate(opened.pages, 1):
            count = 0
            wide = _wide_fonts(page)
            font = ""
            for step in pikepdf.parse_content_stream(page, "Tf Tj TJ"):
                operator = str(step.operator)
                if operator == "Tf":
                    font = str(step.operands[0])
                elif font in wide:
                    count += sum(_count_zeros(part) for part in _strings(step.operands[0]))
            if count:
                yield Fault("glyph", number, f"{count} empty boxes")


def _wide_fonts(page: pikepdf.Page) -> set[str]:
    resources: Any = page.get("/Resources", pikepdf.Dictionary())
    fonts: Any = resources.get("/Font", pikepdf.Dictionary())
    return {name for name, font in fonts.items() if str(font.get("/Subtype")) == "/Type0"}


def _strings(operand: Any) -> Iterator[bytes]:
    parts = operand if isinstance(operand, pikepdf.Array) else [operand]
    return (bytes(part) for part in parts if isinstance(part, pikepdf.String))


def _count_zeros(text: bytes) -> int:
    return sum(text[i : i + 2] == b"\0\0" for i in range(0, len(text), 2))


def _compare_text(
    article: Article, options: Options, sheets: Sequence[Sheet], frame: Frame
) -> tuple[float, list[str]]:
    """The share of the article's letters that are there block by block, and the blocks that are
    not."""
    whole = "".join(letters(line.text) for sheet in sheets for line in _body_lines(sheet, frame))
    every = "".join(letters(line.text) for sheet in sheets for line in sheet.lines)
    total, found, lost = 0, 0, []
    for parts in _article_texts(_document.body(article)):
        wanted = [letters(part) for part in parts]
        count = sum(map(len, wanted))
        total += count
        if _is_in_order(wanted, whole) or _is_in_order(wanted, every) or _is_mixed(wanted, every):
            found += count
        else:
            lost.append("".join(parts))
    return (found / total if total else 1.0), lost


def _body_lines(sheet: Sheet, frame: Frame) -> Iterator[Line]:
    for line in sheet.lines:
        is_head = line.bottom < frame.top - 4 or line.top > frame.height - frame.bottom + 4
        if not is_head and not _is_note(line, frame):
            yield line


def _is_in_order(parts: list[str], whole: str) -> bool:
    """Whether a text is there; between its parts may stand the number of a note, which is ours."""
    sign = r"(?:\d{1,4}|[a-z]{1,2})?"
    if re.search(sign.join(map(re.escape, parts)), whole):
        return True
    at = 0
    for part in parts:
        next_at = whole.find(part, at)
        if next_at < 0 and not _is_in(part, whole[at:]):
            return False
        at = max(next_at, at)
    return True


def _is_mixed(parts: list[str], whole: str) -> bool:
    """Whether all letters of a right-to-left text are there in some order. Programs that read PDF
    reverse words that have a sign above a letter, each in another way."""
    wanted = Counter("".join(parts))
    is_turned = any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in wanted)
    return is_turned and wanted <= Counter(whole)


def _is_in(wanted: str, whole: str, pieces: int = 4) -> bool:
    """Whether a text is there, whole or in few pieces: a page, a note or a figure may part it."""
    for _ in range(pieces):
        if not wanted or wanted in whole:
            return True
        low, high = 0, len(wanted)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if wanted[:middle] in whole else (low, middle - 1)
        if low < 8:
            return False
        wanted = wanted[low:]
    return not wanted


def _article_texts(blocks: tuple[Block, ...]) -> Iterator[list[str]]:
    """The text of each paragraph, heading and line of code, in parts that end with their links."""
    for block in walk_blocks(blocks):
        if isinstance(block, Paragraph | Heading):
            said = ("\0" if "math" in r.marks else _copied_text(r) for r in block.runs)
            for text in "".join(said).split("\0"):
                yield text.split("\1")
        elif isinstance(block, Code):
            for line in block.text.split("\n"):
                yield [line]


def _copied_text(run: Run) -> str:
    """The text of a run, with a mark where the number of a note or address may follow; raised text
    is smaller than the line."""
    if run.note or run.marks & {"sup", "sub"}:
        return "\1"
    return run.text + ("\1" if run.href else "")
