"""The experiments of the five papers, run again on the data at hand: one module a paper.

Each module has `reproduce(settings) → Reproduction`: its tables and figures beside the paper's own
numbers, and for each claim of the paper whether it holds here.
"""

from __future__ import annotations

import importlib
from typing import Final

from tearsheet.errors import UnknownName
from tearsheet.evaluate.reproduce.reproduction import Reproduction, ReproductionSettings

PAPERS: Final = {
    "000": "article_clipper",
    "001": "text_density",
    "002": "survey",
    "003": "print_links",
    "004": "learning_grouping",
}
"""The module of each paper, by the paper's number."""


def reproduce(paper: str, settings: ReproductionSettings) -> Reproduction:
    """Runs the experiments of a paper."""
    if paper not in PAPERS:
        raise UnknownName("paper", paper, PAPERS)
    module = importlib.import_module(f"{__name__}.{PAPERS[paper]}")
    found: Reproduction = module.reproduce(settings)
    return found
