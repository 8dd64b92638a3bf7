"""Articles with the pages they were made from, as bytes for the store.

What is read back may name only our own values, NumPy's arrays and plain containers: a store that
somebody else wrote to cannot run anything here.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, Final

import numpy as np

from tearsheet import types
from tearsheet.article import Article, parts
from tearsheet.errors import TearsheetError
from tearsheet.page.columns import parents
from tearsheet.types import Clipping, Ints, Page

_OURS: Final = types.__name__
_LEVEL: Final = 1  # of Zstandard: a quarter of the size in a third of zlib's time
_MOST: Final = 1024**3
_NONE: Final = np.empty(0, dtype=np.int32)
_PLAIN: Final = {
    "builtins": {"frozenset", "set", "dict", "list", "tuple", "bytes", "bytearray"},
    "_codecs": {"encode"},
    "types": {"MappingProxyType"},
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.numeric": {"_frombuffer"},
    Article.__module__: {Article.__name__},
}
_FORMER: Final = (
    "metadata", "blocks", "url", "page_urls", "images", "confidence", "reasons", "page_type",
    "method", "clippings", "pictures", "text",
)  # fmt: skip
"""The values of an article in the order in which older stores have them."""


def pack(article: Article) -> bytes:
    """The article and its pages, without the evidence that only the method itself can give.

    A text that nobody has asked for is not computed: whoever unpacks the article can.
    """
    import zstandard

    plain = article.replace(clippings=tuple(_strip(clipping) for clipping in article.clippings))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(_pickle(plain))


def unpack(packed: bytes) -> Article:
    """The article that was packed."""
    import zstandard

    try:
        body = zstandard.ZstdDecompressor().stream_reader(packed).read(_MOST)
    except zstandard.ZstdError:
        raise TearsheetError("the store has something that is not an article") from None
    match _ArticleUnpickler(io.BytesIO(body)).load():
        case Article() as article:
            return article.replace(clippings=tuple(map(_restore, article.clippings)))
        case _FormerArticle() as former, bool() as without_text:
            return _from_former(former, without_text)
        case _FormerArticle() as former:  # packed before texts could be left out
            return _from_former(former, without_text=False)
    raise TearsheetError("the store has something that is not an article")


def _strip(clipping: Clipping) -> Clipping:
    """Without evidence, and without the columns of the page that follow from others."""
    page = replace(clipping.page, attrs=[], parent=_NONE, depth=_NONE)
    return replace(clipping, page=page, verdict=replace(clipping.verdict, why=None))


def _restore(clipping: Clipping) -> Clipping:
    page = clipping.page
    if len(page.parent) == len(page):  # packed before columns were left out
        return clipping
    attrs = [page.all_attrs[at] for at in page.attrs_at.tolist()]
    depth = _depths(page)
    return replace(clipping, page=replace(page, attrs=attrs, depth=depth, parent=parents(depth)))


def _depths(page: Page) -> Ints:
    """How many nodes are around each: those that began before it and have not ended."""
    rows = len(page)
    ended = np.cumsum(np.bincount(page.end, minlength=rows)[:rows])
    return (np.arange(rows) - ended).astype(np.int32)


def _pickle(value: object) -> bytes:
    out = io.BytesIO()
    writer = pickle.Pickler(out, protocol=5)
    writer.dispatch_table = _reducers()
    writer.dump(value)
    return out.getvalue()


@cache
def _reducers() -> Mapping[type, Callable[[Any], tuple[Any, ...]]]:
    """How pickle stores each of our values: by its class and all its fields, in order.

    (The default way of `dataclass` and `NamedTuple` takes twice as long.)
    """
    ours = [kind for kind in vars(types).values() if getattr(kind, "__module__", "") == _OURS]
    return {kind: reduce for kind in ours if (reduce := _reducer(kind))}


def _reducer(kind: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    if hasattr(kind, "_fields"):
        return lambda value: (kind, tuple(value))
    if not is_dataclass(kind) or not all(field.init for field in fields(kind)):
        return None
    names = [field.name for field in fields(kind)]
    if len(names) == 1:
        return lambda value: (kind, (getattr(value, names[0]),))
    parts = attrgetter(*names)
    return lambda value: (kind, parts(value))


class _FormerArticle:
    """An article in an older store, where it was one of the values in `types`."""

    def __setstate__(self, values: list[Any]) -> None:
        self.known = dict(zip(_FORMER, values, strict=True))


def _from_former(former: _FormerArticle, without_text: bool) -> Article:
    known = former.known
    known["clippings"] = tuple(map(_restore, known["clippings"]))
    if without_text:
        known["text"] = parts.read_text(known["clippings"][0])
    return Article(**known)


class _ArticleUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (_OURS, "Article"):
            return _FormerArticle
        if module == _OURS or name in _PLAIN.get(module, ()):
            return super().find_class(module, name)
        raise TearsheetError(f"the store has something that is not an article ({module}.{name})")
