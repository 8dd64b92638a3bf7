"""Text density with a polynomial fitted to it: the outlook of the density paper.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009, §6: "approximate a smooth function such as a polynomial … using a least squares
method", then use its maximum, minima and derivatives to select the region of highest density.

A polynomial p is fitted to the lengths of the strings of L (`_density.py` makes L). A hill is where
p does not fall below c1 of its maximum: minima that are less deep are waves within the text. The
region is the hill with the most text, for p may rise at the ends of the page for nothing. It begins
and ends with a string longer than c1 of the curve's highest value: a smooth curve has no edges.

Deviations: 1. and 2. are those of L, in `_density.py`. 3. The paper names no degree: it grows with
the logarithm of the number of strings, from `LOWEST` to `HIGHEST`. 4. Lengths are taken as their
square roots, or one endless string alone would bend the curve.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.methods import _density
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _density.FAITHFUL
C1: Final = 0.333
"""Share of the highest maximum at which the region ends (§4, there of the longest string)."""
LOWEST: Final = 4
"""Least degree of the polynomial (ours)."""
HIGHEST: Final = 24
"""Highest degree (ours)."""

Lengths = npt.NDArray[np.float64]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the region around the maximum of the fitted polynomial; the score is its value."""
    string = _density.strings(page, faithful=options.faithful)[segments.first]
    lengths = np.bincount(string, weights=segments.chars).astype(np.float64)
    curve = fit_curve(np.sqrt(lengths))
    left, right = trim_ends(lengths, curve, *find_region(curve, lengths))
    return Verdict(
        method="density_smooth",
        score=curve[string].astype(np.float32),
        keep=(string >= left) & (string <= right),
    )


def fit_curve(lengths: Lengths) -> Lengths:
    """The values of the least squares polynomial at each string."""
    count = len(lengths)
    degree = int(np.clip(4 * np.log2(max(count, 2)) - 16, LOWEST, HIGHEST))
    if count <= degree + 1:
        return lengths
    places = np.linspace(-1.0, 1.0, count)
    fitted = np.polynomial.Chebyshev.fit(places, lengths, degree, domain=[-1, 1])
    return np.asarray(fitted(places), dtype=np.float64)


def find_region(curve: Lengths, lengths: Lengths) -> tuple[int, int]:
    """First and last string of the hill with the most text.

    >>> find_region(np.array([9.0, 1, 4, 9, 8, 4, 1]), np.array([9.0, 1, 20, 80, 70, 20, 1]))
    (2, 5)
    """
    high = np.flatnonzero(curve >= C1 * curve.max())
    hills = np.split(high, np.flatnonzero(np.diff(high) > 1) + 1)
    best = max(hills, key=lambda hill: float(lengths[hill].sum()))
    return int(best[0]), int(best[-1])


def trim_ends(lengths: Lengths, curve: Lengths, left: int, right: int) -> tuple[int, int]:
    """The region without the short strings at its ends.

    >>> trim_ends(np.array([9.0, 99, 5, 99, 9]), np.full(5, 9.0), 0, 4)
    (1, 3)
    """
    long = np.flatnonzero(lengths[left : right + 1] > C1 * curve.max() ** 2)
    return (left + int(long[0]), left + int(long[-1])) if len(long) else (left, right)
