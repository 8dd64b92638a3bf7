"""The list of strings of a page and its region of highest density.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009.

The page becomes a list L of strings: a tag that changes the structure begins a new string, text is
added to the last one. Around the longest string grows the region R of strings that are longer than
c1 of it and closer than c2 to another member; everything from R's leftmost to its rightmost string
is the content.

Deviations: 1. The paper lists structural tags "including but not limited to" and points to XHTML
1.0; here they are its block elements, `br`, and HTML 5's sections. Figures and controls don't
count, so that they don't split a text. 2. Lengths are counted after folding white space, which the
paper ignores too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.tags import mask
from tearsheet.types import Ints, Options, Page, Segments, Verdict

XHTML: Final = mask(
    *"p div h1 h2 h3 h4 h5 h6 ul ol dl li dt dd table tr td th pre blockquote address".split(),
    *"hr br form fieldset center".split(),
)
"""Tags of XHTML 1.0 that begin a new string …"""
STRUCTURE: Final = XHTML | mask(*"article aside footer header main nav section".split())
"""… and those of HTML 5."""
FAITHFUL: Final = "without the tags of HTML 5 (deviation 1)"


def verdict(
    method: str, page: Page, segments: Segments, options: Options, c1: float, c2: float
) -> Verdict:
    """Keeps the region of L with the highest density; the score is length over maximum length."""
    string = strings(page, faithful=options.faithful)[segments.first]
    lengths = np.bincount(string, weights=segments.chars).astype(np.float64)
    left, right = region(lengths, c1, c2)
    return Verdict(
        method=method,
        score=(lengths[string] / max(lengths.max(), 1)).astype(np.float32),
        keep=(string >= left) & (string <= right),
    )


def strings(page: Page, *, faithful: bool = False) -> Ints:
    """For each row: its position in L, the number of structural tags up to it."""
    structure = XHTML if faithful else STRUCTURE
    return np.cumsum(structure[page.tag], dtype=np.int32)


def region(lengths: npt.NDArray[np.float64], c1: float, c2: float) -> tuple[int, int]:
    """Leftmost and rightmost string of the high density region.

    >>> region(np.array([5, 0, 40, 100, 0, 0, 50, 0, 0, 0, 0, 60]), 0.333, 4)
    (2, 6)
    """
    longest = int(np.argmax(lengths))
    members = np.flatnonzero(lengths > lengths[longest] * c1)
    if not len(members):
        return longest, longest
    apart = np.flatnonzero(np.diff(members) >= c2)
    groups = np.split(members, apart + 1)
    group = next(group for group in groups if longest in group)
    return int(group[0]), int(group[-1])
