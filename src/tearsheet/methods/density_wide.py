"""Text density, with its distance chosen for pages of today.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009.

The method and its deviations 1 and 2 are in `_density.py`. 3. The paper chose both constants by
hand on its pages of 2008. Its share c1 serves as well today; its distance c2 does not, for a text
now has many more structural tags in it (docs/methods/density.md has the pages and the figures).
`density` has the paper's own.
"""

from __future__ import annotations

from typing import Final

from tearsheet.methods import _density
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _density.FAITHFUL
C1: Final = 0.333
"""Share of the longest string that a member of the region must exceed (§4)."""
C2: Final = 96
"""Members must be closer than this to another one, in strings: of 4, 8, … 96, ∞ the one that does
well on all three sets of articles."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the region with the highest density; the score is length over maximum length."""
    return _density.verdict("density_wide", page, segments, options, C1, C2)
