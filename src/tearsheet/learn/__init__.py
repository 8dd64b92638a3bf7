"""Training: examples with truth → the small data files that methods read.

A module here has the name of the method whose parameters it makes, and one public function,
`fit(examples) → arrays`; `NEEDS_LAYOUT = True` says that its examples must be rendered pages.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tearsheet import parameters, plugins
from tearsheet.errors import FetchFailed, UnknownName

if TYPE_CHECKING:
    from tearsheet.evaluate.datasets import Example as Source
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
    folds: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Arrays:
    """Trains a method on the data sets of a folder and writes its two files.

    The same data and versions give the same bytes. `limit` takes so many pages, evenly chosen;
    `folds` is where the parameters trained without each fold of domains go, for evaluation.
    """
    trainer = module(name)
    chosen = pages(trainer, data, limit)
    if not chosen:
        raise FetchFailed(f"{data} has no pages with truth to learn from", code="no-data")
    used: Counter[str] = Counter()
    seen = examples_of(trainer, chosen, used, progress)
    arrays: Arrays
    if hasattr(trainer, "folds"):  # training that cross-validates itself
        arrays, *parts = trainer.folds(seen)
        if folds is not None:
            _keep_folds(name, parts, folds)
        print(trainer.report([page for _, page in chosen], parts))
    else:
        arrays = trainer.fit(seen)
    parameters.save(name, arrays, record(name, trainer, used), folder)
    return arrays


def ablate(
    name: str,
    data: Path,
    groups: Sequence[str],
    *,
    limit: int | None = None,
    judged: int | None = None,
    progress: Progress = lambda done, total: None,
) -> str:
    """Trains a method with all its columns and without each group of them, and gives the F1 of
    each as a table; nothing is written. `judged` is the number of folds that are judged."""
    trainer = module(name)
    if not hasattr(trainer, "ablate"):
        known = [one for one in names() if hasattr(module(one), "ablate")]
        raise UnknownName("method with groups of columns", name, known)
    chosen = pages(trainer, data, limit)
    if not chosen:
        raise FetchFailed(f"{data} has no pages with truth to learn from", code="no-data")
    seen = examples_of(trainer, chosen, Counter(), progress)
    table: str = trainer.ablate(seen, [page for _, page in chosen], groups, judged or trainer.FOLDS)
    return table


def pages(trainer: ModuleType, data: Path, limit: int | None) -> list[tuple[str, Source]]:
    """The pages of a folder's data sets that a method is trained on, each with its set's name."""
    from tearsheet.learn import examples

    found = examples.sets(data)
    if getattr(trainer, "NEEDS_LAYOUT", False):  # most pages have lost their style sheets
        found = {key: examples.styled(some) for key, some in found.items()}
        limit = limit or DRAWN
    return _some([(key, page) for key, some in found.items() for page in some], limit)


def examples_of(
    trainer: ModuleType,
    chosen: Sequence[tuple[str, Source]],
    used: Counter[str],
    progress: Progress,
) -> Iterator[Example]:
    """The pages as the trainer wants to see them; `used` counts them by set."""
    from tearsheet.learn import examples

    hidden = getattr(trainer, "SEES_HIDDEN", False)
    drawn = getattr(trainer, "NEEDS_LAYOUT", False)
    see = examples.rendered if drawn else partial(examples.parsed, hidden=hidden)
    for i, (key, page) in enumerate(chosen):
        progress(i, len(chosen))
        for example in see([page]):
            used[key] += 1
            yield example
    progress(len(chosen), len(chosen))


def record(name: str, trainer: ModuleType, used: Mapping[str, int]) -> dict[str, Any]:
    """What the parameters were trained on, for the file beside them."""
    from tearsheet.learn import examples

    return {
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


def _keep_folds(name: str, parts: list[Arrays], folder: Path) -> None:
    """Writes what was trained without each fold, as evaluation reads it."""
    for number, part in enumerate(parts):
        (folder / str(number)).mkdir(parents=True, exist_ok=True)
        parameters.save(name, part, {"method": name, "without_fold": number}, folder / str(number))


def _some(pages: list[T], limit: int | None) -> list[T]:
    """All, or so many of them at even distances."""
    if not limit or limit >= len(pages):
        return pages
    return [pages[i * len(pages) // limit] for i in range(limit)]
