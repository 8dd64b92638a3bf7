"""The compiled core: the loops over nodes, letters and trees that Python is too slow for.

Each module is one `.pyx` with a `.pyi` for its types, and exists only compiled. The rest of
Tearsheet is plain Python and is never compiled. Arrays and plain values cross the border, and no
module of the core imports another. Import one as `from tearsheet._core import NAME`.

A module refuses to be imported when its source has changed since it was compiled: the build
(`scripts/compile.py`) makes each one call `refuse_stale` before anything else.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import source_hash
from pathlib import Path
from types import ModuleType

from tearsheet.errors import CoreUnusable

FOLDER = Path(__file__).parent


def __getattr__(name: str) -> ModuleType:
    """Imports a module of the core, and says what to do when it was never compiled."""
    if not (FOLDER / f"{name}.pyi").exists():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = f"{__name__}.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name != module:
            raise
        raise CoreUnusable(f"the compiled module {module} is missing; {_remedy(name)}") from None


def check() -> None:
    """Imports every module of the core; raises `CoreUnusable` if one cannot be used."""
    for declared in sorted(FOLDER.glob("*.pyi")):
        __getattr__(declared.stem)


def refuse_stale(name: str, digest: str, version: str) -> None:
    """Raises `CoreUnusable` if a module was not compiled from the source that is here.

    An installed package has no sources beside the core; there the version must be the same.
    """
    name = name.rpartition(".")[2]
    try:
        source = (FOLDER / f"{name}.pyx").read_bytes()
    except FileNotFoundError:
        ours = sys.modules["tearsheet"].__version__
        if version != ours:
            raise CoreUnusable(
                f"the compiled core has version {version} and Tearsheet {ours}; {_remedy(name)}"
            ) from None
        return
    if source_hash(source).hex() != digest:
        raise CoreUnusable(f"{name}.pyx was changed after it was compiled; {_remedy(name)}")


def _remedy(name: str) -> str:
    """The command that repairs a core that cannot be used, in a sentence."""
    if (FOLDER / f"{name}.pyx").exists():
        return "run `make compiled` (or `pip install -e .`)"
    return "install Tearsheet again: pip install --force-reinstall tearsheet"
