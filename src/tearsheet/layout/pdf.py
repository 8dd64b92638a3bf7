"""Articles → PDF: by Typst, straight from the blocks; or by Chromium, for those who bring a style
sheet of their own (`Options.pdf_engine`)."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.resources import files
from typing import Any, Final

from tearsheet.article import Article
from tearsheet.errors import InvalidOption, RenderFailed
from tearsheet.layout import _document, _fonts, _typeset, html
from tearsheet.layout._frame import Frame
from tearsheet.layout._typst import compile_files, font_families, typst_error
from tearsheet.types import Options

MEDIA_TYPE = "application/pdf"
SHOWS_PICTURES = True

_ATTEMPTS: Final = (
    (True, True, True), (False, True, True), (False, False, True), (False, True, False),
    (False, False, False),
)  # fmt: skip
"""By PDF/UA, with formulas, with pictures."""
_OWN: Final = "// The reader's own rules go here."
_NUMBER: Final = (
    '<div style="font: 7pt sans-serif; width: 100%; text-align: center">'
    '<span class="pageNumber"></span></div>'
)


def render(article: Article, options: Options) -> bytes:
    """The document."""
    return render_many((article,), options)


def render_many(articles: Sequence[Article], options: Options) -> bytes:
    """One document: each article begins on a new page; several get a table of contents."""
    if options.pdf_engine == "chromium" or _document.is_vertical(articles[0], options):
        return _print_in_browser(articles, options)
    return _typeset_document(tuple(articles), options)


def missing_fonts(articles: Sequence[Article]) -> list[str]:
    """The fonts to install so that all letters of the articles can be printed."""
    text = "\n".join(f"{article.title}\n{article.text}" for article in articles)
    return _fonts.missing_scripts(text, font_families())


def _typeset_document(articles: tuple[Article, ...], options: Options) -> bytes:
    """Typesets the document as PDF/UA. If that fails, tries without PDF/UA, then without formulas
    or pictures, until something works."""
    _check_font(options.font)
    failure: Exception | None = None
    for accessible, formulas, pictures in _ATTEMPTS:
        data, shown = _typeset.document(articles, options, formulas=formulas, pictures=pictures)
        try:
            return _compile(data, shown, options, ["ua-1"] if accessible else [])
        except typst_error() as error:
            failure = failure or error
    raise RenderFailed(f"Typst could not set the document: {_first_line(failure)}")


def _compile(
    data: _typeset.Data, shown: dict[str, bytes], options: Options, standards: list[str]
) -> bytes:
    template = files("tearsheet.layout").joinpath("_article.typ").read_text("utf-8")
    source = {
        "main.typ": template.replace(_OWN, options.style).encode(),
        "data.json": json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"),
        **shown,
    }
    return compile_files(source, pdf_standards=standards)


def _check_font(family: str) -> None:
    """Refuses a family that this machine does not have: another would be taken silently."""
    known = font_families() if family else ()
    if family and family.casefold() not in map(str.casefold, known):
        near = get_close_matches(family, known, n=3, cutoff=0.5)
        some = ", ".join(near or known[:12])
        raise InvalidOption("font", family, f"a family of this machine, such as {some}")


def _first_line(error: Exception | None) -> str:
    return str(error).strip().split("\n")[0][:300]


def _print_in_browser(articles: Sequence[Article], options: Options) -> bytes:
    """Prints the HTML document in a browser that has no network."""
    from tearsheet.acquire.browser import Tab, shared_browser
    from tearsheet.acquire.guard import Guard

    frame = Frame(options)
    page = html.render_many(articles, options).decode()
    side = frame.top if _document.is_vertical(articles[0], options) else frame.side

    def job(tab: Tab) -> bytes:
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        top = tab.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        tab.call("Page.setDocumentContent", frameId=top, html=page)
        made = tab.call("Page.printToPDF", **_print_settings(options, frame, side))
        return base64.b64decode(made["data"])

    return shared_browser().run(job, options, Guard(offline=True))


def _print_settings(options: Options, frame: Frame, side: float) -> dict[str, Any]:
    return {
        "paperWidth": frame.width / 72,
        "paperHeight": frame.height / 72,
        "marginTop": frame.top / 72,
        "marginBottom": frame.bottom / 72,
        "marginLeft": side / 72,
        "marginRight": side / 72,
        "printBackground": True,
        "displayHeaderFooter": options.header,
        "headerTemplate": "<span></span>",
        "footerTemplate": _NUMBER,
        "generateTaggedPDF": True,
        "generateDocumentOutline": True,
    }
