"""Articles as earlier versions stored them: pickles. Only `tearsheet store migrate` reads these.

A pickle may do only what our own ones did. Every name that it may use is in one closed table and
gets something of ours that makes one kind of value; no module is searched, so no other name leads
anywhere. What was made is then packed and unpacked, which checks every value.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tearsheet.article import Article, parts
from tearsheet.errors import TearsheetError
from tearsheet.store import archive
from tearsheet.store.records import RECORDS

_DTYPES: Final = frozenset({"b1", "u1", "i4", "i8", "f4", "f8"})
_ORDERS: Final = frozenset({"<", "=", "|"})
_VALUES: Final = (
    "metadata", "blocks", "url", "page_urls", "images", "confidence", "reasons", "page_type",
    "method", "clippings", "pictures", "text",
)  # fmt: skip
"""The values of an article in the order in which the oldest stores have them."""


_OPERATIONS: Final = frozenset(
    """
    PROTO FRAME STOP MARK MEMOIZE BINGET LONG_BINGET STACK_GLOBAL REDUCE NEWOBJ BUILD
    NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT
    SHORT_BINUNICODE BINUNICODE BINUNICODE8 SHORT_BINBYTES BINBYTES BINBYTES8 BYTEARRAY8
    EMPTY_LIST APPEND APPENDS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3
    EMPTY_DICT SETITEM SETITEMS EMPTY_SET ADDITEMS FROZENSET
    """.split()
)
"""The operations that our own pickles used."""


def migrate(packed: bytes) -> bytes:
    """An article packed by an earlier version, repacked by this one; raises if it is not an
    article."""
    body = archive.decompress(packed)
    try:
        made = archive.pack(_read(body))
    except TearsheetError:
        raise
    except Exception as error:  # a broken pickle can do anything to our values, but run nothing
        raise archive.NotAnArticle(
            f"the store contains something that is not an article: {type(error).__name__}"
        ) from None
    archive.unpack(made)
    return made


def _read(body: bytes) -> Article:
    for operation, _, _ in pickletools.genops(body):
        if operation.name not in _OPERATIONS:
            raise archive.NotAnArticle(
                f"the store contains something that is not an article ({operation.name})"
            )
    match _ClosedUnpickler(io.BytesIO(body)).load():
        case _FormerArticle() as former, bool() as without_text:
            return former.article(without_text)
        case _FormerArticle() as former:
            return former.article(without_text=False)
    raise archive.NotAnArticle("the store contains something that is not an article")


class _ClosedUnpickler(pickle.Unpickler):
    """An unpickler that creates only the classes in `_KNOWN`."""

    def find_class(self, module: str, name: str) -> Any:
        known = _KNOWN.get((module, name))
        if known is None:
            raise archive.NotAnArticle(
                f"the store contains something that is not an article ({module[:60]} {name[:60]})"
            )
        return known


class _Maker:
    """A function that a pickle may call but cannot change."""

    __slots__ = ("_make",)
    _make: Callable[..., Any]

    def __init__(self, make: Callable[..., Any]) -> None:
        object.__setattr__(self, "_make", make)

    def __call__(self, *values: Any) -> Any:
        return self._make(*(v.array if type(v) is _FormerArray else v for v in values))

    def __setattr__(self, name: str, value: object) -> None:
        raise archive.NotAnArticle("the store contains something that is not an article")

    def __setstate__(self, state: object) -> None:
        raise archive.NotAnArticle("the store contains something that is not an article")


class _FormerArticle:
    """The values of an article, by name or in their order."""

    __slots__ = ("_state",)

    def __setstate__(self, state: Any) -> None:
        self._state = state

    def article(self, without_text: bool) -> Article:
        if isinstance(self._state, Mapping):
            clippings = tuple(map(archive.restore, self._state["clippings"]))
            article = object.__new__(Article)
            article.__setstate__({**self._state, "clippings": clippings})
            return article
        known = dict(zip(_VALUES, self._state, strict=True))
        known["clippings"] = tuple(map(archive.restore, known["clippings"]))
        if without_text:
            known["text"] = parts.read_text(known["clippings"][0])
        return Article(**known)


class _FormerDtype:
    """The kind of number in an array: one of a few."""

    __slots__ = ("dtype",)

    def __init__(self, name: Any, *flags: Any) -> None:
        if name not in _DTYPES:
            raise archive.NotAnArticle("the store contains an array that does not hold numbers")
        self.dtype = np.dtype(name)

    def __setstate__(self, state: Any) -> None:
        if state[1] not in _ORDERS:
            raise archive.NotAnArticle("the store contains an array with another order of bytes")


class _FormerArray:
    """An array that gets its numbers after it was made."""

    __slots__ = ("array",)

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, _, body = state
        self.array = _make_array(body, dtype, shape)


def _make_array(body: Any, dtype: Any, shape: Any, *order: Any) -> Any:
    if type(dtype) is not _FormerDtype or shape != (len(body) // dtype.dtype.itemsize,):
        raise archive.NotAnArticle("the store contains something that is not a column")
    return np.frombuffer(bytes(body), dtype=dtype.dtype)


def _make_number(dtype: Any, body: Any) -> Any:
    return _make_array(body, dtype, (1,))[0].item()


def _known_names() -> Mapping[tuple[str, str], Any]:
    known: dict[tuple[str, str], Any] = {
        (kind.__module__, kind.__name__): _Maker(kind) for kind in RECORDS
    }
    for package in ("numpy._core", "numpy.core"):
        known[f"{package}.multiarray", "_reconstruct"] = _Maker(lambda *_: _FormerArray())
        known[f"{package}.multiarray", "scalar"] = _Maker(_make_number)
        known[f"{package}.numeric", "_frombuffer"] = _Maker(_make_array)
    known["numpy", "ndarray"] = _Maker(tuple)
    known["numpy", "dtype"] = _Maker(_FormerDtype)
    known["types", "MappingProxyType"] = _Maker(dict)
    known["tearsheet.types", "Article"] = known[Article.__module__, "Article"] = _FormerArticle
    return known


_KNOWN: Final = _known_names()
