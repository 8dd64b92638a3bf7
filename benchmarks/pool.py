"""`python -m benchmarks.pool [PAGES]`: bulk rows compared with trafilatura, in the same pool of two
processes, page by page in turn. PAGES is a slice of WCXB's development set: `::5` (the default),
`:400`, or `:` for all. The ratio depends on it, because trafilatura is slow on long pages.

Equal work is compared:

- text alone: `--columns text` and `trafilatura.extract(html, url=url)`, which makes plain text
  and looks for no metadata;
- whole rows: every column (text, Markdown, HTML, blocks as JSON, metadata, pictures with captions)
  and one `bare_extraction` with metadata, links, pictures and formatting, and its result written
  as text, Markdown, HTML and JSON.

Ours starts with bytes and ends with an Arrow batch; theirs starts with a decoded string and ends
with strings. A failure takes no time, so there is no figure if many pages give nothing.
"""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from statistics import fmean, median

import pyarrow as pa

from benchmarks.pages import STEP
from benchmarks.report import Bound, check_results
from tearsheet import datasets
from tearsheet.bulk import RawPage, Settings, extract_rows
from tearsheet.bulk.schema import COLUMNS, FORMS_OF_TEXT
from tearsheet.clip import DEFAULT_METHOD

LIMIT = 1 / 5
TEXT, WHOLE = "text alone", "whole rows"
THEIR_TEXT, THEIR_WHOLE = "trafilatura, text", "trafilatura, metadata and four formats"
FORMATS = ("txt", "markdown", "html", "json")

Page = tuple[str, str | None]
Work = Callable[[str, str | None], bool]
"""Works on a page; whether there was a result."""


def bounds(chosen: slice, jobs: int) -> list[Bound]:
    """The ratios of mean processor time per page, over these pages of WCXB's development set."""
    pages = [(example.markup, example.url) for example in datasets.read("wcxb")[chosen]]
    taken = times(pages, jobs)
    print(f"{len(pages)} pages, the same pool of {jobs}, ms of processor time a page:")
    print(f"  {'':40}{'mean':>9}{'median':>9}")
    for name, each in taken.items():
        print(f"  {name:40}{1e3 * fmean(each):9.2f}{1e3 * median(each):9.2f}", flush=True)
    pairs = ((TEXT, THEIR_TEXT, False), (WHOLE, THEIR_WHOLE, False), (WHOLE, THEIR_TEXT, True))
    return [
        Bound(f"{a} / {b}, same pool", fmean(taken[a]) / fmean(taken[b]), LIMIT, is_aim=unequal)
        for a, b, unequal in pairs
    ]


def times(pages: Sequence[Page], jobs: int) -> dict[str, list[float]]:
    """Seconds of processor time per page of each contender, after a warm-up."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        list(pool.map(_turn, pages[: 4 * jobs]))
        turns = list(pool.map(_turn, pages, chunksize=4))
    for name in turns[0]:
        check_results(name, len(turns), sum(not turn[name][1] for turn in turns))
    return {name: [turn[name][0] for turn in turns] for name in turns[0]}


def _turn(page: Page) -> dict[str, tuple[float, bool]]:
    """The time of each contender for one page, and whether it gave a result."""
    return {name: _measure(work, page) for name, work in _contenders().items()}


def _measure(work: Work, page: Page) -> tuple[float, bool]:
    began = time.process_time()
    result = work(*page)
    return time.process_time() - began, result


@cache
def _contenders() -> Mapping[str, Work]:
    warnings.simplefilter("ignore")
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    settings = Settings(DEFAULT_METHOD, columns=(*COLUMNS, *FORMS_OF_TEXT))
    alone = Settings(DEFAULT_METHOD, columns=("text",))
    return {
        TEXT: partial(_our_row, settings=alone),
        WHOLE: partial(_our_row, settings=settings),
        THEIR_TEXT: _their_text,
        THEIR_WHOLE: _their_whole,
    }


def _our_row(html: str, url: str | None, settings: Settings) -> bool:
    body = html.encode("utf-8", "replace")
    rows = list(extract_rows([RawPage("page", 0, url, body, "utf-8")], settings))
    found = pa.RecordBatch.from_pylist(rows, schema=settings.schema)
    return bool(found.column("error").null_count)


def _their_text(html: str, url: str | None) -> bool:
    from trafilatura import extract

    return bool(extract(html, url=url))


def _their_whole(html: str, url: str | None) -> bool:
    from trafilatura import bare_extraction
    from trafilatura.core import determine_returnstring
    from trafilatura.settings import Extractor

    wanted = {"links": True, "images": True, "formatting": True, "with_metadata": True}
    options = Extractor(output_format="markdown", url=url, **wanted)
    document = bare_extraction(html, url=url, options=options)
    if document is None:
        return False
    forms = [Extractor(output_format=form, url=url, **wanted) for form in FORMATS]
    written = [determine_returnstring(document, form) for form in forms]
    return all(written)


if __name__ == "__main__":
    parts = (*sys.argv[1:], f"::{STEP}")[0].split(":")
    found = bounds(slice(*(int(part) if part else None for part in parts)), 2)
    print(*found, sep="\n")
    raise SystemExit(any(not bound.holds and not bound.is_aim for bound in found))
