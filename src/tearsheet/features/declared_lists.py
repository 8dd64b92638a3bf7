"""Lists that a page declares as data: the ingredients and steps of a recipe, the tools of a guide.

Their lines are short and look like a menu, so methods drop some of them. But the page says in its
JSON-LD or microdata that they are content: a list of which most is shown is kept whole.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from tearsheet import json_ld
from tearsheet.segments import find_texts
from tearsheet.tags import HEADINGS
from tearsheet.types import Bools, Page, Segments
from tearsheet.writing import unescape

_NAMES: Final = (
    "recipeIngredient", "ingredients", "recipeInstructions", "step", "steps", "supply", "tool",
    "featureList", "positiveNotes", "negativeNotes",
)  # fmt: skip
"""Properties of schema.org whose values are lists for readers."""
_TEXTS: Final = ("text", "name", "itemListElement", "step", "steps")
"""Where an item has its text, and where groups have their items."""
_ITEM_PROPERTY: Final = re.compile(r' itemprop="(?:recipeIngredient|ingredients|tool|supply)"')
_MARKUP: Final = re.compile(r"<[^<>]*>")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n+")
_FEWEST: Final = 2
"""Items of a list."""
_SHOWN_SHARE: Final = 0.5
"""Share of a list's items that the page must show for the list to be kept whole."""
_SHORTEST: Final = 3
"""How many letters and digits identify an item."""
_MOST_ITEMS: Final = 500
_MOST_PLACES: Final = 50
_LONGEST_LABEL: Final = 12
"""Words of a line between two items, such as "For the sauce"."""


def keep_declared_lists(page: Page, segments: Segments, keep: Bools) -> Bools:
    """The selection, plus the missing items of every declared list that is mostly shown."""
    found = keep.copy()
    lists = list(_read_lists(page))
    if lists:
        shown = _ShownText(segments)
        for items in lists:
            _keep_list(page, segments, shown, items, found)
    rows = _find_item_rows(page)
    for row in rows if len(rows) >= _FEWEST else ():
        low, high = segments.first.searchsorted((row, page.end[row]))
        found[low:high] |= ~segments.hidden[low:high]
    return found


def _find_item_rows(page: Page) -> list[int]:
    """The rows that microdata calls an item of such a list."""
    attrs = page.all_attrs
    items = [i for i in find_texts(attrs, (" itemprop=",)) if _ITEM_PROPERTY.search(attrs[i])]
    return page.rows_with(items)


def _read_lists(page: Page) -> Iterator[list[str]]:
    """The lists in the page's JSON-LD, each as the letters of its items."""
    for value in json_ld.read_values(page.scripts, *_NAMES):
        texts = list(read_items(value))
        keys = [key for text in texts[:_MOST_ITEMS] if len(key := fold_item(text)) >= _SHORTEST]
        if len(keys) >= _FEWEST:
            yield list(dict.fromkeys(keys))


def read_items(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts of a list's items. One long text is as many items as it has sentences."""
    if isinstance(value, str):
        plain = _MARKUP.sub("\n" if depth == 0 else " ", unescape(value))
        yield from _SENTENCE.split(plain) if depth == 0 else (plain,)
    elif isinstance(value, list) and depth < json_ld.DEEPEST:
        for part in value:
            yield from read_items(part, depth + 1)
    elif isinstance(value, dict) and depth < json_ld.DEEPEST:
        named = next((value[name] for name in ("itemListElement", *_TEXTS) if value.get(name)), "")
        yield from read_items(named, depth + 1)


def fold_item(text: str) -> str:
    """The letters and digits of a text: boxes, bullets and white space do not matter.

    >>> fold_item("▢ 1½ cups Sugar") == fold_item("1 1/2 cups sugar")
    True
    """
    plain = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in plain.casefold() if sign.isalnum())


class _ShownText:
    """The letters of all segments in a row, so that an item is found over several of them."""

    def __init__(self, segments: Segments) -> None:
        keys = [fold_item(text) for text in segments.text]
        self.text = "".join(keys)
        self.ends = list(accumulate(map(len, keys)))
        self.starts = [0, *self.ends[:-1]]

    def find_item(self, key: str) -> Iterator[range]:
        """The runs of segments that are this item and nothing else."""
        at = self.text.find(key)
        for _ in range(_MOST_PLACES):
            if at < 0:
                return
            first = bisect_right(self.starts, at) - 1
            last = bisect_left(self.ends, at + len(key))
            if self.starts[first] == at and self.ends[last] == at + len(key):
                yield range(self._skip_signs(first), last + 1)
            at = self.text.find(key, at + 1)

    def _skip_signs(self, first: int) -> int:
        while self.starts[first] == self.ends[first]:
            first += 1
        return first


def _keep_list(
    page: Page, segments: Segments, shown: _ShownText, items: list[str], keep: Bools
) -> None:
    """Keeps the items of a list, and the short lines between them."""
    places = [list(shown.find_item(key)) for key in items]
    if sum(map(bool, places)) < max(_FEWEST, _SHOWN_SHARE * len(items)):
        return
    middle = _find_middle(places)
    lines: set[int] = set()
    for found in places:
        nearest = sorted(found, key=lambda place: abs(place.start - middle))
        lines.update(*nearest[:1])
    chosen = sorted(lines)
    keep[chosen] = True
    for before, after in pairwise(chosen):
        between = slice(before + 1, after)
        if after - before <= _FEWEST + 1 and _are_labels(segments, between):
            keep[between] = True
    first = chosen[0] - 1
    if first >= 0 and HEADINGS[page.tag[segments.block[first]]]:
        keep[first] = True


def _find_middle(places: Iterable[list[range]]) -> float:
    """Where the list is: the middle of the items that are shown once, else of all."""
    known = list(filter(None, places))
    once = [found[0].start for found in known if len(found) == 1]
    return float(np.median(once or [place.start for found in known for place in found]))


def _are_labels(segments: Segments, lines: slice) -> bool:
    short = segments.words[lines] <= _LONGEST_LABEL
    return bool((short & (2 * segments.link_chars[lines] < segments.chars[lines])).all())
