"""The columns from learned words: of classes and ids around a segment, and of its own text; and
what a page says of itself, for its type.

Each group of columns has its names, and below them what fills its part of the table.
`vocabulary.pxd` gives the loops machine types.
"""

from __future__ import annotations

import re
from math import log1p
from typing import Any, Final

import numpy as np

from tearsheet.features.containers import Containers, attribute, ints
from tearsheet.features.words import Words, fill_named, fill_said, name_words
from tearsheet.json_ld import scan_types
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Floats, Page, Segments
from tearsheet.views import view

_LETTERS: Final = re.compile(r"[a-z]{2,}")
_TOKENS: Final = re.compile(r"\w+")
_BODIES: Final = tuple(CODES[name] for name in ("body", "main", "article"))
CHIEF: Final = mask("h1", "h2")
_SMALL = 1 << 10
_LOG1P = np.array([log1p(count) for count in range(_SMALL)]).data


def page_tokens(page: Page) -> list[str]:
    """What a page says of itself: words of its address, `og:type`, JSON-LD types, body classes."""
    path = (page.url or "").partition("//")[2].partition("/")[2].lower()
    tokens = ["url:" + word for word in _LETTERS.findall(path)[:12]]
    tokens.append(f"depth:{min(path.strip('/').count('/') + (path.strip('/') != ''), 5)}")
    tokens += ("digits",) if any(sign.isdigit() for sign in path) else ()
    for row in page.rows(CODES["meta"]):
        if '="og:type"' in page.attrs[row]:
            tokens.append("og:" + attribute(page.attrs[row], ' content="').lower())
    tokens += ("ld:" + name for name in scan_types(page.scripts))
    for row in page.rows(*_BODIES)[:4]:
        tokens += ("body:" + word for word in name_words(attribute(page.attrs[row], ' class="')))
    return sorted(set(tokens))


def lexical(
    page: Page,
    segments: Segments,
    around: Containers,
    names: Words,
    texts: Words,
    out: Floats | None = None,
) -> Floats:
    """The columns from learned words, of classes and ids around a segment and of its own text: a
    row for each name in `LEXICAL`; in `out` where that is given, which is zero before."""
    table = out if out is not None else np.zeros((len(LEXICAL), len(segments)), np.float32)
    ends = np.cumsum([len(_NAMED), len(_SAID), len(_ABOVE)])
    named, said, above, weighed = np.split(table, ends)
    weights = np.zeros((3, len(segments)), np.float32)
    _named(named, weighed, page, segments, around, names)
    fill_said(view(said), view(weights), segments, texts, title_words(page))
    _above(above, said, page, segments, around)
    _weighed(weighed, weights, page, segments, around)
    return table


_NAMED: Final = (
    "names_sum", "names_worst", "names_best",
    "names_0", "names_1", "names_2", "names_3", "names_4", "names_5",
)  # fmt: skip


def _named(
    out: Floats, weighed: Floats, page: Page, segments: Segments, around: Containers, names: Words
) -> None:
    """What the elements around a segment are called: the sum, the worst and the best of all, and
    the sum of those that make up each container. In `weighed` what all of the names weigh, and
    those of the innermost element that has any."""
    called, counts = np.zeros((4, len(around.attrs))), np.zeros(len(around.attrs), np.int32)
    fill_named(view(called), view(counts), around.attrs, names)
    down = np.zeros((5, len(page)))
    parent = ints(page.parent)
    _inherit(view(down), parent, view(around.rows), view(around.called), view(called), view(counts))
    _fill_named(
        view(out), view(weighed), view(down), parent, ints(segments.first), view(around.bottom),
        view(around.top),
    )  # fmt: skip


def _inherit(down: Any, parent: Any, rows: Any, called: Any, values: Any, counts: Any) -> None:
    """For each row, on its way up to the root: the sum, the lowest and the highest effect of a
    name, what all names weigh, and those of the innermost element that has any."""
    at, size = 0, rows.shape[0]
    for row in range(parent.shape[0]):
        above = parent[row]
        if above >= 0:
            for i in range(5):
                down[i, row] = down[i, above]
        if at < size and rows[at] == row:
            number = called[at]
            low, high = values[0, number], values[1, number]
            down[0, row] += low + high
            down[1, row] = min(down[1, row], low)
            down[2, row] = max(down[2, row], high)
            if counts[number]:
                down[3, row] += values[2, number]
                down[4, row] = values[3, number]
            at += 1


