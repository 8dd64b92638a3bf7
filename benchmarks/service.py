"""`python -m benchmarks.service [load|drawn|kills]`: what the service does under load, how much of
it is the service's own, and what is lost when parts of it are killed. Loopback only."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence

from benchmarks import pages, traffic
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.errors import TearsheetError

CLIENTS, SECONDS, WARM_UP = 50, 60.0, 15.0
CORES = 2
PAGES = 120


def main(parts: Sequence[str]) -> int:
    """The number of promises that do not hold."""
    found = []
    for part in parts or PARTS:
        for bound in PARTS[part]():
            print(bound, flush=True)
            found.append(bound)
    return sum(not bound.holds for bound in found)


def load() -> Iterator[Bound]:
    """50 clients for a minute, on parsed pages; beside it, what `extract` alone does."""
    texts = [page.encode() for page in pages.sample()]
    random.Random(7).shuffle(texts)
    texts = [text for text in texts[: PAGES * 2] if _has_article(text)][:PAGES]
    before = alone(texts)
    with traffic.site(texts) as site, tempfile.TemporaryDirectory() as folder:
        options = {"pages": "one", "print_page": "never"}
        asks = [
            {"url": f"{site}/{n}", "format": "md", "render": "never", "options": options}
            for n in range(len(texts))
        ]
        with traffic.service(folder) as service:
            traffic.crowd(service.address, asks, CLIENTS, WARM_UP)
            memory = service.memory()
            used = {pid: traffic.cpu(pid) for pid in service.pids}
            began = time.monotonic()
            tally = traffic.crowd(service.address, asks, CLIENTS, SECONDS)
            wall = time.monotonic() - began
            spent = sum(traffic.cpu(pid) - used.get(pid, 0.0) for pid in service.pids)
            grown = service.memory() / memory
            print(f"memory after warm-up {memory:.0f} MB")
    after = alone(texts)
    done = tally.statuses[200]
    rate, bare = done / wall, (before[0] + after[0]) / 2
    print(f"{done} clips in {wall:.0f} s, {rate:.1f} a second; statuses {dict(tally.statuses)}")
    print(f"extract alone: {before[0]:.1f} a second before, {after[0]:.1f} after, on {CORES} cores")
    cpu_bare = (before[1] + after[1]) / 2
    print(
        f"processor time a page: extract {cpu_bare * 1e3:.1f} ms, service {spent / done * 1e3:.1f} ms"
        f" ({spent / wall / CORES:.0%} of the cores were the service's)"
    )
    errors = sum(n for status, n in tally.statuses.items() if status not in (200, 429))
    yield Bound("answers that are neither 200 nor 429", errors, 0)
    yield Bound(
        f"seconds, 99th percentile (median {tally.quantile(0.5):.2f})", tally.quantile(0.99), 2
    )
    yield Bound("memory at the end / after warm-up", grown, 1.1)
    yield Bound("extract alone / service, clips a second", bare / rate, 1 / 0.7)
    yield Bound("service / extract alone, processor time a page", spent / done / cpu_bare, 1 / 0.7)


def _has_article(text: bytes) -> bool:
    try:
        return bool(extract(text).text)
    except TearsheetError:
        return False


def alone(texts: Sequence[bytes], seconds: float = 12.0) -> tuple[float, float]:
    """Pages a second that `extract` does in a process per core, and processor seconds a page."""
    with multiprocessing.get_context("spawn").Pool(CORES) as pool:
        rounds = [(texts, seconds, number) for number in range(CORES)]
        found = pool.starmap(_extracting, rounds, chunksize=1)
    return sum(n / wall for n, wall, _ in found), sum(cpu for *_, cpu in found) / sum(
        n for n, *_ in found
    )


def _extracting(texts: Sequence[bytes], seconds: float, first: int) -> tuple[int, float, float]:
    extract(texts[0])
    count, began, spent = 0, time.monotonic(), time.process_time()
    while time.monotonic() - began < seconds:
        extract(texts[(first * 17 + count) % len(texts)])
        count += 1
    return count, time.monotonic() - began, time.process_time() - spent


PARTS = {"load": load}

if __name__ == "__main__":
    raise SystemExit(1 if main(sys.argv[1:]) else 0)
