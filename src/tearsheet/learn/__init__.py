"""Training: examples with truth → the small data files that methods read.

A module here has the name of the method whose parameters it makes, and one public function,
`fit(examples) → arrays`; `NEEDS_LAYOUT = True` says that its examples must be rendered pages.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final, TypeVar

from tearsheet import parameters, plugins
from tearsheet.errors import FetchFailed, UnknownName

if TYPE_CHECKING:
    from tearsheet.learn.examples import Example
    from tearsheet.parameters import Arrays

DRAWN: Final = 240
"""Pages that are drawn by the browser where a method needs layout."""

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
    drawn = getattr(trainer, "NEEDS_LAYOUT", False)
    hidden = getattr(trainer, "SEES_HIDDEN", False)
    see = examples.rendered if drawn else partial(examples.parsed, hidden=hidden)
    found = examples.sets(data)
    if drawn:  # most pages have lost their style sheets
        found = {key: examples.styled(pages) for key, pages in found.items()}
        limit = limit or DRAWN
    chosen = _some([(key, page) for key, pages in found.items() for page in pages], limit)
    if not chosen:
        raise FetchFailed(f"{data} has no pages with truth to learn from", code="no-data")
    used: Counter[str] = Counter()

    def seen() -> Iterator[Example]:
        for i, (key, page) in enumerate(chosen):
            progress(i, len(chosen))
            for example in see([page]):
                used[key] += 1
                yield example
        progress(len(chosen), len(chosen))

    arrays: Arrays
    if hasattr(trainer, "folds"):  # training that cross-validates itself
        arrays, *parts = trainer.folds(seen())
        print(trainer.report([page for _, page in chosen], parts))
    else:
        arrays = trainer.fit(seen())
    record = {
        "method": name,
        "data": [
            {"set": key, "pages": count, "licence": examples.LICENCES.get(key, "unknown")}
            for key, count in used.items()
        ],
        "seed": getattr(trainer, "SEED", None),
        "versions": {
            key: metadata.version(key)
            for key in ("numpy", "scikit-learn", *getattr(trainer, "USES", ()))
        },
    }
    parameters.save(name, arrays, record, folder)
    return arrays


def _some(pages: list[T], limit: int | None) -> list[T]:
    """All, or so many of them at even distances."""
    if not limit or limit >= len(pages):
        return pages
    return [pages[i * len(pages) // limit] for i in range(limit)]