def _fill_named(
    out: Any, weighed: Any, down: Any, parent: Any, first: Any, bottom: Any, top: Any
) -> None:
    for i in range(first.shape[0]):
        row = first[i]
        out[0, i], out[1, i], out[2, i] = down[0, row], down[1, row], down[2, row]
        weighed[1, i], weighed[2, i] = down[3, row], down[4, row]
        for level in range(top.shape[0]):
            above = parent[top[level, i]]
            out[3 + level, i] = down[0, bottom[level, i]] - (down[0, above] if above >= 0 else 0.0)


def title_words(page: Page) -> list[str]:
    """The different words of the page's `<title>`."""
    rows = page.rows(CODES["title"])[:1]
    text = " ".join("".join(page.text[row : page.end[row]]) for row in rows)
    return list(dict.fromkeys(_TOKENS.findall(text.lower())))


_SAID: Final = ("said_whole", "said_worst", "said_best", "said_mean", "titled", "title_said")
_ABOVE: Final = (
    "since_head", "said_whole_head",
    "said_whole_first_1", "said_whole_first_2", "said_whole_first_3", "said_whole_first_4",
    "said_mean_head",
    "said_mean_first_1", "said_mean_first_2", "said_mean_first_3", "said_mean_first_4",
    "head_tag", "said_mean_chief", "said_whole_chief", "since_chief",
)  # fmt: skip
_WEIGHED: Final = (
    "weighed", "weighed_names", "weighed_own", "weighed_said", "weighed_head", "weighed_first",
)  # fmt: skip
LEXICAL: Final = (*_NAMED, *_SAID, *_ABOVE, *_WEIGHED)
"""The names of the columns."""


def _above(out: Floats, said: Floats, page: Page, segments: Segments, around: Containers) -> None:
    """What the heading before a segment says, and the first line of each container around it:
    "Related stories" speaks of all that follows."""
    tag = page.tag.take(segments.block)
    whole, mean = view(said[_SAID.index("said_whole")]), view(said[_SAID.index("said_mean")])
    heads, chiefs = view(HEADINGS[tag].view(np.uint8)), view(CHIEF[tag].view(np.uint8))
    _fill_above(view(out), whole, mean, view(tag), heads, chiefs)
    first = around.low.take(around.each).take(around.number[1:5])
    out[2:6] = said[_SAID.index("said_whole")].take(first)
    out[7:11] = said[_SAID.index("said_mean")].take(first)


def _fill_above(out: Any, whole: Any, mean: Any, tag: Any, heads: Any, chiefs: Any) -> None:
    head = chief = -1
    for i in range(tag.shape[0]):
        out[0, i] = _LOG1P[i - head] if i - head < _SMALL else log1p(i - head)
        out[14, i] = _LOG1P[i - chief] if i - chief < _SMALL else log1p(i - chief)
        if head >= 0:
            out[1, i], out[6, i], out[11, i] = whole[head], mean[head], tag[head]
        if chief >= 0:
            out[12, i], out[13, i] = mean[chief], whole[chief]
        if heads[i]:
            head = i
        if chiefs[i]:
            chief = i


def _weighed(
    out: Floats, weights: Floats, page: Page, segments: Segments, around: Containers
) -> None:
    """What all words around and in a segment weigh together, and each kind of them: names, those
    of the innermost element, the words of the text, of the heading above, and of the first lines
    of the containers."""
    heads = HEADINGS[page.tag.take(segments.block)].view(np.uint8)
    first = around.low.take(around.each).take(around.number[1:5])
    _fill_weighed(view(out), view(weights), view(heads), ints(first))


def _fill_weighed(out: Any, weights: Any, heads: Any, first: Any) -> None:
    head = -1
    for i in range(heads.shape[0]):
        out[3, i] = weights[0, i]
        if head >= 0:
            out[4, i] = weights[1, head]
        for level in range(first.shape[0]):
            if first[level, i] != i:
                out[5, i] += weights[2, first[level, i]]
        out[0, i] = out[1, i] + out[2, i] + out[3, i] + out[4, i] + out[5, i]
        if heads[i]:
            head = i
