"""Cross-validation by domain: parameters of methods that have not seen a site.

Pages are divided into folds by their registrable domain (`datasets.fold_number`). For each fold, a
trained method is fitted on the pages of the others and judged on the pages of this one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from tearsheet import learn, plugins
from tearsheet.datasets import Example
from tearsheet.errors import MissingExtra
from tearsheet.evaluate.entrants import Entrant
from tearsheet.learn import examples

_PACKAGE: Final = Path(__file__).parents[1]
_LEARNT_FROM: Final = (
    "learn", "datasets", "methods", "features", "page", "_core", "segments.py", "tags.py",
)  # fmt: skip
"""Parts of the package that affect training."""

FoldFiles: TypeAlias = dict[tuple[str, int], Path]
"""The file with the parameters of a name for a fold."""


def parameters_name(entrant: Entrant) -> str | None:
    """The name of a method's trained parameters; None without any."""
    if entrant.is_peer:
        return None
    name = getattr(plugins.load("methods", entrant.name), "PARAMETERS", entrant.name)
    return name if name in learn.names() else None


def fit_entrants(
    pages: Sequence[Example],
    entrants: Sequence[Entrant],
    out: Path,
    *,
    drawn: bool,
    given: Path | None = None,
    progress: Callable[[str], None] = lambda what: None,
) -> FoldFiles:
    """The parameters of every trained entrant for every fold: those of `tearsheet train --folds`
    if they are `given`, else those already in `out`, else new ones."""
    found: FoldFiles = {}
    folder = out / "folds" / f"{_edition()}-{len(pages)}"
    for name in dict.fromkeys(filter(None, map(parameters_name, entrants))):
        home = given if given and learn.fold_files(name, given)[0].is_file() else folder
        files = learn.fold_files(name, home)
        found.update({(name, number): file for number, file in enumerate(files)})
        if all(file.is_file() for file in files):
            continue
        try:
            _fit(name, pages, home, drawn, progress)
        except ModuleNotFoundError as error:
            raise MissingExtra("--cv", (error.name or "").partition(".")[0], "train") from None
    return found


def _fit(
    name: str, pages: Sequence[Example], home: Path, drawn: bool, progress: Callable[[str], None]
) -> None:
    """Fits a method without each fold, and writes the parameters."""
    trainer = learn.load_trainer(name)
    learn.check_packages("--cv", trainer)
    progress(f"reading pages for {name}")
    hidden = learn.sees_hidden(trainer) and not drawn
    with_truth = [page for page in pages if page.text]
    labelled = list(examples.label(with_truth, drawn=drawn, hidden=hidden))
    progress(f"fitting {name}")
    learn.save_folds(name, learn.fit_folds(trainer, labelled), home, pages=len(labelled))


@cache
def _edition() -> str:
    digest = hashlib.sha256()
    for part in _LEARNT_FROM:
        root = _PACKAGE / part
        for path in sorted([root, *root.rglob("*.py"), *root.rglob("*.pyx")]):
            if path.is_file():
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
