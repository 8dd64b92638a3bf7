"""Finds the caption and the credit of a picture; `images` names the paper and the deviations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import chain, islice, takewhile
from typing import Final, TypeAlias

import numpy as np

from tearsheet.addresses import link_address
from tearsheet.components._compare import fold, similarity
from tearsheet.components._wording import named_author
from tearsheet.components.caption_lines import says_caption
from tearsheet.languages import any_of, phrases
from tearsheet.tags import CODES, HEADINGS, MARKS, TEXT, mask
from tearsheet.types import Bools, Box, Floats, Layout, Page, Run, Runs, Segments
from tearsheet.writing import WIDTHLESS

Style: TypeAlias = tuple[frozenset[str], str | None]
"""Marks and link of a run."""
_PLAIN: Final[Style] = (frozenset(), None)
Boxes: TypeAlias = tuple[Floats, Floats, Floats, Floats]

_CREDIT_CLASS: Final = re.compile(
    r'(?:class|itemprop)="[^"]*(?:credit|copyright|photographer|kredit|source|quelle|urheber|'
    r"author|byline|agency|rights|owner|license|fotograf|provider)",
    re.I,
)
_AGENCY: Final = re.compile(
    r"\b(?:getty|reuters|afp|dpa|epa|imago|picture alliance|shutterstock|istock|alamy|ap|aap|bbc|"
    r"efe|ansa|keystone|adobe stock|unsplash|pixabay|pexels|xinhua|anadolu|handout|supplied|"
    r"courtesy|associated press|cbc)\b|연합뉴스|뉴시스|뉴스1",
    re.I,
)
# What follows the last sentence, is in brackets at the end, or follows a stroke or "=".
_TAIL: Final = re.compile(
    r"(?:(?<=[.!?»”\"…。])\s+([^.!?]{2,60})|\s*\(([^()]{2,60})\)|\s+[/|]\s+(.{2,60})|[＝=](\S{1,12}))$"
)
_NUMBERED: Final = re.compile(r"[^\W\d]{2,12}\.?\s*\d+(?:[.-]\d+)*[.:]?")
LINE_SPACES: Final = 2.0
"""Largest distance between a picture and the caption below it, in lines (§2.4)."""
LONGEST_CAPTION: Final = 1_200
_CLOSE: Final = 8  # most rows between a picture's place and its caption
_SHORT: Final = 300  # most characters of a caption that only its style gives away
_SIMILAR: Final = 0.6  # least similarity of a caption to the picture's `alt`
_STYLED: Final = mask("b", "strong", "i", "em", "small", "cite")
_SLANTED: Final = mask("i", "em", "small", "cite")
_MARK_OR_LINK_TAGS: Final = mask("a", *(name for name, code in CODES.items() if code in MARKS))
_A = CODES["a"]
_FIGURE, _FIGCAPTION, _CENTER = CODES["figure"], CODES["figcaption"], CODES["center"]
_CENTRED: Final = re.compile(
    r' (?:align="center|style="[^"]*text-align:\s*center|class="[^"]*\btext-?center)', re.I
)
_ALT: Final = 20  # fewest characters of an `alt` that describes something
_FRAME: Final = 3.0  # largest frame around picture and caption, in areas of the picture
_LINE: Final = 1.4  # height of a line, in font sizes
_SAME_SIZE: Final = 0.1  # pixels by which equal font sizes may differ
_TOUCH: Final = 4.0  # pixels by which boxes may overlap
_THIN: Final = 4.0  # pixels: most of a line that is a painted element
_PICTURE: Final = mask("img", "svg", "canvas", "video", "picture", "object", "embed", "iframe")
_NEAR: Final = 12  # most rows between a picture and a caption that was kept as text
_LEVELS: Final = 40  # elements around a picture that may be its frame
_MOST_ROWS: Final = 400  # rows of a caption that are read; real ones have a few
_MOST_NAMED: Final = 64  # elements named a caption, before and after a picture, that may be its own


def find_caption(
    page: Page, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[str, Runs, str, str]:
    """The caption, its runs if it has links or marks, the credit, and the rule that found them."""
    rows, rule = _caption_rows(page, segments, row, frame, kept)
    sources = [at for at in _rows_inside(page, rows) if _CREDIT_CLASS.search(page.attrs[at])]
    credit = " ".join(page.inner_text(at) for at in _outermost(page, sources))
    caption, named = split_credit(_read_text(page, rows, sources))
    credit = " ".join((credit or named).split()).strip(" |/()[]")
    caption = caption[:LONGEST_CAPTION]
    return caption, _read_runs(page, rows, caption), credit, rule if caption or credit else ""


def split_credit(text: str) -> tuple[str, str]:
    """The caption without its credit, and the credit.

    >>> split_credit("Boats at noon. Photo: A. Lee/AP"), split_credit("Boats at noon (Reuters)")
    (('Boats at noon.', 'Photo: A. Lee/AP'), ('Boats at noon', 'Reuters'))
    """
    text = _label().sub("", text)
    credit = ""
    if match := _credit().search(text):
        text, credit = text[: match.start()].strip(), match[0]
    match = _TAIL.search(text)
    if match and _NUMBERED.fullmatch(text[: match.start()].strip()):
        match = None  # "Figure 1." stands before the caption itself
    if match and _names_a_source(next(filter(None, match.groups()))):
        text, credit = text[: match.start()].strip(), credit or next(filter(None, match.groups()))
    if len(text.split()) <= 4 and _AGENCY.search(text):
        text, credit = "", credit or text
    text = text.strip(f" |/–—-{WIDTHLESS}")
    return ("" if _button().match(text) else text), credit.strip(" |/()[]")


@cache
def _credit() -> re.Pattern[str]:
    """Finds a credit from its first word to the end of the caption."""
    words = [re.escape(word) for word in sorted(phrases("credit"), key=len, reverse=True)]
    short = "|".join(word for word in words if word.endswith("."))
    whole = "|".join(word for word in words if not word.endswith("."))
    return re.compile(
        r"(?:^|(?<=[\W_]))[\[(]?(?:(?:AP|AFP|EPA)\s)?"
        rf"(?:(?:{whole})\s*(?:{any_of('credit_by')}\s|[:：/©])|(?:{short})\s|©)\s*.{{2,120}}$",
        re.I,
    )


@cache
def _not_a_credit() -> re.Pattern[str]:
    return re.compile(rf"{any_of('not_credit')}|^[a-z]{{1,6}}\.|\d{{4}}", re.I)


@cache
def _label() -> re.Pattern[str]:
    """A label before a caption: "Enlarge / Boats", "Image caption Boats", not "Image of boats"."""
    return re.compile(rf"^{any_of('caption_label')}(?:\s*[:/]\s+|\s+(?-i:(?![a-z])))(?=\S)", re.I)


@cache
def _button() -> re.Pattern[str]:
    """Matches all of a text that is a button on a picture, a count or a duration."""
    verb, what = any_of("image_button_verb"), any_of("image_button_object")
    return re.compile(
        rf"^(?:{verb}\b.{{0,40}}{what}.{{0,20}}|{any_of('image_button')}|"
        rf"\d+\s*(?:/|{any_of('of')})\s*\d+\W*|\d+\s?min\w*|[\W\d_]*)$",
        re.I,
    )


def _names_a_source(text: str) -> bool:
    """Whether a short text is the name of an agency, or words with capitals."""
    if _not_a_credit().search(text):
        return False
    names = text.replace("/", " ").split()
    capitals = all(not name[0].islower() for name in names if len(name) > 3)
    return bool(_AGENCY.search(text)) or (capitals and len(names) <= 5)


def _caption_rows(
    page: Page, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[list[int], str]:
    """The rows that hold the caption, and the first rule that found any."""
    tag = page.tag.item
    figure = next((at for at in page.ancestors(row) if at < frame or tag(at) == _FIGURE), -1)
    if figure >= frame:
        found = np.flatnonzero(page.tag[figure : page.end[figure]] == _FIGCAPTION) + figure
        if len(found):
            return found.tolist(), "figcaption"
    around = list(takewhile(lambda at: at >= frame, page.ancestors(row)))
    called = _named_captions(page, around[-1], row) if around else []
    for at in around:
        apart = [r for r in called if at <= r < page.end[at]]
        if apart:
            return _outermost(page, apart)[:1], "caption class"
    line = _find_marked(page, segments, frame)
    if line >= 0:
        return _text_rows(page, segments, [line]), "caption class, after the frame"
    if lines := _find_kept(page, segments, row, kept):
        return _text_rows(page, segments, lines), "kept below"
    if page.layout is not None:
        lines, rule = _find_by_layout(page, page.layout, segments, row, frame, kept)
        return _text_rows(page, segments, lines), rule
    line = _find_below(page, segments, row, frame)
    if line >= 0:
        return _text_rows(page, segments, [line]), "below"
    line = _find_after_frame(page, segments, row, frame, kept)
    if line >= 0:
        return _text_rows(page, segments, [line]), "after the frame"
    line = _find_above(page, segments, row, frame)
    return _text_rows(page, segments, [line] if line >= 0 else []), "above"


def _find_marked(page: Page, segments: Segments, frame: int) -> int:
    """The first segment after the picture's place if its tag or name says caption; -1: none."""
    i = int(segments.first.searchsorted(page.end[frame]))
    if i >= len(segments) or segments.first[i] > page.end[frame] + _CLOSE:
        return -1
    line, block = int(segments.first[i]), int(segments.block[i])
    if any(_PICTURE[page.tag[at]] for at in range(int(page.end[frame]), line)):
        return -1
    marked = page.tag[block] == _FIGCAPTION or says_caption(page.attrs[block])
    return i if marked and segments.chars[i] <= LONGEST_CAPTION else -1


