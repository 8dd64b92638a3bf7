"""A PDF → its lines of text and its pictures, page by page, with their places (by PDFium)."""

from __future__ import annotations

import ctypes
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tearsheet.errors import FetchFailed, LimitExceeded, MissingExtra

_LETTERS: Final = 4_000_000
"""Characters of a document that are read at most."""
_PAGES: Final = 5_000
_GAP: Final = 1.6
"""Part of a letter's height: a wider space within a line is the space between columns."""
_BOLD: Final = 600
_HYPHENS: Final = "\u0002\ufffe\u00ad"
"""What PDFium gives for a hyphen that only divides a word at the end of a line."""
_LEAST_PIXELS: Final = 64
_LEAST_SHARE: Final = 0.01
"""Share of a page's area; smaller pictures are ornaments."""
_MOST_PICTURES: Final = 500


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of a page; y grows downwards."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    """Size of most of its letters, in points."""
    bold: bool
    divides: bool
    """Whether its last word goes on in the next line."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture on a page, as a file."""

    body: bytes
    media_type: str
    x0: float
    y0: float
    x1: float
    y1: float
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PdfPage:
    width: float
    height: float
    lines: list[PdfLine]
    pictures: list[PagePicture]


@dataclass(slots=True)
class PdfText:
    """The content of a PDF."""

    pages: list[PdfPage] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    """Title, Author, CreationDate …, as the file declares them."""


@dataclass(slots=True)
class _Letters:
    """The letters of a line that is being read."""

    text: list[str] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)
    bold: int = 0
    divides: bool = False

    def line(self) -> PdfLine | None:
        """The line, if it has any letter."""
        text = " ".join("".join(self.text).split())
        if not text or not self.boxes:
            return None
        left, top, right, bottom = zip(*self.boxes)
        return PdfLine(
            text, min(left), min(top), max(right), max(bottom),
            self.sizes.most_common(1)[0][0], self.bold * 2 > len(self.boxes), self.divides,
        )  # fmt: skip


def read_pdf_text(body: bytes, *, pictures: bool = True) -> PdfText:
    """The lines and pictures of a PDF."""
    try:
        import pypdfium2 as pdfium
    except ModuleNotFoundError as error:
        raise MissingExtra("a PDF as a source", error.name, "pdf-in") from None
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        why = "needs a password" if "password" in str(error).lower() else "is damaged"
        raise FetchFailed(f"the PDF {why}", code="not-html") from None
    if len(document) > _PAGES:
        raise LimitExceeded(f"the PDF has more than {_PAGES} pages")
    found = PdfText(facts=dict(document.get_metadata_dict(skip_empty=True)))
    letters = shown = 0
    for number in range(len(document)):
        page = document[number]
        wide, high = page.get_size()
        lines = list(_read_lines(page, high))
        letters += sum(len(line.text) for line in lines)
        if letters > _LETTERS:
            raise LimitExceeded(f"the PDF has more than {_LETTERS} letters")
        images = _read_pictures(page, wide, high) if pictures and shown < _MOST_PICTURES else []
        shown += len(images)
        found.pages.append(PdfPage(wide, high, lines, images))
        page.close()
    return found


def _read_lines(page: Any, height: float) -> Iterator[PdfLine]:
    """The lines in the order of the file: a line break of PDFium or a wide space ends one."""
    from pypdfium2 import raw

    texts = page.get_textpage()
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    letters, before = _Letters(), 0.0
    for i in range(texts.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(texts, i))
        if sign in "\r\n":
            yield from _end(letters)
            letters = _Letters()
            continue
        if sign in _HYPHENS:
            letters.divides = True
            continue
        if sign.isspace() or not raw.FPDFText_GetCharBox(texts, i, left, right, bottom, top):
            letters.text.append(" ")
            continue
        size = round(float(raw.FPDFText_GetFontSize(texts, i)), 1)
        tall = max(top.value - bottom.value, size if 1 < size < 200 else 1.0)
        is_far = abs(left.value - before) > _GAP * tall and letters.boxes
        has_left = letters.boxes and abs(height - bottom.value - letters.boxes[-1][3]) > 2 * tall
        if is_far or has_left:
            yield from _end(letters)
            letters = _Letters()
        letters.divides = False  # the line goes on, so it was a hyphen within it
        before = right.value
        letters.text.append(sign)
        letters.boxes.append((left.value, height - top.value, right.value, height - bottom.value))
        letters.sizes[_real_size(raw, texts, i, size)] += 1
        letters.bold += raw.FPDFText_GetFontWeight(texts, i) >= _BOLD
    yield from _end(letters)


def _real_size(raw: Any, texts: Any, i: int, size: float) -> float:
    """The size of a letter as it is drawn: many files scale letters of size 1."""
    matrix = raw.FS_MATRIX()
    if raw.FPDFText_GetMatrix(texts, i, matrix):
        size *= max(abs(matrix.d), abs(matrix.b))
    return round(size * 2) / 2


def _end(letters: _Letters) -> Iterator[PdfLine]:
    made = letters.line()
    if made is not None:
        yield made


def _read_pictures(page: Any, wide: float, high: float) -> list[PagePicture]:
    """The pictures of a page that are large enough to mean something."""
    from pypdfium2 import PdfiumError, raw

    found = []
    for image in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3):
        x0, y0, x1, y1 = image.get_bounds()
        share = (x1 - x0) * (y1 - y0) / max(wide * high, 1)
        if share < _LEAST_SHARE or share > 0.95:  # a scan of the whole page is no picture of it
            continue
        try:
            width, height = image.get_px_size()
            if min(width, height) < _LEAST_PIXELS or width * height > 50_000_000:
                continue
            body = _write_picture(image)
        except (PdfiumError, OSError, ValueError):
            continue
        found.append(PagePicture(body, "image/png", x0, high - y1, x1, high - y0, width, height))
    return found


def _write_picture(image: Any) -> bytes:
    file = io.BytesIO()
    try:
        made = image.get_bitmap(render=False).to_pil()
    except ModuleNotFoundError as error:
        raise MissingExtra("the pictures of a PDF", error.name, "pdf-in") from None
    made.convert("RGB").save(file, "PNG")
    return file.getvalue()
