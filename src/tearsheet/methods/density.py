"""Text density.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009.

The page becomes a list L of strings: a tag that changes the structure begins a new string, text is
added to the last one. Around the longest string grows the region R of those longer than C1 of it
and closer than C2 to another member; what stands from R's leftmost to its rightmost string is the
content.

Deviations: 1. the paper lists structural tags "including but not limited to"; here they are those
that break lines. 2. Lengths are counted after folding white space, which the paper ignores too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.tags import BREAKS
from tearsheet.types import Ints, Options, Page, Segments, Verdict

C1: Final = 0.333
"""Share of the longest string that a member of the region must exceed (§4)."""
C2: Final = 4
"""Members must be closer than this to another one, in strings (§4)."""
GRAPH_WIDTH, GRAPH_HEIGHT = 800, 200


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the region of L with the highest density; the score is length over maximum length."""
    string = strings(page)[segments.first]
    lengths = densities(page, segments)
    left, right = region(lengths)
    return Verdict(
        method="density",
        score=(lengths[string] / max(lengths.max(), 1)).astype(np.float32),
        keep=(string >= left) & (string <= right),
    )


def strings(page: Page) -> Ints:
    """For each row: its position in L, the number of structural tags up to it."""
    return np.cumsum(BREAKS[page.tag], dtype=np.int32)


def densities(page: Page, segments: Segments) -> npt.NDArray[np.float64]:
    """The length of each string of L."""
    string = strings(page)[segments.first]
    return np.bincount(string, weights=segments.chars).astype(np.float64)


def region(lengths: npt.NDArray[np.float64]) -> tuple[int, int]:
    """Leftmost and rightmost string of the high density region.

    >>> region(np.array([5, 0, 40, 100, 0, 0, 50, 0, 0, 0, 0, 60]))
    (2, 6)
    """
    longest = int(np.argmax(lengths))
    members = np.flatnonzero(lengths > lengths[longest] * C1)
    if not len(members):
        return longest, longest
    apart = np.flatnonzero(np.diff(members) >= C2)
    groups = np.split(members, apart + 1)
    group = next(group for group in groups if longest in group)
    return int(group[0]), int(group[-1])


def graph(page: Page, segments: Segments) -> str:
    """Figure 2 of the paper for this page, as SVG: lengths of L, the cut-off, and the region."""
    lengths = densities(page, segments)
    left, right = region(lengths)
    most = max(float(lengths.max()), 1.0)
    x = np.linspace(0, GRAPH_WIDTH, len(lengths) + 1)
    y = GRAPH_HEIGHT * (1 - lengths / most)
    bars = "".join(f"M{x[i]:.1f} {GRAPH_HEIGHT}V{y[i]:.1f}" for i in np.flatnonzero(lengths))
    cut = GRAPH_HEIGHT * (1 - C1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {GRAPH_WIDTH} {GRAPH_HEIGHT}" '
        f'role="img"><title>Length of each string; the longest has {most:.0f} characters</title>'
        f'<rect x="{x[left]:.1f}" y="0" width="{x[right + 1] - x[left]:.1f}" '
        f'height="{GRAPH_HEIGHT}" fill="#fde6c8"/>'
        f'<path d="{bars}" stroke="#1b4965" stroke-width="1.5"/>'
        f'<path d="M0 {cut:.1f}H{GRAPH_WIDTH}" stroke="#b3261e" stroke-dasharray="4 4"/></svg>'
    )
