"""Trained parameters by the name of their method: arrays in small files, and no pickles.

`methods/data/NAME.npz` holds the arrays; `NAME.json` beside it says what they were trained on.
Cross-validation replaces them by those of a fold for a while:

    with parameters.use("mss", fit(examples)):
        ...
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from tearsheet.errors import UnknownName

Arrays: TypeAlias = Mapping[str, np.ndarray[Any, Any]]

FOLDER: Final = Path(__file__).parent / "methods" / "data"
_USED: ContextVar[Mapping[str, Arrays]] = ContextVar("used", default=MappingProxyType({}))


def load(name: str) -> Arrays:
    """The parameters of a method: replaced ones in use, or else those of the package."""
    return _USED.get().get(name) or read(name)


@contextmanager
def use(name: str, arrays: Arrays) -> Iterator[None]:
    """Within the block, `load(name)` gives these."""
    token = _USED.set({**_USED.get(), name: arrays})
    try:
        yield
    finally:
        _USED.reset(token)


@contextmanager
def use_all(folder: Path) -> Iterator[None]:
    """Within the block, all parameters of a folder are used."""
    with ExitStack() as stack:
        for file in sorted(folder.glob("*.npz")):
            stack.enter_context(use(file.stem, read(file.stem, folder)))
        yield


def save(name: str, arrays: Arrays, record: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Writes both files; the same values give the same bytes."""
    with zipfile.ZipFile(folder / f"{name}.npz", "w", zipfile.ZIP_DEFLATED) as file:
        for key in sorted(arrays):
            written = io.BytesIO()
            np.lib.format.write_array(written, np.asarray(arrays[key]), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{key}.npy")  # its date is always 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, written.getvalue())
    read.cache_clear()
    text = json.dumps(record, indent=2, ensure_ascii=False, sort_keys=True)
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def record(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """A description of the training data of a method."""
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    return found


def names() -> tuple[str, ...]:
    """The methods that have shipped parameters."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))


@cache
def read(name: str, folder: Path = FOLDER) -> Arrays:
    """The parameters in a folder; without one, the package's."""
    path = folder / f"{name}.npz"
    if not path.is_file():
        raise UnknownName("set of trained parameters", name, names())
    with np.load(path, allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    for array in arrays.values():
        array.flags.writeable = False
    return MappingProxyType(arrays)
