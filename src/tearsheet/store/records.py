"""Writes our values as JSON and columns of bytes, and reads them back. Reading follows the types
that `tearsheet.types` declares, never the bytes: they name no class except the kind of a block,
which comes from a closed table. Every value is checked; whatever does not fit is `BadRecord`.

    writing   a record is the list of its values, a block has its kind before them
    columns   an array is its length; its bytes are in `columns`, in the order of the values.
              A list of texts is two columns: their lengths, and all of them as one text
"""

from __future__ import annotations

import json
import sys
import types as python_types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from tearsheet import types
from tearsheet.errors import TearsheetError

BLOCKS: Final[Mapping[str, type]] = {kind.__name__: kind for kind in get_args(types.Block)}
RECORDS: Final = frozenset(
    {
        types.Cell, types.Clipping, types.Image, types.Layout, types.Metadata, types.Note,
        types.Origin, types.Page, types.Resource, types.Run, types.Segments, types.Verdict,
        *BLOCKS.values(),
    }
)  # fmt: skip
"""The values that can be written and read."""
_NUMBERS: Final = frozenset({np.bool_, np.uint8, np.int32, np.float32})
UTF8: Final = ("utf-8", "surrogatepass")
"""How texts are encoded: a page may have half a character."""
_LARGEST: Final = 2**53  # of whole numbers: what every reader of JSON can hold
_DEEPEST: Final = 64  # blocks within blocks; `_core.blocks` makes at most 24

Reader: TypeAlias = Callable[[Any, "StoredColumns"], Any]


class BadRecord(TearsheetError):
    """The bytes are not a valid value of this package."""


class StoredColumns:
    """The bytes of the arrays, taken one after the other."""

    def __init__(self, body: bytes, at: int) -> None:
        self._body, self._at = body, at
        self.depth = 0
        """How many blocks are around the value that is being read."""

    def take(self, size: int) -> bytes:
        """The next bytes."""
        begin, self._at = self._at, self._at + size
        if size < 0 or self._at > len(self._body):
            raise BadRecord("a column is cut off")
        return self._body[begin : self._at]

    def end(self) -> None:
        """Raises if something is left."""
        if self._at != len(self._body):
            raise BadRecord("there is more than the article")


def write(value: Any) -> tuple[str, list[bytes]]:
    """A value as JSON, and the bytes of its columns."""
    columns: list[bytes] = []

    def plain(part: Any) -> Any:
        kind: Any = type(part)
        if kind in RECORDS:
            return _values(kind)(part)
        if kind is _Texts:
            body = "".join(part.texts).encode(*UTF8)
            columns.append(_column_bytes(np.array([*map(len, part.texts)], dtype=np.int32)))
            columns.append(body)
            return [len(part.texts), len(body)]
        if kind is np.ndarray:
            columns.append(_column_bytes(part))
            return len(part)
        if kind is bytes:
            columns.append(part)
            return len(part)
        if isinstance(part, frozenset):
            return sorted(part)
        if isinstance(part, Mapping):
            return dict(part)
        if isinstance(part, np.generic):
            return part.item()
        raise TypeError(f"{kind.__name__} is not a value of an article")

    text = json.dumps(  # a frozen value cannot contain itself
        value, default=plain, ensure_ascii=False, check_circular=False, separators=(",", ":")
    )
    return text, columns


@dataclass(frozen=True, slots=True)
class _Texts:
    """A list of texts that will be written as columns."""

    texts: list[str]


@cache
def _values(kind: Any) -> Callable[[Any], list[Any]]:
    """A function that lists the values of a record, in the order of its fields."""
    names, hints = [field.name for field in fields(kind)], get_type_hints(kind)
    tag = [kind.__name__] if kind in BLOCKS.values() else []
    if list[str] in hints.values():
        wraps = [_Texts if hints[name] == list[str] else _return_unchanged for name in names]
        return lambda value: [wrap(getattr(value, name)) for wrap, name in zip(wraps, names)]
    if len(names) == 1:
        return lambda value: [*tag, getattr(value, names[0])]
    read_fields = attrgetter(*names)
    return lambda value: [*tag, *read_fields(value)]


