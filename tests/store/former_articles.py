"""Articles as earlier versions stored them, and pickles that run something."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any

import zstandard

from tearsheet import types
from tearsheet.article import Article
from tearsheet.store import archive


def former_pack(article: Article) -> bytes:
    """The bytes that `archive.pack` wrote until it had a schema."""
    plain = article.replace(clippings=tuple(map(archive._strip, article.clippings)))
    return zstandard.compress(former_pickle(plain), 1)


def former_pickle(value: object) -> bytes:
    """A value as earlier versions pickled it: our classes with all their fields."""
    out = io.BytesIO()
    writer = pickle.Pickler(out, protocol=5)
    ours = [k for k in vars(types).values() if getattr(k, "__module__", "") == types.__name__]
    writer.dispatch_table = {kind: reduce for kind in ours if (reduce := _reducer(kind))}
    writer.dump(value)
    return out.getvalue()


def _reducer(kind: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    if hasattr(kind, "_fields"):
        return lambda value: (kind, tuple(value))
    if not is_dataclass(kind) or not all(field.init for field in fields(kind)):
        return None
    names = [field.name for field in fields(kind)]
    if len(names) == 1:
        return lambda value: (kind, (getattr(value, names[0]),))
    values = attrgetter(*names)
    return lambda value: (kind, values(value))


def pickle_that_calls(module: str, name: str, argument: str) -> bytes:
    """A pickle that calls what it names, as the store of a stranger might have it."""
    return b"\x80\x05" + _text(module) + _text(name) + b"\x93" + _text(argument) + b"\x85R."


def _text(text: str) -> bytes:
    return b"\x8c" + bytes([len(text)]) + text.encode()


class Former:
    """Pickled as `tearsheet.types.Article` was in the oldest stores: its values in a list."""

    __module__ = "tearsheet.types"
    __qualname__ = "Article"

    def __init__(self, article: Article, text: str | None) -> None:
        names = (
            "metadata", "blocks", "url", "page_urls", "images", "confidence", "reasons",
            "page_type", "method", "clippings", "pictures",
        )  # fmt: skip
        self.values = [*(getattr(article, name) for name in names), text]

    def __getstate__(self) -> list[object]:
        return self.values
