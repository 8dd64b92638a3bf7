"""`python -X dev -m benchmarks.together`: 8 threads × 2,000 pages give the same documents as one
thread, and so do processes. Each thread takes all pages in its own order."""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

from samples.generate import GeneratedPage, generate

from tearsheet import extract
from tearsheet.errors import TearsheetError

THREADS = 8
PAGES = 2_000
FORMATS = ("txt", "md", "html", "json", "tei", "epub")


def main(threads: int = THREADS, count: int = PAGES) -> int:
    """The number of threads and processes whose documents differ."""
    alone = digests(list(generate(seed=5, count=count)), 0)
    print(f"one thread: {len(alone)} pages, {len(set(alone.values()))} different documents")
    wrong = 0
    with ThreadPoolExecutor(threads) as pool:
        wrong += _compare("threads", pool, threads, count, alone)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn) as processes:
        wrong += _compare("processes", processes, 2, count, alone)
    return wrong


def _compare(kind: str, pool: Executor, workers: int, count: int, alone: dict[str, str]) -> int:
    began = time.monotonic()
    found = list(pool.map(digest_shuffled, [count] * workers, range(1, workers + 1)))
    wrong = sum(one != alone for one in found)
    seconds = time.monotonic() - began
    print(f"{workers} {kind} × {count} pages: {wrong} differ, {seconds:.0f} s", flush=True)
    return wrong


def digest_shuffled(count: int, seed: int) -> dict[str, str]:
    """The digests of all pages, made in the order of a seed."""
    return digests(list(generate(seed=5, count=count)), seed)


def digests(pages: Sequence[GeneratedPage], seed: int) -> dict[str, str]:
    """A hash of the documents of each page, in all formats."""
    order = list(enumerate(pages))
    if seed:
        random.Random(seed).shuffle(order)
    return {f"{number} {page.url}": digest(page.html, page.url) for number, page in order}


def digest(html: str, url: str | None) -> str:
    """A hash of the article's documents, or the error."""
    try:
        article = extract(html, url)
    except TearsheetError as error:
        return f"{type(error).__name__}: {error}"
    found = hashlib.sha256()
    for form in FORMATS:
        found.update(article.to(form))
    return found.hexdigest()


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