def _return_unchanged(value: Any) -> Any:
    return value


def _column_bytes(column: Any) -> bytes:
    if column.ndim != 1 or column.dtype.type not in _NUMBERS:
        raise TypeError(f"an array of {column.dtype} is not a column")
    return bytes(_swap(column).tobytes())


def _swap(column: Any) -> Any:
    """A column in the order of bytes in which it is stored, or back."""
    return column if sys.byteorder == "little" else column.byteswap()


@cache
def reader(kind: Any) -> Reader:
    """A function that makes a value of this type from plain ones, or raises BadRecord."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in RECORDS:
        return _read_block(kind) if kind in BLOCKS.values() else record_reader(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, python_types.UnionType):
        return _read_union(inner)
    if hasattr(origin, "__value__"):  # `type` of Python 3.12, as NumPy 2.5 declares `NDArray`
        return reader(origin.__value__[inner])
    made = _CONTAINERS.get(origin)
    if made is None:
        raise TypeError(f"{kind} is not a type that can be stored")
    return made(*inner)


def _read_union(kinds: tuple[Any, ...]) -> Reader:
    if set(kinds) == set(BLOCKS.values()):
        return _read_any_block
    others = [kind for kind in kinds if kind is not type(None)]
    if len(others) != 1 or len(kinds) != 2:
        raise TypeError(f"{kinds} are no types that can be told apart")
    if get_origin(others[0]) is Callable:  # a function is never stored
        return _read_none
    inner = reader(others[0])
    return lambda value, columns: None if value is None else inner(value, columns)


def _read_any_block(value: Any, columns: StoredColumns) -> Any:
    kind = value[0] if type(value) is list and value else None
    if type(kind) is not str or kind not in BLOCKS:
        raise BadRecord("there is no such block")
    return reader(BLOCKS[kind])(value, columns)


def _read_block(kind: Any) -> Reader:
    read_fields = record_reader(kind)

    def read(value: Any, columns: StoredColumns) -> Any:
        if type(value) is not list or value[:1] != [kind.__name__]:
            raise BadRecord(f"a {kind.__name__} is expected")
        columns.depth += 1
        if columns.depth > _DEEPEST:
            raise BadRecord("blocks are too deep")
        made = read_fields(value[1:], columns)
        columns.depth -= 1
        return made

    return read


def record_reader(kind: Any) -> Reader:
    """A function that makes a record, field by field, from a list of plain values.

    Fields that were added at the end since the value was written have their defaults.
    """
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else list(kind._fields)
    readers: list[Reader] = []
    least, most = _least_fields(kind), len(names)

    def read(value: Any, columns: StoredColumns) -> Any:
        if type(value) is not list or not least <= len(value) <= most:
            raise BadRecord(f"a {kind.__name__} is expected")
        if not readers:  # types refer to each other, so these are made when first needed
            readers.extend(reader(hints[name]) for name in names)
        return kind(*[read_one(part, columns) for read_one, part in zip(readers, value)])

    return read


def _least_fields(kind: Any) -> int:
    """How many fields have no default."""
    if not is_dataclass(kind):
        return len(kind._fields) - len(kind._field_defaults)
    lacking = [f for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    return len(lacking)


def _read_text(value: Any, columns: StoredColumns) -> str:
    if type(value) is not str:
        raise BadRecord("a text is expected")
    return value


def _read_whole_number(value: Any, columns: StoredColumns) -> int:
    if type(value) is not int or not -_LARGEST <= value <= _LARGEST:
        raise BadRecord("a whole number is expected")
    return value


def _read_number(value: Any, columns: StoredColumns) -> float:
    if type(value) is float:
        return value
    return float(_read_whole_number(value, columns))


def _read_truth(value: Any, columns: StoredColumns) -> bool:
    if type(value) is not bool:
        raise BadRecord("true or false is expected")
    return value


def _read_bytes(value: Any, columns: StoredColumns) -> bytes:
    return columns.take(_read_whole_number(value, columns))


def _read_none(value: Any, columns: StoredColumns) -> None:
    if value is not None:
        raise BadRecord("nothing is expected")


_PLAIN: Final[Mapping[Any, Reader]] = {
    str: _read_text, int: _read_whole_number, float: _read_number, bool: _read_truth,
    bytes: _read_bytes, type(None): _read_none,
}  # fmt: skip


def _read_list(kind: Any) -> Reader:
    if kind is not str:
        raise TypeError(f"a list of {kind} is not a type that can be stored")
    return _read_texts


def _read_texts(value: Any, columns: StoredColumns) -> list[str]:
    """Many texts, of which a page has one for each row."""
    count, size = _read_two_numbers(value, columns)
    lengths: Any = _read_lengths(count, columns)
    body = columns.take(size)
    try:
        text = body.decode(*UTF8)
    except UnicodeDecodeError:
        raise BadRecord("a text is broken") from None
    ends = np.cumsum(lengths, dtype=np.int64)
    if count and (int(lengths.min()) < 0 or int(ends[-1]) != len(text)):
        raise BadRecord("texts and their lengths differ")
    found = [""] * count
    written = np.flatnonzero(lengths)
    stops = ends[written]
    begins = stops - lengths[written]
    for row, begin, stop in zip(written.tolist(), begins.tolist(), stops.tolist()):
        found[row] = text[begin:stop]
    return found


def _read_tuple(*kinds: Any) -> Reader:
    if kinds[1:] == (...,):
        inner: list[Reader] = []

        def read(value: Any, columns: StoredColumns) -> tuple[Any, ...]:
            if not inner:
                inner.append(reader(kinds[0]))
            read_one = inner[0]
            return tuple([read_one(part, columns) for part in _parts(value)])

        return read
    each = [reader(kind) for kind in kinds]

    def read_fixed(value: Any, columns: StoredColumns) -> tuple[Any, ...]:
        parts = _parts(value)
        if len(parts) != len(each):
            raise BadRecord(f"{len(each)} values are expected")
        return tuple([read_one(part, columns) for read_one, part in zip(each, parts)])

    return read_fixed


def _read_set(kind: Any) -> Reader:
    inner, empty = reader(kind), frozenset[Any]()

    def read(value: Any, columns: StoredColumns) -> frozenset[Any]:
        return frozenset([inner(part, columns) for part in _parts(value)]) if value != [] else empty

    return read


def _read_mapping(key: Any, kind: Any) -> Reader:
    inner, read_key = reader(kind), _read_key if key is int else reader(key)

    def read(value: Any, columns: StoredColumns) -> dict[Any, Any]:
        if type(value) is not dict:
            raise BadRecord("names with values are expected")
        return {read_key(name, columns): inner(part, columns) for name, part in value.items()}

    return read


def _read_key(value: Any, columns: StoredColumns) -> int:
    """A whole number that is the name of a value, which JSON writes as text."""
    if type(value) is not str or not value.isdecimal() or len(value) > 10:
        raise BadRecord("a whole number is expected")
    return int(value)


def _read_choice(*known: Any) -> Reader:
    def read(value: Any, columns: StoredColumns) -> Any:
        if type(value) is not str or value not in known:
            raise BadRecord(f"one of {', '.join(known)} is expected")
        return value

    return read


def _read_array(shape: Any, numbers: Any) -> Reader:
    kind = np.dtype(get_args(numbers)[0])
    if kind.type not in _NUMBERS:
        raise TypeError(f"an array of {kind} is not a column")

    def read(value: Any, columns: StoredColumns) -> Any:
        count = _read_whole_number(value, columns)
        body = columns.take(count * kind.itemsize)
        if kind == np.bool_ and body.translate(None, b"\0\1"):
            raise BadRecord("a column of truths has something else")
        return _swap(np.frombuffer(body, dtype=kind))

    return read


_read_lengths: Final = _read_array(None, np.dtype[np.int32])
_read_two_numbers: Final = _read_tuple(int, int)


def _parts(value: Any) -> list[Any]:
    if type(value) is not list:
        raise BadRecord("a list is expected")
    return value


_CONTAINERS: Final[Mapping[Any, Callable[..., Reader]]] = {
    list: _read_list, tuple: _read_tuple, frozenset: _read_set, Mapping: _read_mapping,
    Literal: _read_choice, np.ndarray: _read_array,
}  # fmt: skip
