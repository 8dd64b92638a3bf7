"""The blocks of all pages with their labels, for the learned forms of boilerpipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tearsheet.learn.examples import CONTENT, LabelledPage
from tearsheet.methods._boilerpipe import features, line_hashes
from tearsheet.types import Bools, Floats

FEWEST_SITES: Final = 3
"""Sites that must have a line for it to count as frequent."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledBlocks:
    """The features of every block, whether it is content, and how much it counts."""

    rows: Floats
    content: Bools
    weight: npt.NDArray[np.float64]
    corpus: dict[str, npt.NDArray[Any]]
    """Which lines several sites have, and how many."""


def read_blocks(examples: Iterable[LabelledPage]) -> LabelledBlocks:
    """The blocks of all pages. A page's own line does not count as frequent because of itself."""
    pages = list(examples)
    sites = count_sites(pages)
    rows = [features(page.page, page.segments, make_corpus(sites, page)) for page in pages]
    words = np.concatenate([page.segments.words for page in pages])
    return LabelledBlocks(
        rows=np.concatenate(rows),
        content=np.concatenate([page.share >= CONTENT for page in pages]),
        weight=np.sqrt(words),
        corpus=make_corpus(sites),
    )


def count_sites(pages: Sequence[LabelledPage]) -> Counter[int]:
    """How many sites have each line."""
    found = {(page.domain, line) for page in pages for line in line_hashes(page.segments).tolist()}
    return Counter(line for _, line in found if line)


def make_corpus(
    sites: Counter[int], page: LabelledPage | None = None
) -> dict[str, npt.NDArray[Any]]:
    """The lines that enough sites have; those of a page as if its own site were not among them."""
    own = set(line_hashes(page.segments).tolist()) if page is not None else set()
    known = own & sites.keys() if page is not None else sites.keys()
    counts = {line: sites[line] - (line in own) for line in known}
    lines = sorted(line for line, count in counts.items() if count >= FEWEST_SITES)
    return {
        "line": np.array(lines, dtype=np.uint32),
        "line_sites": np.array([counts[line] for line in lines], dtype=np.uint16),
    }
