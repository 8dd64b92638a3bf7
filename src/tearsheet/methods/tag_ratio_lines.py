"""Text-to-tag ratio of the lines of the source, to the letter.

T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio. TIR at DEXA 2008.

Empty lines and everything in scripts are removed. For each line k that is left, TTR[k] is the
number of its ASCII characters that are not in tags over the number of its tags, or just the
characters if it has none. The array is smoothed; lines whose ratio exceeds the standard deviation
are content. This is `tag_ratio` with `--faithful`, under a name of its own.

Deviations: 1. The lines are read from the page's table, which has the line breaks between tags and
not those inside of one. 2. A segment is kept if most of its characters are on lines of content.
"""

from __future__ import annotations

from tearsheet.methods import _tag_ratio
from tearsheet.types import Options, Page, Segments, Verdict


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the segments that are mostly on lines with a high ratio."""
    return _tag_ratio.judge_lines("tag_ratio_lines", page, segments, _tag_ratio.above_deviation)
