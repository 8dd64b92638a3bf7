"""How long each method takes on the largest pages of a set, by bytes, nodes and segments: processor
seconds of the verdict alone.

    python scripts/largest.py wcxb
"""

from __future__ import annotations

import sys
import time

from tearsheet import datasets, plugins
from tearsheet.clip import judge, needs_layout
from tearsheet.datasets import Example
from tearsheet.learn.examples import label
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.types import Options, Page


def main(name: str) -> None:
    """Prints a table: methods down, the largest pages across."""
    pages = {example.name: example for example in datasets.read(name)}
    sizes = {example.name: measure_size(example) for example in pages.values()}
    largest = [max(sizes, key=lambda page: sizes[page][i]) for i in range(3)]
    for page in dict.fromkeys(largest):
        size, nodes, parts = sizes[page]
        print(f"{page}: {size / 1e6:.1f} MB, {nodes:,} nodes, {parts:,} segments")
        for method, seconds in times(pages[page]).items():
            print(f"  {method:20}{seconds:7.2f} s")


def measure_size(example: Example) -> tuple[int, int, int]:
    page = parse(example.markup, example.url)
    return len(example.html), len(page), len(segments(page))


def times(example: Example) -> dict[str, float]:
    parsed = parse(example.markup, example.url)
    drawn = next(label([example], drawn=True)).page
    names = plugins.names("methods")
    return {name: verdict_seconds(drawn if needs_layout(name) else parsed, name) for name in names}


def verdict_seconds(page: Page, method: str) -> float:
    """Processor seconds of the second verdict; the first loads what the method needs."""
    judge(page, method, Options())
    began = time.process_time()
    judge(page, method, Options())
    return time.process_time() - began


if __name__ == "__main__":
    main(sys.argv[1])
