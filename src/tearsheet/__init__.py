"""Tearsheet clips the article out of any web page and turns it into a clean document.

import tearsheet
article = tearsheet.extract(html, url="https://…")
print(article.title, article.text)
"""
# ruff: noqa: TC004  (the names are there at run time as well: `_Package` imports them)

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tearsheet.article import Article
    from tearsheet.clip import clip, extract
    from tearsheet.errors import TearsheetError
    from tearsheet.types import Options

__version__ = "0.2.0"
__all__ = ["Article", "Options", "TearsheetError", "__version__", "clip", "extract"]

_HOMES = {"Article": "article", "Options": "types", "TearsheetError": "errors", "extract": "clip"}


class _Package(ModuleType):
    """This package. What it offers is imported when it is first used, so that `tearsheet --help`
    does not wait for NumPy."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        """All names, so that `help(tearsheet)` and completion know them before they are used."""
        return sorted({*super().__dir__(), *__all__})

    @property
    def clip(self) -> Any:
        return importlib.import_module(f"{__name__}.clip").clip

    @clip.setter
    def clip(self, module: ModuleType) -> None:
        """The import system would put the module here, which is called like its function."""


sys.modules[__name__].__class__ = _Package
