"""How long a page takes, compared with the bare parse and with peers.

All do the same: the text of a page that is at hand. Ours is `extract(html).text`, theirs is their
default (`trafilatura.extract(html)`), which does not look for metadata or pictures either.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, median

from selectolax.lexbor import LexborHTMLParser

from benchmarks.clock import least_seconds, program_seconds
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.errors import NoArticle
from tearsheet.evaluate.peers import PEERS, version
from tearsheet.page.parsed import parse

RIVALS = ("trafilatura", "resiliparse")
IMPORT_LIMIT = 0.120
"""Seconds that `import tearsheet` may take beyond `import numpy`."""
HEAVY = "typst playwright uvicorn starlette lightgbm sklearn pyarrow ray matplotlib PIL".split()


def times(pages: Sequence[str]) -> dict[str, list[float]]:
    """Seconds per page of each contender, page by page in turn."""
    contenders = _contenders()
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for number, html in enumerate(pages, 1):
        for name, work in contenders.items():
            taken[name].append(least_seconds(lambda work=work, html=html: work(html)))  # type: ignore[misc]
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{number}/{len(pages)} pages" + "\r\x1b[K" * (number == len(pages)))
    return taken


def _contenders() -> Mapping[str, Callable[[str], object]]:
    ours: dict[str, Callable[[str], object]] = {
        "bare parse": lambda html: LexborHTMLParser(html.encode(), scripting=True),
        "page": lambda html: parse(html.encode()),
        "density": lambda html: _extract(html, "density"),
        DEFAULT_METHOD: lambda html: _extract(html, DEFAULT_METHOD),
    }
    peers = {name: _quiet(PEERS[name]) for name in RIVALS if version(name)}
    return {**ours, **peers}


def _extract(html: str, method: str) -> object:
    try:
        return extract(html, method=method).text
    except NoArticle:
        return None


def _quiet(peer: Callable[[str, str | None], object]) -> Callable[[str], object]:
    def work(html: str) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return peer(html, None)

    return work


def table(taken: Mapping[str, Sequence[float]]) -> str:
    """Milliseconds per page, mean and median."""
    rows = (f"  {n:14}{1e3 * fmean(t):9.2f}{1e3 * median(t):9.2f}" for n, t in taken.items())
    return "\n".join([f"  {'CPU ms a page':14}{'mean':>9}{'median':>9}", *rows])


def bounds(taken: Mapping[str, Sequence[float]]) -> Iterator[Bound]:
    """The promised ratios."""
    bare, ours = taken["bare parse"], taken[DEFAULT_METHOD]
    yield Bound("bytes to Page / bare parse", fmean(taken["page"]) / fmean(bare), 3.0)
    if theirs := taken.get("trafilatura"):
        density = fmean(taken["density"]) / fmean(theirs)
        yield Bound("density / trafilatura, mean", density, 1 / 10)
        yield Bound(f"{DEFAULT_METHOD} / trafilatura, mean", fmean(ours) / fmean(theirs), 1 / 8)
        yield Bound(f"{DEFAULT_METHOD} / trafilatura, median", median(ours) / median(theirs), 1 / 8)
    if theirs := taken.get("resiliparse"):
        ratio = fmean(ours) / fmean(theirs)
        yield Bound(f"{DEFAULT_METHOD} / resiliparse, mean", ratio, 1.0, is_aim=True)


def import_bounds() -> Iterator[Bound]:
    """The cost of `import tearsheet`, and whether it imports anything heavy."""
    cost = program_seconds("import numpy, tearsheet; tearsheet.extract") - program_seconds(
        "import numpy"
    )
    yield Bound("import tearsheet beyond numpy, s", cost, IMPORT_LIMIT)
    loaded = f"sum(name in sys.modules for name in {HEAVY})"
    code = f"import sys, tearsheet; tearsheet.extract; sys.exit({loaded})"
    heavy = subprocess.run([sys.executable, "-c", code], check=False).returncode
    yield Bound("heavy modules imported by it", float(heavy), 0.0)
