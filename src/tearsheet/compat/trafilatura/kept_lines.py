"""Which lines of a page are its text and which are comments, where trafilatura's callers expect
another answer than the engine's."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np

from tearsheet.components._dates import read_date
from tearsheet.segments import find_texts, rows_within
from tearsheet.tags import CODES, mask
from tearsheet.types import Bools, Clipping, Page

_SNIPPET: Final = 100
"""Words of a page that is too small for an engine that has learned from whole pages."""
_OUTSIDE: Final = mask(*"nav aside footer form button header".split())
_SPANS: Final = mask("li", "td", "th", "p", "div", "section", "article", "main", "blockquote")
_LONGEST_DATE: Final = 30
_FEW_LINKS: Final = 0.8
"""Share of a snippet's characters that links may be."""
_BOXES: Final = mask("div", "section", "aside", "details", "ol", "ul")
_LISTINGS: Final = mask("pre", "table", "code")
_COMMENT_NAMES: Final = ("comment",)
_COMMENT_BOX: Final = re.compile(
    r' (?:id|class)="(?:[^"]*\s)?'
    r'(?:comments|comments?-?list|comments?-(?:area|section|thread|wrapper|container))(?:\s[^"]*)?"'
)
_FORUM: Final = "DiscussionForumPosting"


def split_comments(clipping: Clipping, kind: str | None) -> tuple[Clipping, tuple[str, ...]]:
    """The clipping without the lines of boxes that the page calls comments, and those lines; a
    forum's posts are its text."""
    page, verdict = clipping.page, clipping.verdict
    if kind == "forum" or any(_FORUM in text for _, text in page.scripts):
        return clipping, ()
    inside = rows_within(page, _find_comment_boxes(page))[clipping.segments.first]
    keep = verdict.keep & ~inside
    if not inside.any() or not keep.any():
        return clipping, ()
    lines = tuple(clipping.segments.text[i] for i in np.flatnonzero(inside).tolist())
    return replace(clipping, verdict=replace(verdict, keep=keep)), lines


def _find_comment_boxes(page: Page) -> Bools:
    attrs = page.all_attrs
    named = [i for i in find_texts(attrs, _COMMENT_NAMES) if _COMMENT_BOX.search(attrs[i])]
    found: Bools = np.isin(page.attrs_at, named) & _BOXES[page.tag]
    return found & ~rows_within(page, _LISTINGS[page.tag])


def drop_link_lines(clipping: Clipping) -> Clipping:
    """The clipping without paragraphs that are nothing but a link, for precision."""
    page, parts, verdict = clipping.page, clipping.segments, clipping.verdict
    is_link = np.zeros(len(parts), dtype=np.bool_)
    for i in np.flatnonzero(verdict.keep & (page.tag[parts.block] == CODES["p"])).tolist():
        above = page.ancestors(int(parts.first[i]))
        row = next((up for up in above if page.tag[up] == CODES["a"]), -1)
        is_link[i] = row >= 0 and row <= parts.first[i] and parts.last[i] < page.end[row]
    if not is_link.any():
        return clipping
    return replace(clipping, verdict=replace(verdict, keep=verdict.keep & ~is_link))


def keep_snippet(clipping: Clipping) -> Clipping:
    """The clipping of a page of a few lines with all of them that are no frame around a text."""
    page, parts, verdict = clipping.page, clipping.segments, clipping.verdict
    if int(parts.words.sum()) > _SNIPPET or verdict.extra_text or not verdict.keep.any():
        return clipping
    outside = rows_within(page, _OUTSIDE[page.tag])[parts.first]
    spans = _SPANS[page.tag[parts.block]]
    dates = [len(text) <= _LONGEST_DATE and bool(read_date(text)) for text in parts.text]
    may_be = ~outside & ~parts.hidden & spans & ~np.array(dates, dtype=np.bool_)
    if parts.link_chars[may_be].sum() > _FEW_LINKS * max(int(parts.chars[may_be].sum()), 1):
        return clipping
    keep = verdict.keep | may_be
    return replace(clipping, verdict=replace(verdict, keep=keep))
