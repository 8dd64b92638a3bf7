"""Article Clipper: the main text by a maximum scoring subsequence of visual segments.

J. Fan, P. Luo, S. H. Lim, S. Liu, P. Joshi, J. Liu: Article Clipper. A System for Web Article
Extraction. KDD 2011, §2.2; the segments and the classifier are those of P. Luo et al.: Web Article
Extraction for Web Printing. DocEng 2009.

Every segment s between visual line breaks is worth v = F(s)·Length(s), where F is a classifier that
may be negative; the run of segments with the largest sum is the text body (§2.2.1). Four kinds of
text are removed from it: smaller than most of it, beside its column, aligned otherwise, and in
frames, unless the frame holds the whole body or the text is a block quotation (§2.2.2).

Deviations: 1. F is a logistic regression trained on our data, as 2p - 1, over the features that the
paper names (position, font size, colour, links) and a few like them. 2. The column is between the
median left and right edges of the text's characters; "only a small amount of
overlap" is less than `LEAST_OVERLAP` of a segment's width. 3. Justified text counts as left. 4. A
frame has a border on all four sides or a background image.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.features import subsequence, subtrees
from tearsheet.features.nodes import boxes, popularity
from tearsheet.segments import rows_within, visible_rows
from tearsheet.tags import HEADINGS, TEXT, mask
from tearsheet.types import Bools, Options, Page, Segments, Verdict

NEEDS_LAYOUT = True
PARAMETERS: Final = "clipper"
SMALLER: Final = 0.5
"""CSS pixels by which a font must be smaller to be another one."""
LEAST_OVERLAP: Final = 0.5
"""Share of a segment's width that must lie in the text's column (ours)."""
LEFT: Final = 0
JUSTIFIED: Final = 3

Column = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """How each segment looks: its box, and the style of its longest piece of text."""

    box: npt.NDArray[np.float64]
    font_size: Column
    font_weight: Column
    color: npt.NDArray[np.int64]
    align: npt.NDArray[np.int64]


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the refined text body; scores are the values of the segments."""
    look = measure_looks(page, segments)
    known = parameters.load(PARAMETERS)
    odds = features(page, segments, look) @ known["weights"] + float(known["intercept"])
    value = np.tanh(odds / 2) * segments.chars  # 2p - 1
    start, end = subsequence.find_best_run(value)
    body = np.zeros(len(segments), dtype=np.bool_)
    body[start:end] = True
    keep = refine_body(page, segments, look, body)
    return Verdict(method="clipper", score=value.astype(np.float32), keep=keep)


def measure_looks(page: Page, segments: Segments) -> Looks:
    """The box around each segment's text, and the style of the longest text row in it."""
    at = page.layout
    assert at is not None
    rows = np.flatnonzero(visible_rows(page))
    owner = np.searchsorted(segments.first, rows, side="right") - 1
    inside = (owner >= 0) & (rows <= segments.last[np.maximum(owner, 0)])
    rows, owner = rows[inside], owner[inside]
    found = boxes(at)[rows]
    box = np.tile((np.inf, np.inf, -np.inf, -np.inf), (len(segments), 1))
    for edge, pick in ((0, np.minimum), (1, np.minimum), (2, np.maximum), (3, np.maximum)):
        pick.at(box[:, edge], owner, found[:, edge])
    lengths = np.array([len(page.text[row]) for row in rows.tolist()])
    order = np.lexsort((lengths, owner))
    longest = segments.first.astype(np.intp)
    longest[owner[order]] = rows[order]  # the last one of each segment is its longest
    align = at.align[longest].astype(np.int64)
    return Looks(
        box=np.where(np.isfinite(box), box, 0.0),
        font_size=at.font_size[longest].astype(np.float64),
        font_weight=at.font_weight[longest].astype(np.float64),
        color=at.color[longest].astype(np.int64),
        align=np.where(align == JUSTIFIED, LEFT, align),
    )


