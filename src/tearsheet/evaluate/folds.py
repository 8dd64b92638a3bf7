"""Cross-validation by domain: the parameters that a method has when it has not seen a site.

The pages are dealt into folds by their registrable domain (`datasets.fold`). For each fold a
trained method is fitted on the pages of the others, and judged on the pages of this one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias

import numpy as np

from tearsheet import learn, parameters, plugins
from tearsheet.evaluate.datasets import Example, fold
from tearsheet.evaluate.entrants import Entrant
from tearsheet.learn import examples as learning
from tearsheet.parameters import Arrays

FOLDS: Final = 5
_PACKAGE: Final = Path(__file__).parents[1]
_LEARNT_FROM: Final = ("learn", "methods", "features", "page", "segments.py", "tags.py")
"""Parts of the package that decide what is learnt."""

Fitted: TypeAlias = dict[tuple[str, int], Path]
"""The file of the parameters of a name for a fold."""


def trained(entrant: Entrant) -> str | None:
    """The name of the parameters that a method was trained to have; None: it has none."""
    if entrant.is_peer:
        return None
    name = getattr(plugins.load("methods", entrant.name), "PARAMETERS", entrant.name)
    return name if name in learn.names() else None


def fitted(
    pages: Sequence[Example],
    entrants: Sequence[Entrant],
    out: Path,
    *,
    drawn: bool,
    given: Path | None = None,
    progress: Callable[[str], None] = lambda what: None,
) -> Fitted:
    """The parameters of every trained entrant for every fold; those in `out` already are kept,
    those that training gave (`tearsheet train --folds`) are taken."""
    found: Fitted = {}
    folder = out / "folds" / f"{_edition()}-{len(pages)}"
    for name in dict.fromkeys(filter(None, map(trained, entrants))):
        home = given if given and (given / "0" / f"{name}.npz").is_file() else folder
        files = [home / str(number) / f"{name}.npz" for number in range(FOLDS)]
        found.update({(name, number): file for number, file in enumerate(files)})
        if all(file.is_file() for file in files):
            continue
        trainer = learn.module(name)
        progress(f"reading pages for {name}")
        seen = _examples(pages, trainer, drawn)
        for number, arrays in enumerate(_fits(trainer, seen)):
            progress(f"fitted {name}, fold {number + 1} of {FOLDS}")
            files[number].parent.mkdir(parents=True, exist_ok=True)
            record = {"method": name, "without_fold": number, "pages": len(seen)}
            parameters.save(name, arrays, record, files[number].parent)
    return found


def _examples(pages: Sequence[Example], trainer: ModuleType, drawn: bool) -> list[learning.Example]:
    with_truth = [page for page in pages if page.text]
    if drawn:
        return list(learning.rendered(with_truth))
    see: Callable[..., Iterator[learning.Example]] = learning.parsed
    hidden = {"hidden": True} if getattr(trainer, "SEES_HIDDEN", False) else {}
    return list(see(with_truth, **hidden))


def _fits(trainer: ModuleType, seen: Sequence[learning.Example]) -> Iterator[Arrays]:
    """For each fold the parameters learnt without it."""
    if hasattr(trainer, "folds"):  # training that cross-validates itself, by the same folds
        _, *parts = trainer.folds(seen)
        yield from parts
        return
    for number in range(FOLDS):
        yield trainer.fit([one for one in seen if fold(one.domain, FOLDS) != number])


@cache
def _edition() -> str:
    digest = hashlib.sha256()
    for part in _LEARNT_FROM:
        for path in sorted([_PACKAGE / part, *(_PACKAGE / part).rglob("*.py")]):
            if path.is_file():
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def arrays(path: Path) -> Arrays:
    """The parameters of a file."""
    with np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in file.files}