def _find_kept(page: Page, segments: Segments, row: int, kept: Bools) -> list[int]:
    """The lines right after a picture that were kept as text, but look like its caption: they begin
    as "Figure 2" does, say what its `alt` says, are all small or slanted, lead where the picture
    leads, or they and the picture are centred and the text is not. A line right before it that
    begins as "Figure 2" does, too."""
    i = int(segments.first.searchsorted(row))
    if i > 0 and _is_numbered_above(page, segments, row, kept, i):
        return [i - 1]
    if i >= len(segments) or not kept[i] or segments.first[i] > row + _NEAR:
        return []
    if any(_PICTURE[page.tag[at]] for at in range(row + 1, int(segments.first[i]))):
        return []
    if segments.chars[i] <= _SHORT and _leads_to_same(page, segments, row, i):
        return [i]
    if segments.chars[i] > _SHORT or not _may_be_caption(page, segments, i):
        return []
    if not _looks_like_caption(page, segments, row, kept, i):
        return []
    block = segments.block[i]
    same = takewhile(lambda at: at < len(segments) and segments.block[at] == block, range(i, i + 3))
    found = list(same)
    return found if sum(segments.chars.item(at) for at in found) <= _SHORT else found[:1]


def _looks_like_caption(page: Page, segments: Segments, row: int, kept: Bools, i: int) -> bool:
    if _figure_label().match(segments.text[i]) or _is_like_alt(page, segments, row, i):
        return True
    if _is_all_slanted(page, segments, i):
        return not _is_most(kept, lambda line: _is_all_slanted(page, segments, line))
    first = segments.first.item
    return (
        _is_centred(page, first(i))
        and _is_centred(page, row)
        and not _is_most(kept, lambda line: _is_centred(page, first(line)))
    )


