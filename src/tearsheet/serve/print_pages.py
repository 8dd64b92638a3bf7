"""The pages of a PDF as pictures, so that the preview shows what the printer gets."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from tearsheet.errors import MissingExtra
from tearsheet.serve.problems import Problem

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_WIDTH: Final = 900  # pixels: sharp on a screen, small to send


def count_pages(pdf: bytes) -> int:
    """How many pages a PDF has."""
    return len(_open(pdf))


def draw_page(pdf: bytes, number: int) -> bytes:
    """A page of a PDF as PNG; the first has number 1."""
    document = _open(pdf)
    if not 1 <= number <= len(document):
        raise Problem("not-found", f"the document has {len(document)} pages")
    page = document[number - 1]
    picture = page.render(scale=_WIDTH / max(page.get_width(), 1)).to_pil().convert("RGB")
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3)
    return file.getvalue()


def _open(pdf: bytes) -> PdfDocument:
    try:
        from pypdfium2 import PdfDocument
    except ModuleNotFoundError as error:
        raise MissingExtra("the preview of printed pages", error.name, "pdf-in") from None
    return PdfDocument(pdf)
