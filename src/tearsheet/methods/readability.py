"""Readability: scores by tags, classes, commas and link density.

Arc90 Laboratory: Readability, 2009 (a bookmarklet), as Mozilla's Readability carries it on.

Paragraphs earn points (one, one per comma, one per hundred characters up to three) for the elements
above them; an element begins with points for its tag and its class and loses those of its links.
Siblings of the best element are joined to it, and forms, lists and boxes that look like clutter are
removed. If too little text is left, all of it is done again with looser flags.

Deviations: 1. It runs on the page's table: a paragraph is all text directly in one `p`, `td`,
`pre` or box, so nothing is rewritten into paragraphs first. 2. Conditional cleaning looks at each
element as it stood in the page, not at what earlier cleaning left of it. 3. The words that count
for and against a class are our own list. 4. The clean-up that only matters for showing the result
(styles, presentational attributes, links made absolute) is left to the layout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from tearsheet.features import subtrees
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, HEADINGS, NAMES, mask
from tearsheet.types import Bools, Options, Page, Segments, Verdict

Column = npt.NDArray[np.float64]

SHORTEST_PARAGRAPH: Final = 25
"""Characters below which a paragraph earns nothing."""
ENOUGH_TEXT: Final = 500
"""Characters that make a result good enough."""
LEVELS: Final = 5
"""How far up a paragraph's points go: all of them, half, a sixth, a ninth, …"""
TOP_CANDIDATES: Final = 5
CLOSE_TO_BEST: Final = 0.75
"""Candidates with this share of the best score may elect a common ancestor …"""
SUPPORTERS: Final = 3
"""… if there are this many of them."""
CLASS_WEIGHT: Final = 25.0
SIBLING_SHARE: Final = 0.2
"""Share of the best score from which a sibling is joined; the same class adds as much again."""

_UNLIKELY: Final = re.compile(
    r"-ad-|\bads?\b|advert|agegate|banner|breadcrumb|combx|comment|community|cookie|consent|"
    r"disqus|extra|footer|gdpr|header|legend|masthead|menu|\bnav|newsletter|outbrain|pager|"
    r"pagination|popup|promo|related|remark|rss|share|shoutbox|sidebar|skyscraper|social|"
    r"sponsor|subscribe|supplemental|taboola|toolbar|yom-remote"
)
_MAYBE: Final = re.compile(r"and|article|body|column|content|main|shadow|story|entry|post-text")
_GOOD: Final = re.compile(
    r"article|body|content|entry|hentry|h-entry|main|page|post|story|text|blog|prose"
)
_BAD: Final = re.compile(
    r"-ad-|hidden|banner|combx|comment|com-|contact|foot|masthead|media|meta|modal|outbrain|"
    r"promo|related|scroll|share|shopping|shoutbox|sidebar|skyscraper|sponsor|tags|tool|widget|"
    r"byline|author|dateline|cookie|newsletter"
)
_ROLES: Final = re.compile(
    r' role="(?:menu|menubar|complementary|navigation|alert|alertdialog|dialog|banner|search)"'
)
_NAMES: Final = re.compile(r' (class|id)="([^"]*)"')
_COMMA: Final = re.compile("[,،﹐︐⹁⸴⸲，、]")
_SENTENCE: Final = re.compile(r"[.!?。！？](?:\s|$)")

_TAG_POINTS: Final = np.zeros(len(NAMES))
for _worth, _kinds in (
    (5, "div article main section"),
    (3, "pre td blockquote"),
    (-3, "address ol ul dl dd dt li form"),
    (-5, "h1 h2 h3 h4 h5 h6 th"),
):
    _TAG_POINTS[[CODES[name] for name in _kinds.split()]] = _worth
_PARAGRAPHS: Final = mask("p", "td", "pre", "blockquote")
_BOXES: Final = mask("div", "section", "article", "main", "center", "body", "figure", "details")
_CLEANED: Final = mask("form", "fieldset", "table", "ul", "ol", "dl", "div", "section")
_NEVER: Final = mask("footer", "aside", "nav", "button", "object", "embed", "iframe", "input")
_KEPT_NAMES: Final = mask("html", "body", "a", "article", "main")
_DATA_TABLE: Final = mask("th", "caption", "thead", "tfoot", "colgroup")


@dataclass(frozen=True, slots=True)
class Flags:
    """The steps of an attempt; each retry takes one step less."""

    strip_unlikely: bool
    weigh_classes: bool
    clean: bool