def _leads_to_same(page: Page, segments: Segments, row: int, i: int) -> bool:
    """Whether a line is all link, to the page that the picture links to, too."""
    if segments.link_chars[i] < segments.chars[i]:
        return False
    ours, its = (_link_above(page, at) for at in (row, int(segments.first[i])))
    return bool(ours) and ours == its


def _link_above(page: Page, row: int) -> str:
    """The address of the link around a row; empty if there is none close by."""
    above = islice(page.ancestors(row), 4)
    return next((page.attribute(at, "href") or "" for at in above if page.tag[at] == _A), "")


def _is_numbered_above(page: Page, segments: Segments, row: int, kept: Bools, i: int) -> bool:
    """Whether the line before a picture is a numbered caption, and the line behind it is none."""
    above, last = i - 1, int(segments.last[i - 1])
    if not kept[above] or row > last + _NEAR or segments.chars[above] > _SHORT:
        return False
    if i < len(segments) and _figure_label().match(segments.text[i]):
        return False
    is_next = not any(_PICTURE[page.tag[at]] for at in range(last + 1, row))
    return (
        is_next
        and _figure_label().match(segments.text[above]) is not None
        and _may_be_caption(page, segments, above)
        and not _has_picture_above(page, segments, above)
    )


def _has_picture_above(page: Page, segments: Segments, i: int) -> bool:
    """Whether a picture stands between a line and the one before it: that has the caption."""
    start = int(segments.last[i - 1]) + 1 if i else 0
    return any(_PICTURE[page.tag[at]] for at in range(start, int(segments.first[i])))


