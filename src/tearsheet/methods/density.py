"""Text density.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009.

The page becomes a list L of strings: a tag that changes the structure begins a new string, text is
added to the last one. Around the longest string grows the region R of those longer than C1 of it
and closer than C2 to another member; what stands from R's leftmost to its rightmost string is the
content.

Deviations: 1. the paper lists structural tags "including but not limited to" and points to XHTML
1.0; here they are the block elements of that with `br`, and HTML 5's sections. Figures and controls
don't count, so that they don't tear a text apart. 2. Lengths are counted after folding white space,
which the paper ignores too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.tags import mask
from tearsheet.types import Ints, Options, Page, Segments, Verdict

STRUCTURE: Final = mask(
    *"p div h1 h2 h3 h4 h5 h6 ul ol dl li dt dd table tr td th pre blockquote address".split(),
    *"hr br form fieldset center article aside footer header main nav section".split(),
)
"""Tags that begin a new string."""
C1: Final = 0.333
"""Share of the longest string that a member of the region must exceed (§4)."""
C2: Final = 4
"""Members must be closer than this to another one, in strings (§4)."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the region of L with the highest density; the score is length over maximum length."""
    string = strings(page)[segments.first]
    lengths = np.bincount(string, weights=segments.chars).astype(np.float64)
    left, right = region(lengths)
    return Verdict(
        method="density",
        score=(lengths[string] / max(lengths.max(), 1)).astype(np.float32),
        keep=(string >= left) & (string <= right),
    )


def strings(page: Page) -> Ints:
    """For each row: its position in L, the number of structural tags up to it."""
    return np.cumsum(STRUCTURE[page.tag], dtype=np.int32)


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
