"""`tearsheet evaluate roles`: how well roles are found on the labelled saves, as parsed pages.

With the folder that `tearsheet train roles --folds` wrote, each page is judged by parameters that
never saw its site; without it, by new ones.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tearsheet import datasets, learn, parameters
from tearsheet.learn import roles


def run(
    folds: Path | None, *, limit: int | None = None, say: Callable[[str], None] = lambda line: None
) -> str:
    """The table of all roles, cross-validated by site."""
    say("reading pages")
    pages = roles.read_pages(datasets.root(), limit if folds else None, folds=folds)
    if folds is None:
        say("fitting")
        parts = roles.folds(pages)[1:]
    else:
        files = learn.fold_files("roles", folds)
        parts = [parameters.read("roles", file.parent) for file in files]
    say("")
    return roles.report(pages, parts)