@cache
def _figure_label() -> re.Pattern[str]:
    """The beginning of a numbered caption."""
    return re.compile(
        rf"^{any_of('figure_label')}\s*\d{{1,3}}(?:[.-]\d{{1,3}})*(?:\W|$|[^\W\da-z])", re.I
    )


def _is_centred(page: Page, row: int) -> bool:
    """Whether a text or a picture is centred: as drawn, else as the elements around it say."""
    if page.layout is not None:
        up = int(page.parent[row])
        return bool(page.layout.align[up] == 1)
    above = islice(page.ancestors(row), 3)
    return any(page.tag[at] == _CENTER or _CENTRED.search(page.attrs[at]) for at in above)


def _is_most(kept: Bools, test: Callable[[int], bool]) -> bool:
    """Whether more than a third of the lines of the text pass a test: it tells nothing then."""
    lines = np.flatnonzero(kept)[:_MOST_ROWS].tolist()
    return 3 * sum(map(test, lines)) > len(lines)


def _is_all_slanted(page: Page, segments: Segments, i: int) -> bool:
    """Whether all of a line is in small or slanted letters, by its tags."""
    block = int(segments.block[i])
    rows = range(int(segments.first[i]), int(segments.last[i]) + 1)
    texts = [at for at in rows if page.tag[at] == TEXT and page.text[at].strip()]
    return all(
        any(_SLANTED[page.tag[up]] for up in islice(page.ancestors(at), _LEVELS) if up >= block)
        for at in texts[:_MOST_ROWS]
    )


def _named_captions(page: Page, place: int, row: int) -> list[int]:
    """The elements of a place that are named a caption and do not contain the picture."""
    named = _named_within(page, place)
    at = bisect_left(named, row)
    near = named[max(at - _MOST_NAMED, 0) : at + _MOST_NAMED]
    return [r for r in near if not r <= row < page.end[r]]


@lru_cache(1)  # the pictures of one place follow each other
def _named_within(page: Page, place: int) -> list[int]:
    inside = enumerate(page.attrs[place : page.end[place]], place)
    return [row for row, raw in inside if raw and says_caption(raw)]


def _text_rows(page: Page, segments: Segments, lines: list[int]) -> list[int]:
    """The text rows of these segments."""
    inside = (range(segments.first[i], segments.last[i] + 1) for i in lines)
    return [row for each in inside for row in each if page.tag[row] == TEXT]


def _find_below(page: Page, segments: Segments, row: int, frame: int) -> int:
    """The first segment after the picture, within its place, that may be a caption; -1: none.

    Another picture, a heading, a byline or a text that is all link ends the search.
    """
    i = int(segments.first.searchsorted(row))
    before = row
    while i < len(segments) and segments.first[i] < page.end[frame]:
        line = int(segments.first[i])
        if any(page.tag[r] == CODES["img"] for r in range(before + 1, line)):
            return -1
        if not _button().match(segments.text[i]):
            return i if _may_be_caption(page, segments, i) else -1
        before, i = line, i + 1
    return -1


def _find_above(page: Page, segments: Segments, row: int, frame: int) -> int:
    """The one segment before the picture within its place, if nothing else is there; -1: none."""
    first, end = segments.first.searchsorted([frame, page.end[frame]]).tolist()
    if end - first != 1 or segments.first[first] > row or segments.chars[first] > _SHORT:
        return -1
    pictures = int((page.tag[frame : page.end[frame]] == CODES["img"]).sum())
    is_text = not _button().match(segments.text[first])
    return first if pictures == 1 and is_text and _may_be_caption(page, segments, first) else -1


def _find_after_frame(page: Page, segments: Segments, row: int, frame: int, kept: Bools) -> int:
    """The first segment after the picture's place if it is no body text and looks like a caption:
    by style, or because it is similar to the picture's `alt`; else -1."""
    i = int(segments.first.searchsorted(page.end[frame]))
    if i >= len(segments) or segments.first[i] > page.end[frame] + _CLOSE or kept[i]:
        return -1
    if not _may_be_caption(page, segments, i):
        return -1
    is_styled = _is_styled(page, segments, i) and segments.chars[i] <= _SHORT
    return i if is_styled or _is_like_alt(page, segments, row, i) else -1


