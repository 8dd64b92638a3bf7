"""The cover of a book, drawn by Typst as a picture, so that every reader shows the same."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final

from tearsheet.article import Article
from tearsheet.errors import MissingExtra
from tearsheet.layout import _document, _fonts
from tearsheet.layout._typst import compile_files, typst_error
from tearsheet.types import Options
from tearsheet.writing import drop_controls

SIZE: Final = (1200, 1600)
"""Pixels: the shape of a 6-inch screen, and larger than the smallest that shops take."""
_DOTS: Final = 144.0


def draw_cover(title: str, articles: tuple[Article, ...], options: Options) -> bytes | None:
    """The cover as PNG; None without Typst, or if it cannot draw this one."""
    first = articles[0]
    language = _document.language(first)
    known = language.split("-")[0]
    single = len(articles) == 1
    data = {
        "title": drop_controls(title)[:300] or "—",
        "site": drop_controls(first.metadata.site)[:60] if single else "",
        "authors": drop_controls(", ".join(first.metadata.authors))[:120] if single else "",
        "date": drop_controls(_document.publication_day(first)) if single else "",
        "lang": known if known != "und" and known.isalpha() and len(known) <= 3 else "en",
        "dir": _document.direction(first),
        "grey": options.grey,
        "italic": known not in ("zh", "ja", "ko", "ar", "fa", "he", "th"),
        "fonts": {"serif": _fonts.serif(language, options.font), "sans": _fonts.sans(language)},
    }
    template = files("tearsheet.layout").joinpath("_cover.typ").read_bytes()
    source = {"main.typ": template, "data.json": json.dumps(data).encode()}
    try:
        return compile_files(source, format="png", ppi=_DOTS)
    except MissingExtra:
        return None
    except typst_error():
        return None
