"""All visible text of the page: the baseline of the density paper.

J. Arias Moreno, K. Deschacht, M.-F. Moens: Language Independent Content Extraction from Web
Pages. DIR 2009, §5.3. Markup, scripts and styles are removed; no text is chosen.
"""

from __future__ import annotations

import numpy as np

from tearsheet.types import Options, Page, Segments, Verdict


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps everything; the score is 1."""
    return Verdict(
        method="all_text",
        score=np.ones(len(segments), dtype=np.float32),
        keep=np.ones(len(segments), dtype=np.bool_),
    )