def _is_styled(page: Page, segments: Segments, i: int) -> bool:
    """Whether a line begins in small, slanted or bold letters, by its tags."""
    line, block = int(segments.first[i]), int(segments.block[i])
    return any(_STYLED[page.tag[at]] for at in page.ancestors(line) if at > block)


def _is_like_alt(page: Page, segments: Segments, row: int, i: int) -> bool:
    """Whether a line says what the picture's `alt` does."""
    alt = fold(page.attribute(row, "alt") or "")
    return len(alt) > _ALT and similarity(alt, fold(segments.text[i])[: len(alt)]) > _SIMILAR


def _may_be_caption(page: Page, segments: Segments, i: int) -> bool:
    above = islice(page.ancestors(int(segments.first[i])), 4)
    return (
        segments.link_chars[i] < segments.chars[i]
        and segments.chars[i] <= LONGEST_CAPTION
        and not named_author(segments.text[i])
        and not any(HEADINGS[page.tag[at]] for at in above)
    )


# --- captions on a rendered page


def _find_by_layout(
    page: Page, at: Layout, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[list[int], str]:
    """The segments of the caption: by the paper's layouts, then on the picture, then above it."""
    may_be = _candidates(page, at, segments, kept)
    box = (float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row]))
    lines = _segment_boxes(at, segments)
    if found := _find_in_frame(page, at, segments, row, may_be):
        return found, "in one frame"
    places: tuple[tuple[str, Callable[..., Bools]], ...] = (
        ("below, as drawn", _is_below),
        ("on the right", _is_right),
        ("on the picture", _is_on),
        ("above, as drawn", _is_above),
    )
    for rule, test in places:
        near = may_be & test(lines, box, at.font_size[segments.first])
        if rule.startswith("above"):
            near &= (segments.first >= frame) & (segments.first < page.end[frame])
        found = np.flatnonzero(near).tolist()
        free = [i for i in found if not _is_parted(page, at, lines, kept, box, i)]
        if free:
            return [min(free, key=lambda i: abs(float(lines[1][i]) - box[3]))], rule
    return [], ""


def _candidates(page: Page, at: Layout, segments: Segments, kept: Bools) -> Bools:
    """Marks the segments that are not body text, not larger than it, and not all link."""
    sizes, body = at.font_size[segments.first], _body_size(at, segments, kept)
    may_be = ~kept & (sizes <= body + _SAME_SIZE) & (segments.link_chars < segments.chars)
    may_be &= at.visible[segments.first] & (segments.chars <= LONGEST_CAPTION)
    for i in np.flatnonzero(may_be).tolist():
        if _button().match(segments.text[i]) or not _may_be_caption(page, segments, i):
            may_be[i] = False
    return may_be


def _body_size(at: Layout, segments: Segments, kept: Bools) -> float:
    """The font size of most characters of the body text."""
    sizes = at.font_size[segments.first][kept]
    known, which = np.unique(sizes, return_inverse=True)
    return float(known[np.argmax(np.bincount(which, weights=segments.chars[kept]))])


def _segment_boxes(at: Layout, segments: Segments) -> tuple[Floats, Floats, Floats, Floats]:
    """Left, top, right and bottom of each segment."""
    first, last = segments.first, segments.last
    return (
        np.minimum(at.x0[first], at.x0[last]),
        np.minimum(at.y0[first], at.y0[last]),
        np.maximum(at.x1[first], at.x1[last]),
        np.maximum(at.y1[first], at.y1[last]),
    )


def _find_in_frame(
    page: Page, at: Layout, segments: Segments, row: int, may_be: Bools
) -> list[int]:
    """Layout 1: the candidates in the smallest frame around the picture, which has a border on all
    sides or a background of its own and is not much larger than the picture."""
    area = max((at.x1[row] - at.x0[row]) * (at.y1[row] - at.y0[row]), 1.0)
    for above in islice(page.ancestors(row), _LEVELS):
        own = (at.x1[above] - at.x0[above]) * (at.y1[above] - at.y0[above])
        if own > _FRAME * area or page.tag[above] == CODES["body"]:
            return []
        if at.border[above] > 0 or at.background[above] >= 0 or at.background_image[above]:
            inside = (segments.first >= above) & (segments.first < page.end[above])
            return np.flatnonzero(may_be & inside).tolist()
    return []


