"""What each entrant kept of a page, line by line: the data behind the report's side-by-side view
(like figure 12 of the CLG paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from tearsheet.datasets import Example
from tearsheet.evaluate.entrants import Entrant
from tearsheet.evaluate.peers import Found
from tearsheet.evaluate.run import Plan, Task, find_on, task_environment, tasks
from tearsheet.features.looks import measure_looks
from tearsheet.types import Bools, Page, Segments

LONGEST: Final = 240
"""Characters of a line that are shown."""
_TRUE: Final = 0.5

Line = tuple[str, list[int] | None, float]
"""Its text, its box on a drawn page, and its font size."""


@dataclass(slots=True)
class PageView:
    """A page for the report: its lines, which are true, and which each entrant kept."""

    url: str
    width: int
    """Of the drawn page; 0: it was only parsed."""
    height: int
    lines: list[Line]
    truth: str
    """A 1 for each line that is true, else a 0 …"""
    kept: dict[str, str]
    """… and the same for each entrant."""
    scores: dict[str, str]


def view_pages(
    examples: Sequence[Example], entrants: Sequence[Entrant], plan: Plan
) -> dict[str, PageView]:
    """The views of some pages by name; each entrant clips them again, with the parameters that
    have not seen the page."""
    found: dict[str, PageView] = {}
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


def _find_all(task: Task) -> Iterator[tuple[str, Found]]:
    with task_environment(task):
        for example in task.examples:
            yield example.name, find_on(task, example)[0]


def _label(example: Example, drawn: bool) -> tuple[Page, Segments, Bools] | None:
    """The page, its segments and which of them are true; None if it shows no text."""
    from tearsheet.learn.examples import label

    seen = next(label([example], drawn=drawn), None)
    return None if seen is None else (seen.page, seen.segments, seen.share >= _TRUE)


def _are_kept(parts: Segments, found: Found) -> Bools:
    """The segments whose words are in the found text, aligned as truth is for training."""
    from tearsheet.learn.labels import labels

    return labels(parts, found.text) >= _TRUE


def _make_view(example: Example, page: Page, parts: Segments, truth: Bools) -> PageView:
    texts = [text[:LONGEST] for text in parts.text]
    lines: list[Line] = [(text, None, 0.0) for text in texts]
    width = height = 0
    if page.layout is not None:
        look = measure_looks(page, parts)
        boxes = np.round(look.box).astype(int).tolist()
        lines = list(zip(texts, boxes, look.font_size.round(1).tolist(), strict=True))
        width, height = round(page.layout.width), round(page.layout.height)
    return PageView(example.url or "", width, height, lines, _write_bits(truth), {}, {})


def _write_bits(chosen: Bools) -> str:
    return "".join("1" if one else "0" for one in chosen.tolist())


def as_records(views: dict[str, PageView]) -> dict[str, dict[str, Any]]:
    """Plain values for the report's script."""
    return {name: asdict(view) for name, view in views.items()}
