"""Article Clipper: the main text by a maximum scoring subsequence of visual segments.

J. Fan, P. Luo, S. H. Lim, S. Liu, P. Joshi, J. Liu: Article Clipper. A System for Web Article
Extraction. KDD 2011, §2.2; the segments and the classifier are those of P. Luo et al.: Web Article
Extraction for Web Printing. DocEng 2009.

Every segment s between visual line breaks is worth v = F(s)·Length(s), where F is a classifier that
may be negative; the run of segments with the largest sum is the text body (§2.2.1). Four kinds of
text are removed from it: smaller than most of it, beside its column, aligned otherwise, and in
frames, unless the frame holds the whole body or the text is a block quotation (§2.2.2). The
title (§2.3) is found by `components/title.py`, pictures and captions (§2.4) by
`components/images.py`.

Deviations: 1. F is a logistic regression trained on our data, as 2p - 1, over the features that the
paper names (position, font size, colour, links) and a few like them. 2. The column is between the
median left and right edges of the text's characters; "only a small amount of
overlap" is less than `LEAST_OVERLAP` of a segment's width. 3. Justified text counts as left. 4. A
frame has a border on all four sides or a background image. 5. A frame counts as holding the whole
text if it holds most of it: one line outside, such as a byline, must not throw the article away.
6. Code is neither too small nor framed: that is how code looks. 7. A rule that would take all of
the text is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet.features import subsequence, subtrees
from tearsheet.features.looks import Column, Looks, measure_looks, median_edge, most_frequent
from tearsheet.features.nodes import popularity
from tearsheet.segments import rows_within
from tearsheet.tags import HEADINGS, TEXT, mask
from tearsheet.types import Bools, Options, Page, Segments, Verdict

NEEDS_LAYOUT = True
PARAMETERS: Final = "clipper"
FAITHFUL: Final = (
    "without deviations 5 to 7 (a frame must hold every line, code may be pulled, nothing may be "
    "left), 2 to 4 of the title (but a heading of several lines is one) and 2 to 6 of the images"
)
SMALLER: Final = 0.5
"""CSS pixels by which a font must be smaller to be another one."""
LEAST_OVERLAP: Final = 0.5
"""Share of a segment's width that must lie in the text's column (ours)."""
MOST: Final = 0.5
"""A frame with a larger share of the text's characters holds the article (ours)."""
_CODE: Final = mask("pre", "code", "samp", "kbd")


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the refined text body; scores are the values of the segments."""
    look = measure_looks(page, segments)
    value, body = find_body(page, segments, look)
    keep = refine_body(page, segments, look, body, faithful=options.faithful)
    return Verdict(method="clipper", score=value.astype(np.float32), keep=keep)


def find_body(page: Page, segments: Segments, look: Looks) -> tuple[Column, Bools]:
    """The value of each segment, and the run of segments with the largest sum (§2.2.1)."""
    known = parameters.load(PARAMETERS)
    odds = features(page, segments, look) @ known["weights"] + float(known["intercept"])
    value: Column = np.tanh(odds / 2) * segments.chars.astype(np.float64)  # 2p - 1
    start, end = subsequence.find_best_run(value)
    body = np.zeros(len(segments), dtype=np.bool_)
    body[start:end] = True
    return value, body


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


def refine_body(
    page: Page, segments: Segments, look: Looks, body: Bools, *, faithful: bool = False
) -> Bools:
    """The body without what its looks rule out (§2.2.2); empty only by the letter."""
    *_, (_, keep) = refine_by_rule(page, segments, look, body, faithful=faithful)
    return keep


def refine_by_rule(
    page: Page, segments: Segments, look: Looks, body: Bools, *, faithful: bool = False
) -> Iterator[tuple[str, Bools]]:
    """The name of each of the four rules, and the body after it."""
    chars = segments.chars
    code = np.zeros_like(body) if faithful else rows_within(page, _CODE[page.tag])[segments.first]
    whole = 1.0 if faithful else MOST
    rules: dict[str, Callable[[Bools], Bools]] = {
        "font size": lambda keep: find_smaller(look, chars, keep) & ~code,
        "horizontal overlap": lambda keep: find_beside(look, chars, keep),
        "alignment": lambda keep: find_otherwise_aligned(look, chars, keep),
        "frames": lambda keep: find_framed(page, segments, keep, whole) & ~code,
    }
    keep = body
    for name, rule in rules.items():
        rest = keep & ~rule(keep) if keep.any() else keep
        keep = rest if faithful or rest.any() else keep
        yield name, keep


def find_smaller(look: Looks, chars: npt.NDArray[np.int32], keep: Bools) -> Bools:
    """1. Font size: smaller than that of most characters of the text."""
    usual = most_frequent(look.font_size[keep], chars[keep])
    return np.asarray(look.font_size < usual - SMALLER)


def find_beside(look: Looks, chars: npt.NDArray[np.int32], keep: Bools) -> Bools:
    """2. Horizontal overlap: mostly outside the column of the text."""
    left = median_edge(look.box[keep, 0], chars[keep])
    right = median_edge(look.box[keep, 2], chars[keep])
    inside = np.minimum(look.box[:, 2], right) - np.maximum(look.box[:, 0], left)
    width = np.maximum(look.box[:, 2] - look.box[:, 0], 1.0)
    return np.asarray(inside < LEAST_OVERLAP * width)


def find_otherwise_aligned(look: Looks, chars: npt.NDArray[np.int32], keep: Bools) -> Bools:
    """3. Horizontal alignment: not that of most characters of the text."""
    return np.asarray(look.align != most_frequent(look.align[keep], chars[keep]))


def find_framed(page: Page, segments: Segments, keep: Bools, whole: float = MOST) -> Bools:
    """4. Visual frames: in one that does not hold the whole text, and not in a block quotation.

    `whole` is the share of the text's characters that is taken for all of it.
    """
    at = page.layout
    assert at is not None
    chars = np.bincount(segments.first[keep], segments.chars[keep], len(page))
    held = subtrees.sums(page, chars)
    frame = (page.tag != TEXT) & ((at.border > 0) | at.background_image)
    partial = frame & (held > 0) & (held < whole * held[0])
    quoted = rows_within(page, mask("blockquote")[page.tag])
    return np.asarray((rows_within(page, partial) & ~quoted)[segments.first])
