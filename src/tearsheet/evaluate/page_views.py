"""The lines of a page that each entrant kept: the data behind the report's side-by-side view (like
figure 12 of the CLG paper)."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from tearsheet.datasets import Example
from tearsheet.errors import TearsheetError
from tearsheet.evaluate.entrants import Entrant
from tearsheet.evaluate.peers import Extraction
from tearsheet.evaluate.run import PageTask, Plan, find_on, task_environment, tasks
from tearsheet.features.looks import measure_looks
from tearsheet.types import Bools, Page, Segments

LONGEST: Final = 240
"""Characters of a line that are shown."""
PICTURE_WIDTH: Final = 570
"""Pixels: one and a half of a column's."""
QUALITY: Final = 60
"""Quality of the pictures, as JPEG."""
_TRUE: Final = 0.5

Line = tuple[str, list[int] | None, float]
"""Its text, its box on a drawn page, and its font size."""


@dataclass(slots=True)
class ComparedPage:
    """A page for the report: its lines, which are true, and which each entrant kept."""

    url: str
    width: int
    """Of the drawn page; 0: it was only parsed."""
    height: int
    lines: list[Line]
    truth: str
    """A 1 for each line that is true, a 0 for one that is not, and "-" for one that counts neither
    way, such as a byline …"""
    kept: dict[str, str]
    """… and the same for each entrant."""
    scores: dict[str, str]
    picture: str = ""
    """The drawn page as a picture (a `data:` address); empty: none could be taken."""


def view_pages(
    examples: Sequence[Example], entrants: Sequence[Entrant], plan: Plan
) -> dict[str, ComparedPage]:
    """The views of some pages by name; each entrant clips them again, with the parameters that
    have not seen the page."""
    found: dict[str, ComparedPage] = {}
    parts: dict[str, Segments] = {}
    for example in examples:
        if (seen := _label(example, plan.drawn)) is not None:
            page, parts[example.name], truth = seen
            found[example.name] = _make_view(example, page, parts[example.name], truth)
    shown = [example for example in examples if example.name in found]
    for task in tasks(shown, entrants, plan, {}):
        for name, result in _find_all(task):
            keep = _are_kept(parts[name], result)
            found[name].kept[task.entrant.label] = _write_bits(keep)
    return found


def _find_all(task: PageTask) -> Iterator[tuple[str, Extraction]]:
    with task_environment(task):
        for example in task.examples:
            yield example.name, find_on(task, example)[0]


def _label(example: Example, drawn: bool) -> tuple[Page, Segments, str] | None:
    """The page, its segments and a sign for the truth of each; None if it shows no text."""
    from tearsheet.learn.examples import label

    seen = next(label([example], drawn=drawn), None)
    if seen is None:
        return None
    signs = _write_bits(seen.share >= _TRUE)
    if seen.open is not None:
        signs = "".join("-" if free else sign for sign, free in zip(signs, seen.open, strict=True))
    return seen.page, seen.segments, signs


def _are_kept(parts: Segments, found: Extraction) -> Bools:
    """The segments whose words are in the found text, aligned as truth is for training."""
    from tearsheet.learn.labels import labels

    return labels(parts, found.text) >= _TRUE


def _make_view(example: Example, page: Page, parts: Segments, truth: str) -> ComparedPage:
    texts = [text[:LONGEST] for text in parts.text]
    lines: list[Line] = [(text, None, 0.0) for text in texts]
    width = height = 0
    if page.layout is not None:
        look = measure_looks(page, parts)
        boxes = np.round(look.box).astype(int).tolist()
        lines = list(zip(texts, boxes, look.font_size.round(1).tolist(), strict=True))
        width, height = round(page.layout.width), round(page.layout.height)
    picture = _take_picture(example) if width else ""
    return ComparedPage(example.url or "", width, height, lines, truth, {}, {}, picture)


def _take_picture(example: Example) -> str:
    """The page as a browser draws it, in the width of a column; empty without browser or Pillow."""
    from tearsheet.learn.examples import photograph

    try:
        from PIL import Image
    except ModuleNotFoundError:
        return ""
    try:
        taken = photograph(example)
    except TearsheetError:
        return ""
    if not taken:
        return ""
    written = io.BytesIO()
    with Image.open(io.BytesIO(taken), formats=("PNG",)) as opened:
        size = PICTURE_WIDTH, max(round(opened.height * PICTURE_WIDTH / opened.width), 1)
        opened.convert("RGB").resize(size).save(written, "JPEG", quality=QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"


def _write_bits(chosen: Bools) -> str:
    return "".join("1" if one else "0" for one in chosen.tolist())


def as_records(views: dict[str, ComparedPage]) -> dict[str, dict[str, Any]]:
    """Plain values for the report's script."""
    return {name: asdict(view) for name, view in views.items()}
