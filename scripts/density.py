"""Why `density_wide` uses another distance than its paper: the gaps inside the articles of a set,
and the word F1 for other constants.

    python scripts/density.py wcxb --show 14
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from tearsheet import datasets, metrics
from tearsheet.learn.examples import CONTENT, LabelledPage, label
from tearsheet.methods import density, density_wide
from tearsheet.methods._density import region, strings

SHARES = (0.1, 0.2, 0.333, 0.5)
DISTANCES = (4, 8, 16, 32, 64, 96, 10**9)


@dataclass(frozen=True, slots=True)
class Gaps:
    """The strings of L between the first and the last long one of an article's true text."""

    page: str
    site: str
    strings: int
    long: int
    """Strings longer than c1 of the longest, which can be in the region."""
    gaps: npt.NDArray[np.int64]
    """Distances from each of these to the next."""
    empty: float
    """Share of the strings without text: tags directly inside each other."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set", help="wcxb, news, readability or a folder")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth article")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="gaps of the first N")
    args = parser.parse_args()
    pages = [p for p in datasets.read(args.set) if p.text and p.page_type == "article"]
    pages = pages[:: args.every]
    found = [gaps for example in label(pages) if (gaps := find_gaps(example))]
    for one in found[: args.show]:
        print(
            f"{one.page:8}{one.site[:26]:28}{one.strings:6} strings, {one.empty:4.0%} empty, "
            f"{one.long:4} long, {1 + sum(one.gaps >= 4):3} pieces, widest gap {one.gaps.max()}"
        )
    print_gaps(args.set, found)
    print_grid(pages)


def find_gaps(example: LabelledPage) -> Gaps | None:
    """The gaps of one article; None if its truth has fewer than two long strings."""
    place = strings(example.page)[example.segments.first]
    lengths = np.bincount(place, weights=example.segments.chars)
    true = np.unique(place[example.share >= CONTENT])
    if not len(true):
        return None
    long = true[lengths[true] > density.C1 * lengths[true].max()]
    if len(long) < 2:
        return None
    within = lengths[long[0] : long[-1] + 1]
    empty = float((within == 0).mean())
    return Gaps(example.name, example.domain, len(within), len(long), np.diff(long), empty)


def print_gaps(name: str, found: list[Gaps]) -> None:
    widest = np.array([one.gaps.max() for one in found])
    pieces = np.array([1 + sum(one.gaps >= density.C2) for one in found])
    print(f"{name}: {len(found)} articles with two long strings or more")
    print(f"  all gaps below {density.C2}: {(widest < density.C2).mean():.1%} of them")
    print(f"  all gaps below {density_wide.C2}: {(widest < density_wide.C2).mean():.1%}")
    for what, values in (("widest gap", widest), ("pieces", pieces)):
        marks = np.percentile(values, [10, 25, 50, 75, 90])
        print(f"  {what}, at 10, 25, 50, 75, 90 %: {' '.join(f'{mark:.0f}' for mark in marks)}")
    print(f"  empty strings, mean: {fmean(one.empty for one in found):.0%}")


def print_grid(pages: list[datasets.Example]) -> None:
    """Mean word F1 for each pair of constants."""
    table = np.array([list(grid_scores(example, truth)) for example, truth in with_truth(pages)])
    means = table.mean(axis=0).reshape(len(SHARES), len(DISTANCES))
    print("  word F1; c1 down, c2 across")
    print(" " * 8 + "".join(f"{'∞' if c2 == 10**9 else c2:>7}" for c2 in DISTANCES))
    for c1, row in zip(SHARES, means):
        print(f"{c1:8}" + "".join(f"{value:7.3f}" for value in row))


def with_truth(pages: list[datasets.Example]) -> Iterator[tuple[LabelledPage, str]]:
    for page in pages:
        for example in label([page]):
            yield example, page.text or ""


def grid_scores(example: LabelledPage, truth: str) -> Iterator[float]:
    place = strings(example.page)[example.segments.first]
    lengths = np.bincount(place, weights=example.segments.chars).astype(np.float64)
    known: dict[tuple[int, int], float] = {}
    for c1 in SHARES:
        for c2 in DISTANCES:
            edges = region(lengths, c1, c2)
            if edges not in known:
                kept = np.flatnonzero((place >= edges[0]) & (place <= edges[1]))
                text = "\n".join(example.segments.text[i] for i in kept)
                known[edges] = metrics.word_score(text, truth).f1
            yield known[edges]


if __name__ == "__main__":
    main()
