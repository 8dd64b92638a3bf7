"""Typst, the typesetting program: files in, one document out."""

from __future__ import annotations

import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any

from tearsheet.errors import MissingExtra

_lock = threading.Lock()  # a compiler takes one document at a time


def compile_files(source: dict[str, bytes], **options: Any) -> bytes:
    """Sets `main.typ` of some files in a folder of its own; Typst reads nothing outside of it."""
    with tempfile.TemporaryDirectory(prefix="tearsheet-") as folder:
        for name, content in source.items():
            Path(folder, name).write_bytes(content)
        with _lock:
            document: bytes = compiler().compile(input=f"{folder}/main.typ", root=folder, **options)
    return document


@cache
def compiler() -> Any:
    """Typst, with the fonts of this machine looked up once."""
    return _load().Compiler()


@cache
def font_families() -> tuple[str, ...]:
    """The families that this machine has, and those that Typst brings."""
    return tuple(_load().Fonts().families())


def typst_error() -> type[Exception]:
    found: type[Exception] = _load().TypstError
    return found


def _load() -> Any:
    try:
        import typst
    except ImportError as error:
        raise MissingExtra("PDF", error.name, "pdf") from None
    return typst
