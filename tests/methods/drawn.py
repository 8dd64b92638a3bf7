"""Pages with a layout that a test writes down: HTML whose elements carry their box."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tearsheet.page.parsed import parse
from tearsheet.tags import BLOCKS, TEXT
from tearsheet.types import Layout, Page


def draw_page(html: str, width: float = 1000, height: float = 1000) -> Page:
    """The page with boxes from `box="x0 y0 x1 y1"`; what has none has its parent's.

    `size`, `color` (hexadecimal), `align`, `border`, `back` (hexadecimal) say how it looks; all
    but border and back are inherited.
    """
    page = parse(html)
    count = len(page)
    box = np.zeros((count, 4), dtype=np.float32)
    looks = {"size": np.full(count, 16.0), "color": np.zeros(count), "align": np.zeros(count)}
    border, back = np.zeros(count, dtype=np.float32), np.full(count, -1, dtype=np.int32)
    for row in range(count):
        above = int(page.parent[row])
        own = page.attributes(row)
        box[row] = box[above] if above >= 0 else (0, 0, width, height)
        if "box" in own:
            box[row] = [float(edge) for edge in own["box"].split()]
        for name, column in looks.items():
            column[row] = column[above] if above >= 0 else column[row]
            if name in own:
                column[row] = int(own[name], 16) if name == "color" else float(own[name])
        border[row] = float(own.get("border", 0))
        back[row] = int(own["back"], 16) if "back" in own else -1
    layout = Layout(
        x0=box[:, 0], y0=box[:, 1], x1=box[:, 2], y1=box[:, 3],
        font_size=looks["size"].astype(np.float32),
        font_weight=np.full(count, 400, dtype=np.int32),
        color=looks["color"].astype(np.int32),
        background=back,
        background_image=np.zeros(count, dtype=np.bool_),
        align=looks["align"].astype(np.uint8),
        display=np.where(BLOCKS[page.tag], 3, 1).astype(np.uint8),
        visible=(page.tag == TEXT) | (box[:, 2] > box[:, 0]),
        border=border, rule=border,
        fixed=np.zeros(count, dtype=np.bool_),
        width=width, height=height,
    )  # fmt: skip
    return replace(page, layout=layout)