def _is_below(lines: Boxes, box: Box, size: Floats) -> Bools:
    """Layout 2: below the picture, at most two lines away."""
    gap = lines[1] - box[3]
    beside = (lines[0] < box[2]) & (lines[2] > box[0])
    return beside & (gap > -_TOUCH) & (gap < LINE_SPACES * _LINE * size)


def _is_right(lines: Boxes, box: Box, size: Floats) -> Bools:
    """Layout 3: to the right of the picture, at most two lines away."""
    gap = lines[0] - box[2]
    beside = (lines[1] < box[3]) & (lines[3] > box[1])
    return beside & (gap > -_TOUCH) & (gap < LINE_SPACES * _LINE * size)


def _is_on(lines: Boxes, box: Box, size: Floats) -> Bools:
    inside = (lines[0] >= box[0] - _TOUCH) & (lines[2] <= box[2] + _TOUCH)
    return inside & (lines[1] >= box[1] - _TOUCH) & (lines[3] <= box[3] + _TOUCH)


def _is_above(lines: Boxes, box: Box, size: Floats) -> Bools:
    gap = box[1] - lines[3]
    beside = (lines[0] < box[2]) & (lines[2] > box[0])
    return beside & (gap > -_TOUCH) & (gap < LINE_SPACES * _LINE * size)


def find_literal_caption(page: Page, segments: Segments, row: int, kept: Bools) -> tuple[str, str]:
    """The caption of a drawn picture by the letter of §2.4, and the layout that found it."""
    at = page.layout
    assert at is not None
    may_be = ~kept & at.visible[segments.first] & (segments.link_chars < segments.chars)
    may_be &= at.font_size[segments.first] <= _body_size(at, segments, kept) + _SAME_SIZE
    if found := _find_in_visible_frame(page, at, segments, row, kept, may_be):
        return " ".join(segments.text[i] for i in found), "in one frame"
    box = (float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row]))
    lines, size = _segment_boxes(at, segments), at.font_size[segments.first]
    for rule, test in (("below", _is_below), ("on the right", _is_right)):
        near = np.flatnonzero(may_be & test(lines, box, size)).tolist()
        free = [i for i in near if not _is_parted(page, at, lines, kept, box, i)]
        if free:
            return segments.text[min(free, key=lambda i: abs(float(lines[1][i]) - box[3]))], rule
    return "", ""


def _find_in_visible_frame(
    page: Page, at: Layout, segments: Segments, row: int, kept: Bools, may_be: Bools
) -> list[int]:
    """The candidates in the smallest frame around a picture: an element with a border on all sides
    or a background picture that does not hold the whole text (§2.2.2, §2.4)."""
    for above in page.ancestors(row):
        inside = (segments.first >= above) & (segments.first < page.end[above])
        if not (kept & ~inside).any():
            return []
        if at.border[above] > 0 or at.background_image[above]:
            return np.flatnonzero(may_be & inside).tolist()
    return []


def is_labelled_advertisement(page: Page, segments: Segments, row: int) -> bool:
    """Whether "advertisement" is drawn closely above or below a picture (§2.4)."""
    at = page.layout
    assert at is not None
    box = (float(at.x0[row]), float(at.y0[row]), float(at.x1[row]), float(at.y1[row]))
    lines, size = _segment_boxes(at, segments), at.font_size[segments.first]
    near = at.visible[segments.first] & (_is_below(lines, box, size) | _is_above(lines, box, size))
    return any("advertisement" in segments.text[i].lower() for i in np.flatnonzero(near))


def _is_parted(page: Page, at: Layout, lines: Boxes, kept: Bools, box: Box, i: int) -> bool:
    """Whether a line or body text is drawn between the picture and segment i below it or on its
    right (§2.4)."""
    left, top = float(lines[0][i]), float(lines[1][i])
    rows = np.flatnonzero(_drawn_lines(page))
    rules = at.x0[rows], at.y0[rows], at.x1[rows], at.y1[rows]
    if top > box[3]:
        between = _lie_below(lines, box, top), _lie_below(rules, box, top)
    elif left > box[2]:
        between = _lie_right(lines, box, left), _lie_right(rules, box, left)
    else:
        return False
    return bool((kept & between[0]).any() or between[1].any())


