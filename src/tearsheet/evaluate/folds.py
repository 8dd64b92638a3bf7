"""Cross-validation by domain: the parameters that a method has when it has not seen a site.

The pages are dealt into folds by their registrable domain (`datasets.fold`). For each fold a
trained method is fitted on the pages of the others, and judged on the pages of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from tearsheet import learn, parameters, plugins
from tearsheet.evaluate.datasets import Example, fold
from tearsheet.evaluate.entrants import Entrant
from tearsheet.learn import examples as learning
from tearsheet.parameters import Arrays

FOLDS: Final = 5

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
    progress: Callable[[str], None] = lambda what: None,
) -> Fitted:
    """The parameters of every trained entrant for every fold; those in `out` already are kept."""
    found: Fitted = {}
    seen: list[learning.Example] | None = None
    for entrant in entrants:
        name = trained(entrant)
        if name is None or (name, 0) in found:
            continue
        for number in range(FOLDS):
            folder = out / "folds" / f"{entrant.edition}-{len(pages)}" / str(number)
            found[name, number] = folder / f"{name}.npz"
            if found[name, number].is_file():
                continue
            if seen is None:
                progress("reading the pages to learn from")
                seen = list(_examples(pages, drawn))
            progress(f"fitting {name} without fold {number + 1} of {FOLDS}")
            folder.mkdir(parents=True, exist_ok=True)
            others = [example for example in seen if fold(example.domain, FOLDS) != number]
            record = {"method": name, "without_fold": number, "pages": len(others)}
            parameters.save(name, learn.module(name).fit(others), record, folder)
    return found


def _examples(pages: Sequence[Example], drawn: bool) -> list[learning.Example]:
    with_truth = [page for page in pages if page.text]
    see = learning.rendered if drawn else learning.parsed
    return list(see(with_truth))


@cache
def arrays(path: Path) -> Arrays:
    """The parameters of a file."""
    with np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in file.files}
