"""Page, Segments → the same without what a page itself calls its furniture: navigation, its own
header and footer, dialogs, cookie banners.

A third of all segments stand there, and one word in a thousand of the truth. The default engine
looks at the rest, as if they were not there: it is faster, and a further menu changes nothing.
"""

from __future__ import annotations

import re
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tearsheet.tags import CODES, mask
from tearsheet.types import Bools, Ints, Page, Segments

_NAV, _HEADER, _FOOTER, _H1 = (CODES[name] for name in ("nav", "header", "footer", "h1"))
_ROLE: Final = re.compile(
    r' role="(?:navigation|menu|menubar|search|contentinfo|banner|dialog|alertdialog)"'
)
_COOKIES: Final = re.compile(r' (?:id|class)="[^"]*(?:cookie|consent)', re.I)
_PARTS: Final = mask("main", "article", "section", "blockquote", "figure")
"""What stands within these, but for `<nav>`, may be a part of the text."""
_TOPS: Final = mask("html", "body", "main", "article")


class Rest(NamedTuple):
    """What is left of a page, as a page of its own."""

    page: Page
    segments: Segments
    stays: Bools
    """For each segment of the whole page: whether it is left."""

    def among_all(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A column of what is left as one of the whole page, with zeros for the rest."""
        if len(column) == len(self.stays):
            return column
        whole = np.zeros(len(self.stays), dtype=column.dtype)
        whole[self.stays] = column
        return whole

    def place(self, i: int) -> int:
        """Where a segment of the whole page stands in what is left; -1: nowhere."""
        return int(np.count_nonzero(self.stays[:i])) if self.stays[i] else -1


def set_aside(page: Page, segments: Segments) -> Rest:
    """The page and its segments without its furniture. What holds most of the text is none, and
    where nothing else is left, all of it stays."""
    gone = np.zeros(len(page) + 1, dtype=np.bool_)
    before = np.concatenate(([0], np.cumsum(segments.words)))
    over = 0
    for row in _called_so(page.tag.data, page.attrs):
        stop = int(page.end[row])
        low, high = np.searchsorted(segments.first, (row, stop))
        if row < over or 2 * (before[high] - before[low]) > before[-1] or _is_text(page, row):
            continue
        gone[row:stop] = True
        over = stop
    rest = _without(page, segments, gone[:-1]) if over else None
    if rest and len(rest.segments):
        return rest
    return Rest(page, segments, np.ones(len(segments), dtype=np.bool_))


def _called_so(tag: Any, attrs: list[str]) -> list[int]:
    """The rows that are furniture by their tag or attributes; like attributes are asked once."""
    known: dict[str, bool] = {"": False}
    rows: list[int] = []
    nav, header, footer = _NAV, _HEADER, _FOOTER
    for row in range(len(attrs)):
        raw = attrs[row]
        found = known.get(raw)
        if found is None:
            found = known[raw] = _is_furniture(raw)
        code = tag[row]
        if found or code in (nav, header, footer):
            rows.append(row)
    return rows


def _is_furniture(attrs: str) -> bool:
    if ' role="' in attrs and _ROLE.search(attrs):
        return True
    return ("ookie" in attrs or "onsent" in attrs) and _COOKIES.search(attrs) is not None


def _is_text(page: Page, row: int) -> bool:
    """Whether an element is the page itself, or may be a part of its text."""
    tag = page.tag
    if tag[row] == _NAV:
        return False
    if tag[row] == _HEADER and (tag[row : page.end[row]] == _H1).any():
        return True
    return bool(_TOPS[tag[row]]) or any(_PARTS[tag[above]] for above in page.ancestors(row))


def _without(page: Page, segments: Segments, gone: Bools) -> Rest:
    """The page without some of its subtrees; rows are numbered anew."""
    stays = ~gone
    kept = np.flatnonzero(stays)
    number = np.concatenate(([0], np.cumsum(stays, dtype=np.int32)))
    chosen = stays.tobytes()
    parent = page.parent[kept]
    rest = Page(
        tag=page.tag[kept],
        parent=np.where(parent < 0, -1, number[parent]),
        end=number[page.end[kept]],
        depth=page.depth[kept],
        text=list(compress(page.text, chosen)),
        attrs=list(compress(page.attrs, chosen)),
        breaks=page.breaks[kept],
        names={},
        scripts=page.scripts,
        url=page.url,
        base_url=page.base_url,
    )
    left = stays[segments.first]
    return Rest(rest, _some(segments, left, number), left)


def _some(segments: Segments, left: Bools, number: Ints) -> Segments:
    """Some of the segments, in rows that are numbered anew."""
    places = np.flatnonzero(left)
    return Segments(
        first=number[segments.first[places]],
        last=number[segments.last[places] + 1] - 1,
        block=number[segments.block[places]],
        text=list(compress(segments.text, left.tobytes())),
        chars=segments.chars[places],
        words=segments.words[places],
        link_chars=segments.link_chars[places],
        hidden=segments.hidden[places],
    )
