"""The pages on which everything is measured."""

from __future__ import annotations

from tearsheet import datasets
from tearsheet.datasets import Example

STEP = 5
PARAGRAPH = (
    '<div class="block"><p>The harbour master wrote <a href="/log">the log</a> by hand, and on '
    "<b>calm</b> days he drew the gulls &amp; the boats beside the figures.</p></div>\n"
)


def sample() -> list[str]:
    """Every fifth page of WCXB's development set by name, decoded: 300 pages."""
    return [example.markup for example in examples()]


def examples() -> list[Example]:
    """The same pages with their addresses."""
    return datasets.read("wcxb")[::STEP]


def long(size: int) -> str:
    """One page of `size` bytes of paragraphs."""
    return f"<!doctype html><title>Log</title><body>{PARAGRAPH * (size // len(PARAGRAPH))}"


def wide(attributes: int) -> str:
    """One page with an element that has `attributes` attributes."""
    names = " ".join(f"data-{i}=1" for i in range(attributes))
    return f"<!doctype html><title>Log</title><body><div {names}>{PARAGRAPH}</div>"


def deep(levels: int) -> str:
    """One page of `levels` elements, each inside the one before."""
    return f"<!doctype html><title>Log</title><body>{'<div>' * levels}{PARAGRAPH}"