ATTEMPTS: Final = (
    Flags(True, True, True),
    Flags(False, True, True),
    Flags(False, False, True),
    Flags(False, False, False),
)


@dataclass(frozen=True, slots=True, eq=False)
class _ReadabilityColumns:
    """The columns of a page that every attempt needs."""

    page: Page
    segments: Segments
    commas: Column
    weight: Column
    """Points of an element for its class and id."""
    unlikely: Bools


def score(page: Page, segments: Segments, options: Options) -> Verdict:
    """Keeps the best element with its siblings; the longest attempt if none has enough text."""
    sheet = _read_columns(page, segments)
    best: Verdict | None = None
    longest = -1
    for flags in ATTEMPTS:
        verdict = _attempt(sheet, flags)
        length = int(segments.chars[verdict.keep].sum())
        if length > longest:
            best, longest = verdict, length
        if length >= ENOUGH_TEXT:
            break
    assert best is not None
    return best


def _read_columns(page: Page, segments: Segments) -> _ReadabilityColumns:
    weight, unlikely = np.zeros(len(page)), np.zeros(len(page), dtype=np.bool_)
    for row, raw in enumerate(page.attrs):
        if raw and ("class=" in raw or "id=" in raw or "role=" in raw):
            weight[row], unlikely[row] = _judge_names(raw)
    unlikely &= ~_KEPT_NAMES[page.tag] & ~rows_within(page, mask("table", "code", "pre")[page.tag])
    commas = np.array([len(_COMMA.findall(text)) for text in segments.text], dtype=np.float64)
    return _ReadabilityColumns(page, segments, commas, weight, unlikely)


def _judge_names(raw: str) -> tuple[float, bool]:
    """The weight of an element's class and id, and whether they are unlikely ones."""
    raw = raw.lower()
    names = [name for _, name in _NAMES.findall(raw)]
    weight = 0.0
    for name in names:
        weight += CLASS_WEIGHT * (bool(_GOOD.search(name)) - bool(_BAD.search(name)))
    both = " ".join(names)
    unlikely = bool(_UNLIKELY.search(both)) and not _MAYBE.search(both)
    return weight, unlikely or bool(_ROLES.search(raw))


def _attempt(sheet: _ReadabilityColumns, flags: Flags) -> Verdict:
    page, parts = sheet.page, sheet.segments
    dropped = rows_within(page, _NEVER[page.tag])
    if flags.strip_unlikely:
        dropped |= rows_within(page, sheet.unlikely)
    alive = ~dropped[parts.first]
    chars, links = (
        _over_rows(sheet, parts.chars * alive),
        _over_rows(sheet, parts.link_chars * alive),
    )
    density = links / np.maximum(chars, 1)
    points, reached = _points(sheet, alive, flags)
    points = np.where(reached, points * (1 - density), -np.inf)
    if reached.any():
        top = _find_best(page, points)
        chosen = _with_siblings(sheet, top, points, density, chars)
    else:
        chosen = np.array([0])
    if flags.clean:
        dropped = dropped | rows_within(page, _find_clutter(sheet, flags, chars, density))
    inside = np.zeros(len(page), dtype=np.bool_)
    inside[chosen] = True
    keep = (rows_within(page, inside) & ~dropped)[parts.first]
    rows = tuple(int(row) for row in chosen)
    return Verdict(method="readability", score=_segment_scores(sheet, points), keep=keep, rows=rows)


def _over_rows(sheet: _ReadabilityColumns, values: npt.NDArray[np.generic]) -> Column:
    """Sums of a segment's column over every subtree."""
    at_rows = np.bincount(sheet.segments.first, weights=values, minlength=len(sheet.page))
    return subtrees.sums(sheet.page, at_rows)


