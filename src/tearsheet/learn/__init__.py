"""Training: examples with truth → the small data files that methods read.

A module here has the name of the method whose parameters it makes, and one public function,
`fit(examples) → arrays`; `NEEDS_LAYOUT = True` says that its examples must be rendered pages.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from tearsheet import parameters, plugins
from tearsheet.errors import UnknownName

if TYPE_CHECKING:
    from tearsheet.parameters import Arrays

T = TypeVar("T")
Progress = Callable[[int, int], None]


def names() -> tuple[str, ...]:
    """The methods that can be trained."""
    own = {module.name for module in pkgutil.iter_modules(__path__)}
    return tuple(sorted(own & set(plugins.names("methods"))))


def module(name: str) -> ModuleType:
    """The module that trains a method; an unknown name lists the known ones."""
    if name not in names():
        raise UnknownName("method to train", name, names())
    return importlib.import_module(f"{__name__}.{name}")


def train(
    name: str,
    data: Path,
    *,
    folder: Path = parameters.FOLDER,
    limit: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Arrays:
    """Trains a method on the data sets of a folder and writes its two files.

    The same data and versions give the same bytes. `limit` takes so many pages, evenly chosen.
    """
    from tearsheet.learn import examples

    trainer = module(name)
    sets = {key: _some(pages, limit) for key, pages in examples.sets(data).items()}
    pages = [page for found in sets.values() for page in found]
    arrays: Arrays = trainer.fit(examples.parsed(_shown(pages, progress)))
    record = {
        "method": name,
        "data": [
            {"set": key, "pages": len(found), "licence": examples.LICENCES.get(key, "unknown")}
            for key, found in sets.items()
        ],
        "seed": getattr(trainer, "SEED", None),
        "versions": {key: metadata.version(key) for key in ("numpy", "scikit-learn")},
    }
    parameters.save(name, arrays, record, folder)
    return arrays


def _some(pages: list[T], limit: int | None) -> list[T]:
    """All, or so many of them at even distances."""
    if not limit or limit >= len(pages):
        return pages
    return [pages[i * len(pages) // limit] for i in range(limit)]


def _shown(pages: list[T], progress: Progress) -> Iterator[T]:
    for i, page in enumerate(pages):
        progress(i, len(pages))
        yield page
    progress(len(pages), len(pages))