def features(page: Page, segments: Segments, look: Looks) -> Column:
    """Position, font, colour, length and links of each segment, and of its neighbours."""
    at = page.layout
    assert at is not None
    chars = segments.chars.astype(np.float64)
    width, height = max(float(at.width), 1.0), max(float(at.height), 1.0)
    links = segments.link_chars / np.maximum(chars, 1)
    length = np.log1p(chars)
    usual = most_frequent(look.font_size, chars)
    stops = np.array([text[-1] in ".!?:;…。！？\"'”»" for text in segments.text], dtype=np.float64)
    block = page.tag[segments.block]
    around = [
        column
        for own in (links, length, stops)
        for column in (np.append(own[1:], 0.0), np.append(0.0, own[:-1]))
    ]
    return np.column_stack(
        (
            look.box[:, 0] / width,
            np.abs((look.box[:, 0] + look.box[:, 2]) / (2 * width) - 0.5),
            (look.box[:, 2] - look.box[:, 0]) / width,
            np.minimum(look.box[:, 1] / height, 1.0),
            np.clip(look.font_size / max(usual, 1.0), 0, 3),
            look.font_size < usual - SMALLER,
            look.font_weight >= 600,
            popularity(look.color, chars),
            popularity(look.font_size, chars),
            links,
            links > 0.5,
            length,
            stops,
            HEADINGS[block],
            mask("li", "dt", "dd")[block],
            *around,
        )
    ).astype(np.float64)


def most_frequent(values: npt.NDArray[np.generic], chars: npt.NDArray[np.generic]) -> float:
    """The value that most characters have."""
    known, which = np.unique(values, return_inverse=True)
    return float(known[np.argmax(np.bincount(which, weights=chars))])


def refine_body(page: Page, segments: Segments, look: Looks, body: Bools) -> Bools:
    """The body without what its looks rule out (§2.2.2); never empty."""
    chars = segments.chars
    keep = body
    for rule in (find_smaller, find_beside, find_otherwise_aligned):
        rest = keep & ~rule(look, chars, keep)
        keep = rest if rest.any() else keep
    rest = keep & ~find_framed(page, segments, keep)
    return rest if rest.any() else keep


def find_smaller(look: Looks, chars: npt.NDArray[np.int32], keep: Bools) -> Bools:
    """1. Font size: smaller than that of most characters of the text."""
    usual = most_frequent(look.font_size[keep], chars[keep])
    return np.asarray(look.font_size < usual - SMALLER)


def find_beside(look: Looks, chars: npt.NDArray[np.int32], keep: Bools) -> Bools:
    """2. Horizontal overlap: mostly outside the column of the text."""
    left = _median_edge(look.box[keep, 0], chars[keep])
    right = _median_edge(look.box[keep, 2], chars[keep])
    inside = np.minimum(look.box[:, 2], right) - np.maximum(look.box[:, 0], left)
    width = np.maximum(look.box[:, 2] - look.box[:, 0], 1.0)
    return np.asarray(inside < LEAST_OVERLAP * width)


def _median_edge(edges: Column, chars: npt.NDArray[np.int32]) -> float:
    """The edge with half of the characters on either side."""
    order = np.argsort(edges, kind="stable")
    total = np.cumsum(chars[order])
    return float(edges[order][np.searchsorted(total, total[-1] / 2)])


def find_otherwise_aligned(look: Looks, chars: npt.NDArray[np.int32], keep: Bools) -> Bools:
    """3. Horizontal alignment: not that of most characters of the text."""
    return np.asarray(look.align != most_frequent(look.align[keep], chars[keep]))


def find_framed(page: Page, segments: Segments, keep: Bools) -> Bools:
    """4. Visual frames: in one that does not hold the whole text, and not in a block quotation."""
    at = page.layout
    assert at is not None
    held = subtrees.sums(page, np.bincount(segments.first[keep], minlength=len(page)))
    frame = (page.tag != TEXT) & ((at.border > 0) | at.background_image)
    partial = frame & (held > 0) & (held < np.count_nonzero(keep))
    quoted = rows_within(page, mask("blockquote")[page.tag])
    return np.asarray((rows_within(page, partial) & ~quoted)[segments.first])
