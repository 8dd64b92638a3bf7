"""Text density with the constants of its paper.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009. The method and its deviations are in `_density.py`; `density_wide` has a distance
for pages of today.
"""

from __future__ import annotations

from typing import Final

from tearsheet.methods import _density
from tearsheet.types import Options, Page, Segments, Verdict

FAITHFUL: Final = _density.FAITHFUL
C1: Final = 0.333
"""Share of the longest string that a member of the region must exceed (§4)."""
C2: Final = 4
"""Members must be closer than this to another one, in strings (§4)."""


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the region with the highest density; the score is length over maximum length."""
    return _density.verdict("density", page, segments, options, C1, C2)
