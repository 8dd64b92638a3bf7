"""A page ten times as large may take at most eleven times as long: up to 50 MB, up to 100,000
nested elements, and up to a million attributes of one element.

Each page is measured in its own process: in one process the allocator keeps the memory of a small
page for the next one and returns that of a large page, which then costs time again.

The times of five rounds are added up. The best of several runs would be unfair: a few milliseconds
often fall into a moment in which the machine is at its fastest, seconds never do."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborHTMLParser

from benchmarks.pages import deep, long, wide
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.page.parsed import parse
from tearsheet.page.parser_limits import limit_markup
from tearsheet.types import Options

LIMIT = 11.0
ROUNDS = 5
_PARSER = "bare parse"
_SIZES = {
    "bytes": (500_000, 5_000_000, 50_000_000),
    "levels": (1_000, 10_000, 100_000),
    "attributes": (10_000, 100_000, 1_000_000),
}
_MAKERS = {"bytes": long, "levels": deep, "attributes": wide}
_WARM_UP = 20_000


def bounds() -> Iterator[Bound]:
    """The steps of ten, for the page alone and for the whole extraction."""
    for unit, sizes in _SIZES.items():
        for work in _works():
            rounds = [[_seconds(work, unit, size) for size in sizes] for _ in range(ROUNDS)]
            taken = [sum(times) for times in zip(*rounds, strict=True)]
            is_aim = work == _PARSER  # not ours: shown because a page cannot grow more slowly
            for size, tenth, whole in zip(sizes[1:], taken, taken[1:], strict=False):
                name = f"{work}, {size:,} {unit} / a tenth"
                yield Bound(name, whole / tenth, LIMIT, is_aim)


def _works() -> dict[str, Callable[[str], object]]:
    options = Options(timeout=3600, max_nodes=10_000_000)
    return {
        _PARSER: lambda html: LexborHTMLParser(limit_markup(html.encode())),
        "page": lambda html: parse(html, max_nodes=10_000_000),
        DEFAULT_METHOD: lambda html: extract(html, options=options).text,
    }


def _seconds(work: str, unit: str, size: int) -> float:
    """Seconds of processor time in a new process."""
    command = [sys.executable, "-m", "benchmarks.growth", work, unit, str(size)]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def _once(work: Callable[[str], object], html: str) -> float:
    work(long(_WARM_UP))
    began = time.process_time()
    work(html)
    return time.process_time() - began


if __name__ == "__main__":
    _, work, unit, size = sys.argv
    print(_once(_works()[work], _MAKERS[unit](int(size))))