def _lie_below(boxes: Boxes, box: Box, bottom: float) -> Bools:
    """Marks the boxes between the lower edge of a picture and another one below."""
    x0, y0, x1, y1 = boxes
    over = (x0 < box[2]) & (x1 > box[0])
    return over & (y0 >= box[3] - _TOUCH) & (y1 <= bottom + _TOUCH)


def _lie_right(boxes: Boxes, box: Box, right: float) -> Bools:
    """Marks the boxes between the right edge of a picture and another one further right."""
    x0, y0, x1, y1 = boxes
    beside = (y0 < box[3]) & (y1 > box[1])
    return beside & (x0 >= box[2] - _TOUCH) & (x1 <= right + _TOUCH)


@lru_cache(1)  # for all pictures of a page
def _drawn_lines(page: Page) -> Bools:
    """Marks the elements that draw a line: `<hr>`, or a thin or bordered one with nothing in it."""
    at = page.layout
    assert at is not None
    rows = np.arange(len(page))
    empty = (page.end == rows + 1) & (page.tag != TEXT) & ~_PICTURE[page.tag]
    thin = np.minimum(at.x1 - at.x0, at.y1 - at.y0) <= _THIN
    painted = (at.rule > 0) | ((at.background >= 0) & thin)
    found: Bools = (page.tag == CODES["hr"]) | (at.visible & empty & painted)
    return found


# --- text of rows


def _rows_inside(page: Page, rows: list[int]) -> Iterator[int]:
    """The rows below these, but no more than a caption has: pictures may share very many."""
    inside = (range(row, int(page.end[row])) for row in rows)
    return islice(chain.from_iterable(inside), _MOST_ROWS)


def _outermost(page: Page, rows: list[int]) -> list[int]:
    """Those of the rows that are inside no other of them."""
    found: list[int] = []
    for row in sorted(rows):
        if not found or row >= page.end[found[-1]]:
            found.append(row)
    return found


def _read_runs(page: Page, rows: list[int], caption: str) -> Runs:
    """The runs of a caption that has links or marks; else none."""
    inside = range(rows[0], int(page.end[rows[-1]])) if rows else range(0)
    inside = inside[:_MOST_ROWS]
    if not caption or not any(_MARK_OR_LINK_TAGS[page.tag[row]] for row in inside):
        return ()
    styles, letters = [], ""
    for at in _rows_inside(page, rows):
        if own := "".join(page.text[at].split()):
            letters += own
            styles += [_read_style(page, at, rows[0])] * len(own)
    start = letters.find("".join(caption.split()))
    return _group_runs(caption, styles[start:]) if start >= 0 else ()


def _read_style(page: Page, row: int, top: int) -> Style:
    """The marks and the link that the elements around a text row give it."""
    above = list(takewhile(lambda at: at >= top, islice(page.ancestors(row), _LEVELS)))
    marks = frozenset(MARKS[tag] for at in above if (tag := int(page.tag[at])) in MARKS)
    links = (at for at in above if page.tag[at] == CODES["a"])
    hrefs = (link_address(page.base_url, page.attribute(at, "href")) for at in links)
    return marks, next(filter(None, hrefs), None)


def _group_runs(caption: str, styles: list[Style]) -> Runs:
    """The caption as runs of one style each; `styles` has one entry for each of its letters."""
    found: list[tuple[Style, list[str]]] = []
    before, at = _PLAIN, 0
    for sign in caption:
        style = styles[at]
        if sign != " ":
            before, at = style, min(at + 1, len(styles) - 1)
        elif style is not before:  # between two styles a space has what they share
            href = style[1] if style[1] == before[1] else None
            style = style[0] & before[0], href
        if found and found[-1][0] == style:
            found[-1][1].append(sign)
        else:
            found.append((style, [sign]))
    return tuple([Run("".join(signs), *style) for style, signs in found])


def _read_text(page: Page, rows: list[int], without: list[int]) -> str:
    """The text of these rows without some elements inside them."""
    left_out = set(_rows_inside(page, without))
    words, line = "", -1
    for row in _rows_inside(page, rows):
        if page.text[row] and row not in left_out:
            words += page.text[row] if page.breaks[row] == line else f" {page.text[row]}"
            line = int(page.breaks[row])
    return " ".join(words.split())