def _points(sheet: _ReadabilityColumns, alive: Bools, flags: Flags) -> tuple[Column, Bools]:
    """The points of each element before its links count, and which ones have a paragraph."""
    page, parts = sheet.page, sheet.segments
    length = np.bincount(parts.block, weights=parts.chars * alive, minlength=len(page))
    commas = np.bincount(parts.block, weights=sheet.commas * alive, minlength=len(page))
    holds = (_PARAGRAPHS | _BOXES)[page.tag] & (length >= SHORTEST_PARAGRAPH)
    rows = np.flatnonzero(holds)
    earned = 1 + commas[rows] + np.minimum(length[rows] // 100, 3)
    start = _TAG_POINTS[page.tag] + (sheet.weight if flags.weigh_classes else 0.0)
    points, reached = np.zeros(len(page)), np.zeros(len(page), dtype=np.bool_)
    above = np.where(_PARAGRAPHS[page.tag[rows]], page.parent[rows], rows)
    for level in range(LEVELS):
        inside = above >= 0
        np.add.at(points, above[inside], earned[inside] / (1, 2, 6, 9, 12)[level])
        reached[above[inside]] = True
        above = np.where(inside, page.parent[above], -1)
    return points + start, reached


def _find_best(page: Page, points: Column) -> int:
    """The best element, an ancestor that several of the best share, or one that scores better."""
    order = np.argsort(-points, kind="stable")[:TOP_CANDIDATES]
    top = int(order[0])
    close = order[points[order] >= CLOSE_TO_BEST * points[top]]
    for above in page.ancestors(top):
        if NAMES[page.tag[above]] in ("body", "html"):
            break
        held = np.count_nonzero((close > above) & (close < page.end[above]))
        if held >= SUPPORTERS:
            return above
    return _climb(page, points, top)


def _climb(page: Page, points: Column, top: int) -> int:
    """The closest ancestor with more points than the element below it; the element itself if points
    fall too low on the way."""
    last, least = points[top], points[top] / 3
    for above in page.ancestors(top):
        if NAMES[page.tag[above]] in ("body", "html") or points[above] < least:
            break
        if points[above] > last:
            top = above
            break
        last = points[above]
    return top


def _with_siblings(
    sheet: _ReadabilityColumns, top: int, points: Column, density: Column, chars: Column
) -> npt.NDArray[np.intp]:
    """The best element and those of its siblings that belong to it."""
    page = sheet.page
    if page.parent[top] < 0:
        return np.array([top])
    siblings = np.flatnonzero((page.parent == page.parent[top]) & (page.tag > 0))
    share = max(points[top], 0.0) * SIBLING_SHARE
    same = page.attribute(top, "class")
    alike = np.array([bool(same) and page.attribute(int(s), "class") == same for s in siblings])
    joined = points[siblings] + alike * share >= max(10.0, share)
    is_text = (mask("p") | HEADINGS)[page.tag[siblings]]
    length, links = chars[siblings], density[siblings]
    joined |= is_text & (length > 80) & (links < 0.25)
    for i in np.flatnonzero(is_text & (length > 0) & (length <= 80) & (links == 0)):
        joined[i] |= bool(_SENTENCE.search(page.inner_text(int(siblings[i]))))
    return np.asarray(siblings[joined | (siblings == top)])


def _find_clutter(
    sheet: _ReadabilityColumns, flags: Flags, chars: Column, density: Column
) -> Bools:
    """The forms, lists, tables and boxes that conditional cleaning removes."""
    page = sheet.page

    def count(*names: str) -> Column:
        return subtrees.sums(page, mask(*names)[page.tag])

    weight = sheet.weight if flags.weigh_classes else np.zeros(len(page))
    commas = _over_rows(sheet, sheet.commas)
    paragraphs, images, items = count("p"), count("img"), count("li") - 100
    inputs, embeds = count("input", "select", "textarea"), count("embed", "object", "iframe")
    headings = _over_rows(sheet, sheet.segments.chars * HEADINGS[page.tag[sheet.segments.block]])
    is_list = mask("ul", "ol", "dl")[page.tag]
    in_figure = rows_within(page, mask("figure")[page.tag])
    poor = (images > 1) & (paragraphs / np.maximum(images, 1) < 0.5) & ~in_figure
    poor |= ~is_list & (items > paragraphs)
    poor |= inputs > np.floor(paragraphs / 3)
    poor |= ~is_list & ~in_figure & (headings < 0.9 * chars) & (chars < 25) & (images != 1)
    poor |= ~is_list & (weight < CLASS_WEIGHT) & (density > 0.2)
    poor |= (weight >= CLASS_WEIGHT) & (density > 0.5)
    poor |= (embeds == 1) & (chars < 75) | (embeds > 1)
    is_data = mask("table")[page.tag] & (subtrees.sums(page, _DATA_TABLE[page.tag]) > 0)
    kept = is_data | rows_within(page, is_data | mask("code")[page.tag])
    return _CLEANED[page.tag] & ~kept & ((weight < 0) | ((commas < 10) & poor))


def _segment_scores(sheet: _ReadabilityColumns, points: Column) -> npt.NDArray[np.float32]:
    """A segment has the points of the closest element above it that has any."""
    near = subtrees.nearest(sheet.page, np.isfinite(points))[sheet.segments.first]
    return np.where(near >= 0, points[near], 0.0).astype(np.float32)
