"""Rendered Snapshot → Page with Layout.

`DOMSnapshot.captureSnapshot` returns parallel arrays in document order, with numbers in place of
strings. So almost everything here works on arrays, and each distinct style value is read once.

The rows are the same as those the parser makes of this document. Left out are scripts, styles,
templates, comments, generated content (`::before`, `::marker`) and the documents of frames. Shadow
trees stand where they are drawn. If an image shows another file than its `src`, the row gets an
attribute of our own, `currentsrc`, with the address of that file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tearsheet import limits
from tearsheet.addresses import drop_password, join_address
from tearsheet.page.columns import number_texts
from tearsheet.page.parsed import freeze
from tearsheet.tags import BREAKS, CODES, OTHER, TEXT, mask
from tearsheet.types import Bools, Floats, Ints, Layout, Page, Snapshot
from tearsheet.writing import drop_controls, drop_widthless

Columns: TypeAlias = npt.NDArray[np.int64]

STYLES: Final = (
    "display", "visibility", "opacity", "position", "font-size", "font-weight", "color",
    "background-color", "background-image", "text-align", "overflow-x", "overflow-y",
    "border-top-width", "border-right-width", "border-bottom-width", "border-left-width",
    "border-top-color", "border-right-color", "border-bottom-color", "border-left-color",
)  # fmt: skip
"""The computed styles that a snapshot must contain, in this order."""

_ELEMENT, _TEXT_NODE = 1, 3  # DOM: Node.nodeType
_DROPPED: Final = mask("script", "style", "template")
# Browsers draw these in the line, but the parser ends a line at them, and so do we.
_REPLACED: Final = mask("iframe", "object", "video", "audio", "canvas", "br", "noscript")
_DRAWING: Final = mask("svg", "math")
_TINY: Final = 1.5
"""CSS pixels; a smaller box that clips its content hides it ("for screen readers only")."""
_LEAST_VISIBLE: Final = 0.3
"""Share of the drawn characters; a page that shows less is waiting for a script."""

_DISPLAY_NONE, _INLINE, _INLINE_BLOCK, _BLOCK = range(4)
_DISPLAYS: Final = {
    "none": _DISPLAY_NONE, "inline": _INLINE, "contents": _INLINE, "math": _INLINE,
}  # fmt: skip
_ALIGNS: Final = {"center": 1, "-webkit-center": 1, "right": 2, "end": 2, "-webkit-right": 2,
                  "justify": 3}  # fmt: skip
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\xa0": "&nbsp;"}
)
_NUMBERS: Final = re.compile(r"-?[\d.]+(?:e-?\d+)?")


def page(snapshot: Snapshot, *, max_nodes: int = limits.PAGE_NODES) -> Page:
    """The page as a table, with its layout."""
    assert snapshot.rendered is not None
    strings: list[str] = snapshot.rendered["strings"]
    document: Mapping[str, Any] = snapshot.rendered["documents"][0]
    nodes = document["nodes"]
    url = drop_password(snapshot.final_url or snapshot.url or "") or None
    count = len(nodes["parentIndex"])
    limits.check_nodes(count, max_nodes)

    kind = np.array(nodes["nodeType"], dtype=np.int64)
    tag = _tags(nodes, strings, kind)
    parent = np.array(nodes["parentIndex"], dtype=np.int64)
    at, starts = _choose_nodes(nodes, kind, tag, parent)
    first = at[starts]  # the first node of each row; adjacent text nodes share a row
    row = np.full(count + 1, -1, dtype=np.int64)
    row[first] = np.arange(len(first))
    parents = row[parent[first]].astype(np.int32)
    depth = _depth(parents)
    end = _end(parents)
    tag = tag[first]
    texts = _texts(nodes, strings, kind, at, starts)
    layout = _layout(document, strings, at, starts, snapshot.size, (parents, end, tag), texts)
    attrs = _attributes(document, strings, first, url)
    attrs_at, all_attrs = number_texts(attrs, [row for row, raw in enumerate(attrs) if raw])
    found = Page(
        tag=tag, parent=parents, end=end, depth=depth,
        text=texts,
        attrs=attrs, attrs_at=attrs_at, all_attrs=all_attrs,
        breaks=_breaks(tag, parents, end, layout.display),
        names={int(i): _name(strings[nodes["nodeName"][first[i]]])
               for i in np.flatnonzero(tag == OTHER)},
        scripts=_data_scripts(nodes, strings, kind, parent),
        url=url, base_url=url, layout=layout,
    )  # fmt: skip
    return freeze(found)


def _tags(nodes: Mapping[str, Any], strings: Sequence[str], kind: Columns) -> npt.NDArray[np.uint8]:
    """The code of each node's name; TEXT for everything that is not an element."""
    names = np.array(nodes["nodeName"], dtype=np.int64)
    distinct, which = np.unique(names, return_inverse=True)
    codes = [CODES.get(strings[name].lower(), OTHER) for name in distinct.tolist()]
    tag = np.array(codes, dtype=np.uint8)[which]
    tag[kind != _ELEMENT] = TEXT
    return tag


