"""Ten times the page, at most eleven times the time; in width up to 50 MB, in depth to 100,000."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

from selectolax.lexbor import LexborHTMLParser

from benchmarks.pages import deep, long
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.page.parsed import parse
from tearsheet.page.shallow import shallow
from tearsheet.types import Options

LIMIT = 11.0
_PARSER = "bare parse"
ROUNDS = 3


def bounds() -> Iterator[Bound]:
    """The steps of ten, for the page alone and for the whole extraction."""
    for make, sizes, unit in ((long, (500_000, 5_000_000, 50_000_000), "bytes"),
                              (deep, (1_000, 10_000, 100_000), "levels")):  # fmt: skip
        for name, work in _works().items():
            for size in sizes[1:]:
                ratio = _ratio(work, make(size // 10), make(size))
                is_aim = name == _PARSER  # not ours: shown because a page cannot grow less
                yield Bound(f"{name}, {size:,} {unit} / a tenth", ratio, LIMIT, is_aim)


def _works() -> dict[str, Callable[[str], object]]:
    options = Options(timeout=3600, max_nodes=10_000_000)
    return {
        _PARSER: lambda html: LexborHTMLParser(shallow(html.encode())),
        "page": lambda html: parse(html, max_nodes=10_000_000),
        DEFAULT_METHOD: lambda html: extract(html, options=options).text,
    }


def _ratio(work: Callable[[str], object], small: str, large: str) -> float:
    """How many times as long the large page takes. The small one is worked on ten times for each
    large one, so that both last as long and whatever else the machine does meets both."""
    work(small)
    ratios = []
    for _ in range(ROUNDS):
        tenth = _taken(lambda: [work(small) for _ in range(10)]) / 10
        ratios.append(_taken(lambda: work(large)) / tenth)
    return median(ratios)


def _taken(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
