"""Text density with a polynomial fitted to it: the outlook of the density paper.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009, §6: "approximate a smooth function such as a polynomial … using a least squares
method", then use its maximum, minima and derivatives to select the region of highest density.

A polynomial p is fitted to the lengths of the strings of L (`_density.py` makes L). The region is
around the highest maximum of p, and ends on either side where p falls below c1 of it: minima that
are less deep are waves within the text.

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
    left, right = find_region(curve)
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


def find_region(curve: Lengths) -> tuple[int, int]:
    """First and last string around the highest maximum that are not below c1 of it.

    >>> find_region(np.array([1.0, 5, 4, 4, 9, 10, 8, 4, 2, 6]))
    (1, 7)
    """
    top = int(np.argmax(curve))
    below = np.flatnonzero(curve < C1 * curve[top])
    at = int(np.searchsorted(below, top))
    left = int(below[at - 1]) + 1 if at else 0
    return left, int(below[at]) - 1 if at < len(below) else len(curve) - 1
