"""The page in somebody's browser tab, as the bookmarklet sends it → Snapshot with its layout.

It is the third source of the `Page` table, beside parsed and rendered pages: what the person sees,
with boxes and computed styles, in the shape of Chromium's own snapshots. Strangers can send it, so
every number in it is checked before it is used as an index.

    nodes    [parent, type, name, value, [name, value, …]]      one per node, in document order
    layout   [node, left, top, width, height, [style, …]]       for those that are drawn
    sources  [image, address]                                   of the file that an image shows

Names, values, styles and addresses are indices into `strings`; -1 means none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tearsheet import limits
from tearsheet.errors import TearsheetError
from tearsheet.page.rendered import STYLES
from tearsheet.types import Snapshot

MEDIA_TYPE: Final = "application/vnd.tearsheet.tab+json"

Number = Annotated[int, Field(ge=-1, lt=2**31)]
Edge = Annotated[float, Field(ge=-1e7, le=1e7, allow_inf_nan=False)]
Size = Annotated[int, Field(ge=0, le=10_000_000)]
Node = tuple[Number, Annotated[int, Field(ge=1, le=12)], Number, Number, list[Number]]
Box = tuple[Number, Edge, Edge, Edge, Edge, list[Number]]


class InvalidTab(TearsheetError):
    code = "invalid"


class LiveTab(BaseModel):
    """A page as somebody sees it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: Annotated[str, Field(max_length=limits.ADDRESS_LENGTH)]
    width: Size
    height: Size
    strings: list[str]
    nodes: Annotated[list[Node], Field(min_length=1)]
    layout: list[Box]
    sources: list[tuple[Number, Number]]

    @model_validator(mode="after")
    def _fits_together(self) -> LiveTab:
        strings, nodes = len(self.strings), len(self.nodes)
        for row, (parent, _, name, value, pairs) in enumerate(self.nodes):
            if not (-1 <= parent < row or row == 0) or (parent < 0) != (row == 0):
                raise ValueError(f"the parent of node {row} does not come before it")
            _check_indices((name, value, *pairs), strings)
            if name < 0 or len(pairs) % 2:
                raise ValueError(f"node {row} has no name, or an attribute without a value")
        for node, *_, styles in self.layout:
            _check_indices((node,), nodes)
            _check_indices(styles, strings)
            if len(styles) not in (0, len(STYLES)):
                raise ValueError(f"give {len(STYLES)} styles, or none")
        for node, address in self.sources:
            _check_indices((node,), nodes)
            _check_indices((address,), strings)
        return self


def _check_indices(numbers: Sequence[int], limit: int) -> None:
    if max(numbers, default=0) >= limit:
        raise ValueError("an index is out of range")


def read_tab(sent: bytes, url: str | None) -> Snapshot:
    """The page that was sent as JSON, in the shape of a browser's own snapshot."""
    try:
        tab = LiveTab.model_validate_json(sent)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "all of it"
        raise InvalidTab(f"this is not the page of a tab: {where}: {first['msg']}") from None
    return Snapshot(
        body=b"",
        url=url,
        final_url=url,
        rendered=_build_snapshot(tab),
        size=(tab.width, tab.height),
    )


def _build_snapshot(tab: LiveTab) -> dict[str, Any]:
    """The answer that `DOMSnapshot.captureSnapshot` would give for the same page."""
    parents, kinds, names, values, pairs = (list(column) for column in zip(*tab.nodes))
    boxes = tab.layout
    strings = [*tab.strings, tab.base]
    nodes = {
        "parentIndex": parents,
        "nodeType": kinds,
        "nodeName": names,
        "nodeValue": values,
        "attributes": pairs,
        "pseudoType": {"index": [], "value": []},
        "currentSourceURL": {
            "index": [node for node, _ in tab.sources],
            "value": [address for _, address in tab.sources],
        },
    }
    layout = {
        "nodeIndex": [node for node, *_ in boxes],
        "bounds": [[left, top, wide, high] for _, left, top, wide, high, _ in boxes],
        "styles": [styles for *_, styles in boxes],
    }
    size = {"contentWidth": tab.width, "contentHeight": tab.height}
    document = {"nodes": nodes, "layout": layout, "baseURL": len(strings) - 1, **size}
    return {"documents": [document], "strings": strings}
