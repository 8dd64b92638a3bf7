"""Ten times the page, at most eleven times the time; in width up to 50 MB, in depth to 100,000."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.clock import least
from benchmarks.pages import deep, long
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.page.parsed import parse
from tearsheet.types import Options

LIMIT = 11.0


def bounds() -> Iterator[Bound]:
    """The steps of ten, for the page alone and for the whole extraction."""
    for make, sizes, unit in ((long, (500_000, 5_000_000, 50_000_000), "bytes"),
                              (deep, (1_000, 10_000, 100_000), "levels")):  # fmt: skip
        for name, work in _works().items():
            taken = [_taken(work, make(size)) for size in sizes]
            for size, before, after in zip(sizes[1:], taken, taken[1:]):
                yield Bound(f"{name}, {size:,} {unit} / a tenth", after / before, LIMIT)


def _works() -> dict[str, Callable[[str], object]]:
    options = Options(timeout=3600, max_nodes=10_000_000)
    return {
        "page": lambda html: parse(html, max_nodes=10_000_000),
        DEFAULT_METHOD: lambda html: extract(html, options=options).text,
    }


def _taken(work: Callable[[str], object], page: str) -> float:
    return least(lambda: work(page))
