"""The rows of the page that take part in the article, with the facts that the builder needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet._core import blocks
from tearsheet.article import anchors, callouts, embeds, formulas, listings, notes
from tearsheet.components import caption_lines, threads
from tearsheet.tags import CODES, MARKS, UNSEEN, mask
from tearsheet.types import Bools, Clipping, Embed, Figure, Image, Ints, Page, Run

Rows: TypeAlias = npt.NDArray[np.intp]

_SHAPE: Final = mask(
    *"a h1 h2 h3 h4 h5 h6 ul ol menu dir li dl dt dd blockquote pre listing xmp plaintext".split(),
    *"table caption tr td th".split(),
    *(name for name, code in CODES.items() if code in MARKS),
)
"""Elements that shape blocks or runs. All others only break lines."""
_WITHIN_LINES: Final = mask("a", *(name for name, code in CODES.items() if code in MARKS))
_FLAGS: Final = (
    _SHAPE * blocks.SHAPES_BLOCKS
    | _WITHIN_LINES * blocks.INSIDE_LINES
    | mask("td", "th") * blocks.IS_CELL
    | UNSEEN * blocks.HIDES_TEXT
).astype(np.uint8)
"""The meanings of each tag for the choice of rows, one bit each."""
_RULE: Final = CODES["hr"]
_EMBEDS: Final = tuple(CODES[name] for name in "iframe video audio object embed".split())
_APART: Final = mask("nav", "footer", "form", "aside", "menu")
_MOST_EMBEDS: Final = 500
_HIGHEST: Final = 40
"""Elements around an embed that are looked at: pages nest without limit."""
_MOST_OTHER: Final = 0.5
"""Share of the text of the element around an embed that may not be kept."""
_HOMES: Final = frozenset(CODES[name] for name in "div section article main".split())
_TABLE: Final = CODES["table"]
_CAPTION_REACH: Final = (3, 8)
"""How many segments before and after its picture a caption may stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The rows of an article. `rows` are in document order; the rest is looked up by row."""

    page: Page
    rows: list[int]
    tag: Sequence[int]
    end: Sequence[int]
    segment: Sequence[int]
    """For each text row: the number of its segment among the kept ones."""
    joins: list[bool]
    """For each kept segment: a single `<br>` separates it from the kept one before."""
    whole: list[str]
    """For each kept segment: its text if no run needs to be told apart; else empty."""
    score: list[float]
    text: Bools
    """True for the rows of kept text."""
    may_be_tex: bool
    """Whether the text has a backslash, or two dollars in a line."""
    count: Ints
    """How many kept rows of text, pictures and formulas stand before each row."""
    tables: list[int]
    """Rows of the tables that take part."""
    figures: Mapping[int, Figure]
    formulas: Mapping[int, formulas.Formula]
    notes: notes.Notes
    callouts: Mapping[int, str]
    """Rows of the boxes that note or warn, with their kinds."""
    posts: Mapping[int, threads.PostHead]
    """Rows of the posts of a thread."""
    facades: Mapping[int, Embed]
    """Rows of the elements that a click would replace by an embed."""
    editors: frozenset[int]
    """Rows of the boxes in which a script shows code."""


def gather(clipping: Clipping, images: Sequence[Image]) -> Material:
    """The material of an article: a page, its kept segments and its pictures."""
    keep = clipping.verdict.keep
    moved, figures = _place_figures(clipping, images)
    keep = keep if moved is None else keep & ~moved
    posts = threads.find_posts(clipping)
    if posts:
        keep = keep.copy()
        keep[[line for head in posts.values() for line in head.lines]] = False
    return _gather_rows(clipping, keep, figures, posts)


def gather_prose(clipping: Clipping) -> Material:
    """The same for plain text: without captions, and without a search for pictures."""
    keep, words = clipping.verdict.keep, clipping.segments.words
    called = caption_lines.find_caption_lines(clipping.page, clipping.segments, keep)
    # If they are most of the text, they are no captions.
    if called.any() and 2 * int(words[called].sum()) < int(words[keep].sum()):
        keep = keep & ~called
    return _gather_rows(clipping, keep, {}, {}, whole_lines=True)


def _gather_rows(
    clipping: Clipping,
    keep: Bools,
    figures: Mapping[int, Figure],
    posts: Mapping[int, threads.PostHead],
    *,
    whole_lines: bool = False,
) -> Material:
    """`whole_lines`: styles and links do not matter, so a line is its segment's text, unless the
    article has formulas or notes."""
    page, segments, kept = clipping.page, clipping.segments, keep.nonzero()[0]
    texts = [segments.text[i] for i in kept.tolist()]
    text, segment = _find_text_rows(clipping, kept)
    found = formulas.find_formulas(clipping, text)
    for formula in found.values():
        text[formula.first : formula.end] = False
    count = _count_rows(text)
    anchored = anchors.drop_heading_anchors(page, text, count)
    content = text.copy() if found or figures else text
    for row in (*figures, *found):
        content[row] = True
    if anchored or content is not text:
        count = _count_rows(content)
    footnotes = notes.find_notes(page, blocks.find_links(page.tag, page.end, count), text, count)
    boxes = callouts.find_callouts(page, count, frozenset(footnotes.targets))
    facades = _find_facades(clipping)
    editors = listings.find_editors(page, count)
    may_be_tex = _may_be_tex(texts)  # styles tell whether it is code
    plain = not (found or anchored or footnotes or boxes or editors or may_be_tex)
    whole_lines = whole_lines and plain
    chosen = _choose_rows(clipping, kept, count, content, whole_lines=whole_lines)
    chosen[[*footnotes.targets, *footnotes.inline, *boxes, *facades, *editors]] = True
    if posts:
        _open_around_posts(page, posts, chosen)
    return Material(
        page=page,
        rows=chosen.nonzero()[0].tolist(),
        tag=page.tag.data,
        end=page.end.data,
        segment=segment.data,
        joins=blocks.find_joins(page.breaks, segments.first, segments.last, segments.block, kept),
        whole=texts if whole_lines else _single_row_texts(clipping, kept, bool(found or anchored)),
        score=clipping.verdict.score[kept].tolist(),
        text=text,
        may_be_tex=may_be_tex,
        count=count,
        tables=[row for row in page.rows(_TABLE) if chosen[row]],
        figures=figures,
        formulas=found,
        notes=footnotes,
        callouts=boxes,
        posts=posts,
        facades=facades,
        editors=editors,
    )


def _choose_rows(
    clipping: Clipping, kept: Rows, count: Ints, content: Bools, *, whole_lines: bool
) -> Bools:
    """Marks the rows of an article, without those that only single parts of it need."""
    page = clipping.page
    chosen = np.zeros(len(page), dtype=np.bool_)
    blocks.choose_elements(
        page.tag, page.end, page.parent, count, _FLAGS, whole_lines, chosen.view(np.uint8)
    )
    if whole_lines:
        chosen[clipping.segments.first.take(kept)] = True
    else:
        chosen |= content
    chosen[_rows_between_kept(clipping, page.rows(_RULE))] = True
    chosen[_rows_among_kept(clipping, page.rows(*_EMBEDS))] = True
    return chosen


def _find_facades(clipping: Clipping) -> dict[int, Embed]:
    """The elements of the article that a click would replace by an embed, by row."""
    page = clipping.page
    rows = embeds.find_facades(page)
    found = {row: embeds.read_facade(page, row) for row in _rows_among_kept(clipping, rows)}
    return {row: embed for row, embed in found.items() if embed is not None}


def _open_around_posts(page: Page, posts: Mapping[int, threads.PostHead], chosen: Bools) -> None:
    """Chooses the elements of posts, but not those around them: a list of posts is no list
    block."""
    seen: set[int] = set()
    for row in posts:
        for up in page.ancestors(row):
            if up in seen:
                break
            seen.add(up)
    chosen[list(seen - posts.keys())] = False
    chosen[list(posts)] = True


def _find_text_rows(clipping: Clipping, kept: Rows) -> tuple[Bools, Ints]:
    """Which rows are text of kept segments, and for every row the kept segment it lies in."""
    page, segments = clipping.page, clipping.segments
    text, segment = np.zeros(len(page), dtype=np.bool_), np.empty(len(page), dtype=np.int32)
    first, last = segments.first.take(kept), segments.last.take(kept)
    blocks.mark_text(page.tag, page.end, _FLAGS, first, last, text.view(np.uint8), segment)
    return text, segment


def _count_rows(content: Bools) -> Ints:
    """How many rows of content stand before each row, and in the whole page."""
    count = np.empty(len(content) + 1, dtype=np.int32)
    blocks.count_before(content.view(np.uint8), count)
    return count


def _may_be_tex(texts: list[str]) -> bool:
    """Whether a line has a backslash or two dollars."""
    whole = "\n".join(texts)
    return "\\" in whole or ("$" in whole and any(line.count("$") > 1 for line in texts))


def _single_row_texts(clipping: Clipping, kept: Rows, formulas: bool) -> list[str]:
    """The text of each segment that is one row; empty for others. Formulas may share a line."""
    if formulas:
        return [""] * len(kept)
    segments, text = clipping.segments, clipping.segments.text
    single = (segments.first[kept] == segments.last[kept]).tolist()
    return [text[i] if one else "" for i, one in zip(kept.tolist(), single)]


def _rows_between_kept(clipping: Clipping, rows: list[int]) -> list[int]:
    """The rows that have a kept segment right before and after them."""
    if not rows:
        return rows
    keep = np.concatenate(([False], clipping.verdict.keep, [False]))
    after = clipping.segments.first.searchsorted(rows)
    return list(compress(rows, keep[after] & keep[after + 1]))


def _rows_among_kept(clipping: Clipping, rows: list[int]) -> list[int]:
    """The rows that stand in the article: most text of the smallest element with text around them
    is kept, and they are in no menu or aside."""
    page, segments, keep = clipping.page, clipping.segments, clipping.verdict.keep
    if not rows or not keep.any():
        return []
    chars = np.concatenate(([0], np.cumsum(segments.chars, dtype=np.int64)))
    kept = np.concatenate(([0], np.cumsum(segments.chars * keep, dtype=np.int64)))
    first, last = segments.first[keep][0], segments.last[keep][-1]
    return [
        row
        for row in rows[:_MOST_EMBEDS]
        if first <= row <= int(page.end[_outer_block(page, int(last))])
        and _is_among_kept(page, segments.first, chars, kept, row)
    ]


def _outer_block(page: Page, row: int) -> int:
    """The element around the block of a row: embeds after the text may belong to it."""
    for up in islice(page.ancestors(row), _HIGHEST):
        if page.tag[up] in _HOMES:
            return up
    return row


def _is_among_kept(page: Page, first: Ints, chars: Rows, kept: Rows, row: int) -> bool:
    for up in islice(page.ancestors(row), _HIGHEST):
        if _APART[page.tag[up]]:
            return False
        low, high = first.searchsorted((up, page.end[up]))
        if chars[high] > chars[low]:
            whole = int(chars[high] - chars[low])
            return int(kept[high] - kept[low]) >= (1 - _MOST_OTHER) * whole
    return False


def _place_figures(
    clipping: Clipping, images: Sequence[Image]
) -> tuple[Bools | None, Mapping[int, Figure]]:
    """The figures by row, and the segments that moved into their captions.

    A caption that the verdict kept is part of the text and moves into `Figure.caption`. One that it
    dropped stays with the image alone: the text of an article is what was kept, no more.
    """
    placed = sorted((image for image in images if image.row >= 0), key=lambda image: image.row)
    if not placed:
        return None, {}
    moved = np.zeros(len(clipping.segments), dtype=np.bool_)
    figures: dict[int, Figure] = {}
    before: Figure | None = None
    for image in placed:
        if before is not None and image.caption and image.caption == before.images[0].caption:
            pictures = (*before.images, image)
            before = figures[pictures[0].row] = Figure(pictures, before.caption, before.credit)
        else:
            before = figures[image.row] = _make_figure(clipping, image, moved)
    return moved, figures


def _make_figure(clipping: Clipping, image: Image, moved: Bools) -> Figure:
    """The figure of one picture; the kept segments that are its caption are marked as moved."""
    found = _find_caption(clipping, image)
    moved[found] = True
    text = " ".join(clipping.segments.text[i] for i in found)
    credit = image.credit if image.credit and text.endswith(image.credit) else ""
    text = text.removesuffix(credit).rstrip()
    if image.caption_runs and _letters(text) == _letters(image.caption):
        return Figure((image,), image.caption_runs, credit)
    return Figure((image,), (Run(text),) if text else (), credit)


def _find_caption(clipping: Clipping, image: Image) -> list[int]:
    """The kept segments around a picture that are its caption and credit.

    Only letters and digits are compared: white space and signs may differ.
    """
    caption = _letters(image.caption)
    whole = caption + _letters(image.credit)
    if not whole:
        return []
    texts, keep = clipping.segments.text, clipping.verdict.keep
    at = int(clipping.segments.first.searchsorted(image.row))
    near = range(max(0, at - _CAPTION_REACH[0]), min(len(texts), at + _CAPTION_REACH[1]))
    keys = {i: _letters(texts[i]) for i in near if keep[i]}
    return [
        i for i, key in keys.items()
        if (len(key) > 2 and key in whole)
        or (caption and caption in key and len(key) < 2 * len(whole) + 40)
    ]  # fmt: skip


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