def _choose_nodes(
    nodes: Mapping[str, Any], kind: Columns, tag: npt.NDArray[np.uint8], parent: Columns
) -> tuple[Columns, Columns]:
    """The nodes that belong to the table, and which of them begin a row."""
    dropped = _DROPPED[tag]
    dropped[nodes["pseudoType"]["index"]] = True
    dropped = _spread_down(dropped, parent)
    at = np.flatnonzero(~dropped & ((kind == _ELEMENT) | (kind == _TEXT_NODE)))
    is_text = kind[at] == _TEXT_NODE
    joined = np.zeros(len(at), dtype=np.bool_)
    joined[1:] = is_text[1:] & is_text[:-1] & (parent[at[1:]] == parent[at[:-1]])
    return at, np.flatnonzero(~joined)


def _spread_down(mark: Bools, parent: Columns | Ints) -> Bools:
    """True for the marked nodes and everything below them."""
    found = np.append(mark, False)  # the last one is for parent -1
    up = np.append(parent, -1)
    while True:  # each round doubles the step: log(depth) rounds
        further = found | found[up]
        up = up[up]
        if np.array_equal(further, found) and (up < 0).all():
            return found[:-1]
        found = further


def _depth(parent: Ints) -> Ints:
    """How many ancestors each row has."""
    depth = np.append(parent >= 0, False).astype(np.int32)
    up = np.append(parent, -1)
    while (up >= 0).any():
        depth = depth + depth[up]
        up = up[up]
    return depth[:-1]


def _end(parent: Ints) -> Ints:
    """For each row, the row behind its subtree: its next sibling, or that of an ancestor."""
    count = len(parent)
    order = np.argsort(parent, kind="stable")
    following = np.full(count + 1, -1, dtype=np.int32)
    same = parent[order[1:]] == parent[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    following[-1] = count
    up = np.append(parent, -1)
    while (missing := following < 0).any():
        following = np.where(missing, following[up], following)
        up = np.where(missing, up[up], up)
    return following[:-1]


def _texts(
    nodes: Mapping[str, Any], strings: Sequence[str], kind: Columns, at: Columns, starts: Columns
) -> list[str]:
    """The text of each row; empty for elements."""
    values = nodes["nodeValue"]
    text = [""] * len(starts)
    rows = np.cumsum(np.bincount(starts, minlength=len(at)).astype(bool)) - 1
    texts = np.flatnonzero(kind[at] == _TEXT_NODE)
    for row, node in zip(rows[texts].tolist(), at[texts].tolist(), strict=True):
        value = values[node]
        if value >= 0:
            piece = drop_widthless(strings[value])
            text[row] = text[row] + piece if text[row] else piece
    return text


def _name(name: str) -> str:
    """The name as HTML writes it; the browser gives the names of HTML elements in capitals."""
    return name.lower() if name.isupper() else name


def _attributes(
    document: Mapping[str, Any], strings: Sequence[str], first: Columns, url: str | None
) -> list[str]:
    """The attributes of each row as HTML; the number -1 stands for an empty string."""
    attributes = document["nodes"]["attributes"]
    escaped: dict[int, str] = {-1: ""}
    written = [""] * len(first)
    for row, node in enumerate(first.tolist()):
        pairs = attributes[node]
        if not pairs:
            continue
        parts = []
        for name, value in zip(pairs[::2], pairs[1::2], strict=True):
            if value not in escaped:
                escaped[value] = drop_controls(strings[value]).translate(_ESCAPES)
            parts.append(f' {strings[name]}="{escaped[value]}"')
        written[row] = "".join(parts)
    _add_current_sources(written, document, strings, first, url)
    return written


def _add_current_sources(
    written: list[str],
    document: Mapping[str, Any],
    strings: Sequence[str],
    first: Columns,
    url: str | None,
) -> None:
    """Adds `currentsrc` to images that show another file than their `src`."""
    base = strings[document["baseURL"]]
    shown = document["nodes"]["currentSourceURL"]
    rows = np.searchsorted(first, shown["index"]).tolist()
    for row, node, value in zip(rows, shown["index"], shown["value"], strict=True):
        if row >= len(first) or first[row] != node or value < 0:
            continue
        source = re.search(r' src="([^"]*)"', written[row])
        escaped = strings[value].translate(_ESCAPES)
        if source is None or join_address(base, source[1]) != escaped:
            relative = escaped if url else escaped.removeprefix(base)
            written[row] += f' currentsrc="{relative}"'


def _data_scripts(
    nodes: Mapping[str, Any], strings: Sequence[str], kind: Columns, parent: Columns
) -> tuple[tuple[str, str], ...]:
    """Type and text of the scripts that contain data."""
    names = {i for i, name in enumerate(strings) if name in ("SCRIPT", "script")}
    found = []
    for i in np.flatnonzero(np.isin(nodes["nodeName"], list(names))).tolist():
        pairs = nodes["attributes"][i]
        types = [v for n, v in zip(pairs[::2], pairs[1::2], strict=True) if strings[n] == "type"]
        of_type = strings[types[0]].lower() if types and types[0] >= 0 else ""
        if "json" not in of_type:
            continue
        child = i + 1
        inside = child < len(kind) and parent[child] == i and kind[child] == _TEXT_NODE
        value = nodes["nodeValue"][child] if inside else -1
        found.append((of_type, strings[value] if value >= 0 else ""))
    return tuple(found)


def _breaks(
    tag: npt.NDArray[np.uint8], parent: Ints, end: Ints, display: npt.NDArray[np.uint8]
) -> Ints:
    """The number of line breaks before each row: one at both edges of each block.

    An inline-block counts as a block if its tag does (a menu's `li`, a `button`).
    """
    drawn = (display == _BLOCK) | ((display == _INLINE_BLOCK) & BREAKS[tag]) | _REPLACED[tag]
    drawn &= (display != _DISPLAY_NONE) | (tag == CODES["noscript"])
    drawn &= (tag != TEXT) & ~_spread_down(_DRAWING[tag], parent)
    closing = drawn & (tag != CODES["br"])
    closes = np.bincount(end[closing], minlength=len(tag) + 1)[: len(tag)]
    return np.cumsum(drawn + closes, dtype=np.int32)


def _layout(
    document: Mapping[str, Any],
    strings: Sequence[str],
    at: Columns,
    starts: Columns,
    size: tuple[int, int] | None,
    table: tuple[Ints, Ints, npt.NDArray[np.uint8]],
    texts: Sequence[str],
) -> Layout:
    """Boxes and styles of each row."""
    parents, end, tag = table
    drawn = document["layout"]
    width, height = size or (document["contentWidth"], document["contentHeight"])
    boxes = _boxes(drawn, at, starts, len(document["nodes"]["parentIndex"]))
    style = _Styles(drawn, strings, at[starts], len(document["nodes"]["parentIndex"]), parents)
    borders = style.borders()
    x0, y0, x1, y1 = boxes
    drawn_rows = _are_inside(boxes, width, height) & ~style.find_clipped(end, boxes)
    found = Layout(
        x0=x0, y0=y0, x1=x1, y1=y1,
        font_size=style.column("font-size", _pixels, np.float32),
        font_weight=style.column("font-weight", lambda text: int(float(text)), np.int32),
        color=style.column("color", lambda text: max(_colour(text), 0), np.int32),
        background=np.where(
            tag == TEXT, -1, style.column("background-color", _colour, np.int32)
        ).astype(np.int32),
        background_image=style.column("background-image", lambda text: text != "none", np.bool_)
        & (tag != TEXT),
        align=style.column("text-align", lambda text: _ALIGNS.get(text, 0), np.uint8),
        display=_displays(style, tag),
        visible=_find_visible(drawn_rows, style.find_hidden(end), texts),
        border=np.where(tag == TEXT, 0, borders.min(axis=0)).astype(np.float32),
        rule=np.where(tag == TEXT, 0, borders.max(axis=0)).astype(np.float32),
        fixed=style.column("position", lambda text: text in ("fixed", "sticky"), np.bool_)
        & (tag != TEXT),
        width=float(width), height=float(height),
    )  # fmt: skip
    for name in Layout.__slots__[:-2]:
        getattr(found, name).flags.writeable = False
    return found


def _are_inside(boxes: tuple[Floats, Floats, Floats, Floats], width: float, height: float) -> Bools:
    """Which boxes have an area and are not wholly outside the page."""
    x0, y0, x1, y1 = boxes
    inside = (x1 > 0) & (y1 > 0) & (x0 < width) & (y0 < height)
    return (x1 > x0) & (y1 > y0) & inside


def _displays(style: _Styles, tag: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """How each row is displayed: a text inline, an element without a box not at all."""
    display = style.column("display", _display, np.uint8)
    display[~style.has & (tag != TEXT)] = _DISPLAY_NONE
    display[tag == TEXT] = _INLINE
    return display


def _boxes(
    drawn: Mapping[str, Any], at: Columns, starts: Columns, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Left, top, right and bottom of each row, around all boxes of its nodes."""
    node = np.array(drawn["nodeIndex"], dtype=np.int64)
    bounds = np.array(drawn["bounds"], dtype=np.float32).reshape(-1, 4)
    solid = (bounds[:, 2] > 0) & (bounds[:, 3] > 0)
    row_of = np.full(count, -1, dtype=np.int64)
    row_of[at] = np.cumsum(np.bincount(starts, minlength=len(at)).astype(bool)) - 1
    rows = row_of[node]
    # Boxes without an area count only if the row has no others.
    filled = np.zeros(len(starts) + 1, dtype=np.bool_)
    filled[rows[solid]] = True
    counted = (rows >= 0) & (solid | ~filled[rows])
    rows, bounds = rows[counted], bounds[counted]
    sides = np.empty((4, len(starts)), dtype=np.float32)
    sides[:2], sides[2:] = np.inf, -np.inf
    np.minimum.at(sides[0], rows, bounds[:, 0])
    np.minimum.at(sides[1], rows, bounds[:, 1])
    np.maximum.at(sides[2], rows, bounds[:, 0] + bounds[:, 2])
    np.maximum.at(sides[3], rows, bounds[:, 1] + bounds[:, 3])
    sides[~np.isfinite(sides)] = 0
    return sides[0], sides[1], sides[2], sides[3]


class _Styles:
    """The computed styles of each row; a row without any takes those of its nearest ancestor."""

    def __init__(
        self,
        drawn: Mapping[str, Any],
        strings: Sequence[str],
        first: Columns,
        count: int,
        parents: Ints,
    ) -> None:
        self._strings = strings
        node = np.array(drawn["nodeIndex"], dtype=np.int64)
        styles = drawn["styles"]
        styled = np.array([len(style) == len(STYLES) for style in styles], dtype=np.bool_)
        table = np.array([style for style in styles if style], dtype=np.int64)
        place = np.full(count, -1, dtype=np.int64)
        # A node may have several entries, one for each fragment: the first one counts.
        place[node[styled][::-1]] = np.arange(np.count_nonzero(styled))[::-1]
        self.has = place[first] >= 0
        place_of_row = np.append(place[first], -1)
        up = np.append(parents, -1)
        while (missing := (place_of_row < 0) & (up >= 0)).any():
            place_of_row = np.where(missing, place_of_row[up], place_of_row)
            up = np.where(missing, up[up], up)
        self._table = table.reshape(-1, len(STYLES))
        self._place = place_of_row[:-1]

    def column(
        self, name: str, read: Callable[[str], Any], kind: type[np.generic]
    ) -> npt.NDArray[Any]:
        """One style of every row; `read` is called once for each distinct value."""
        if not len(self._table):
            return np.zeros(len(self._place), dtype=kind)
        values, count = self._table[:, STYLES.index(name)], len(self._strings)
        asked = np.zeros(count + 1, dtype=np.bool_)  # the last one is for -1: no string
        asked[values] = True
        known = np.zeros(count + 1, dtype=kind)
        for value in np.flatnonzero(asked).tolist():
            known[value] = read(self._strings[value] if value < count else "")
        column: npt.NDArray[Any] = known[values[np.maximum(self._place, 0)]]
        column[self._place < 0] = 0
        return column

    def borders(self) -> npt.NDArray[np.float32]:
        """The widths of the four borders of each row; 0 where a border is invisible."""
        sides = []
        for side in ("top", "right", "bottom", "left"):
            width = self.column(f"border-{side}-width", _pixels, np.float32)
            seen = self.column(f"border-{side}-color", lambda text: _colour(text) >= 0, np.bool_)
            sides.append(np.where(seen & self.has, width, 0))
        return np.array(sides, dtype=np.float32)

    def find_hidden(self, end: Ints) -> Bools:
        """Rows that are hidden or transparent, or stand in a row that is."""
        hidden: Bools = self.column("visibility", lambda text: text != "visible", np.bool_)
        clear = self.column("opacity", lambda text: float(text or 1) < 0.01, np.bool_)
        return hidden | _mark_below(clear & self.has, end)

    def find_clipped(self, end: Ints, boxes: tuple[Floats, Floats, Floats, Floats]) -> Bools:
        """Rows in a box that clips its content to almost nothing."""
        x0, y0, x1, y1 = boxes
        clips_x = self.column("overflow-x", _clips, np.bool_) & (x1 - x0 < _TINY)
        clips_y = self.column("overflow-y", _clips, np.bool_) & (y1 - y0 < _TINY)
        leaf = end == np.arange(1, len(end) + 1)
        return _mark_below((clips_x | clips_y) & self.has & ~leaf, end)


def _mark_below(mark: Bools, end: Ints) -> Bools:
    """True for the marked rows and everything below them, by the ends of their subtrees."""
    tops = np.flatnonzero(mark)
    change = np.zeros(len(end) + 1, dtype=np.int32)
    np.add.at(change, tops, 1)
    np.subtract.at(change, end[tops], 1)
    below: Bools = np.cumsum(change[:-1]) > 0
    return below


def _find_visible(drawn: Bools, hidden: Bools, texts: Sequence[str]) -> Bools:
    """Rows that are drawn and not hidden.

    A page that hides most of its text waits for a script to show it. If that script has not run,
    everything that is drawn counts as visible.
    """
    chars = np.array([len(text) for text in texts])
    there, left = chars[drawn].sum(), chars[drawn & ~hidden].sum()
    return drawn if left < _LEAST_VISIBLE * there else drawn & ~hidden


def _display(text: str) -> int:
    """The code of a `display` value.

    >>> [_display(text) for text in ("none", "inline", "inline-flex", "ruby-text", "table-cell")]
    [0, 1, 2, 1, 3]
    """
    if text.startswith("inline-"):
        return _INLINE_BLOCK
    return _INLINE if text.startswith("ruby") else _DISPLAYS.get(text, _BLOCK)


def _pixels(text: str) -> float:
    """The number of a length such as `12.5px`; 0 if there is none."""
    found = _NUMBERS.match(text)
    return float(found[0]) if found else 0.0


def _clips(text: str) -> bool:
    return text in ("hidden", "clip")


def _colour(text: str) -> int:
    """0xRRGGBB of a computed colour; -1 if it is transparent.

    >>> hex(_colour("rgb(255, 0, 16)")), _colour("rgba(0, 0, 0, 0)")
    ('0xff0010', -1)
    """
    numbers = [float(number) for number in _NUMBERS.findall(text)]
    if len(numbers) == 4 and numbers[3] < 0.01:
        return -1
    if len(numbers) < 3:
        return 0
    scale = 1 if text.startswith("rgb") else 255  # color(srgb 0.5 0 0) and its like
    red, green, blue = (min(max(int(number * scale), 0), 255) for number in numbers[:3])
    return red << 16 | green << 8 | blue
