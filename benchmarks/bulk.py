"""`python -m benchmarks.bulk [--pages 50000] [--sample 300] [--jobs 2]`: what bulk promises.
`make bench` runs it without the long run.

One archive of pages from WCXB's development set is read again and again under other names, goes
through the local engine and becomes Parquet files. Costs are processor time of all processes, in
which other work on the machine hardly shows; pages per second are by the clock.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import pyarrow as pa

from benchmarks import archive, pool
from benchmarks.pages import STEP
from benchmarks.report import Bound, check_results
from tearsheet.bulk import local
from tearsheet.bulk.extract import Settings, extract_batches
from tearsheet.bulk.sources import Reading, batches, sources
from tearsheet.bulk.writers import writer_for
from tearsheet.clip import DEFAULT_METHOD

SHORT = 800
"""Pages of the short form: with fewer, the start and end of each worker would count."""
SHORT_RUNS = 5
"""Short runs that the long one is compared with: they vary by a tenth, so the median is used."""
LOOKS = 200
"""How often memory and processor time are read in the long run."""
_TICK = os.sysconf("SC_CLK_TCK")


def main() -> int:
    """The number of promises that do not hold."""
    args, found = _arguments(), []
    with tempfile.TemporaryDirectory() as folder:
        for bound in _bounds(Path(folder), args):
            print(bound, flush=True)
            found.append(bound)
    return sum(not bound.holds and not bound.is_aim for bound in found)


def _bounds(folder: Path, args: argparse.Namespace) -> Iterator[Bound]:
    settings = Settings(args.method)
    yield from _against_one_process(folder, args.sample, args.jobs, settings)
    yield from pool.bounds(slice(None, None, STEP), args.jobs)
    yield from _long_run(folder, args.of, args.pages, args.jobs, settings)


def short() -> Iterator[Bound]:
    """Only the comparisons, with fewer pages, on two cores."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _against_one_process(Path(folder), SHORT, 2, Settings())
    yield from pool.bounds(slice(None, None, 2 * STEP), 2)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=50_000, help="of the long run")
    parser.add_argument("--of", type=int, default=1_000, help="pages that are repeated in it")
    parser.add_argument("--sample", type=int, default=300, help="pages of the comparisons")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--method", default=DEFAULT_METHOD)
    return parser.parse_args()


@dataclass
class Run:
    """What a run has taken so far."""

    pages: int = 0
    clock: float = 0.0
    own: float = 0.0
    """Processor time of this process: reading, writing, and sending batches."""
    workers: float = 0.0
    looks: list[tuple[int, float, float]] = field(default_factory=list)
    """Pages, processor time and MB of all processes, at several moments."""

    @property
    def cost(self) -> float:
        return self.own + self.workers

    def without(self, start: Run, jobs: int) -> Run:
        """The run without the start of the workers, which start at the same time."""
        return replace(
            self,
            clock=self.clock - start.clock,
            own=self.own - start.own,
            workers=self.workers - jobs * start.workers,
        )


def _against_one_process(folder: Path, count: int, jobs: int, settings: Settings) -> list[Bound]:
    inputs = _inputs(folder, count, count)
    list(extract_batches(_first_pages(inputs), settings))  # so that everything is imported
    one = _run(inputs, folder / "one", lambda pages: extract_batches(pages, settings))
    many = _run(inputs, folder / "many", lambda pages: local.run(pages, settings, jobs))
    many = many.without(_start(folder, settings), jobs)
    print(f"{count} pages, {settings.method}, {jobs} workers, ms of processor time a page:")
    print(f"  all in one process {_ms(one.cost, one):7.2f}")
    print(f"  workers            {_ms(many.workers, many):7.2f}")
    print(f"  reading and writing{_ms(many.own, many):7.2f}")
    print(f"  pages/s by the clock: one process {count / one.clock:.1f}", end="")
    print(f", {jobs} workers {count / many.clock:.1f}", flush=True)
    return [
        Bound(f"time of {jobs} workers / of one process", many.clock / one.clock, 1 / 1.8),
        Bound("reading and writing / whole run", many.own / many.cost, 0.15),
    ]


def _first_pages(inputs: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """One small batch, to warm up."""
    yield next(batches(sources(inputs, Reading()))).slice(0, 2)


def _long_run(folder: Path, of: int, count: int, jobs: int, settings: Settings) -> list[Bound]:
    inputs = _inputs(folder, of, count)

    def work(pages: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return local.run(pages, settings, jobs)

    start = _start(folder, settings)
    shorts = [_run(inputs[:1], folder / f"short-{i}", work) for i in range(SHORT_RUNS)]
    short = sorted(shorts, key=lambda run: run.cost)[SHORT_RUNS // 2].without(start, jobs)
    long = _run(inputs, folder / "long", work, every=max(count // LOOKS, 1)).without(start, jobs)
    grown = long.cost / short.cost / len(inputs)
    second, last = _memory(long, 0.1, 0.2), _memory(long, 0.9, 1.0)
    print(f"{long.pages} pages ({of} of them, repeated), {jobs} workers:")
    print(f"  ms of processor time a page {_ms(long.cost, long):7.2f}")
    print(f"  with {short.pages} pages only{_ms(short.cost, short):11.2f}")
    print(f"  pages/s by the clock {long.pages / long.clock:14.1f}")
    print(f"  MB of all processes, second tenth {second:.0f}, last tenth {last:.0f}", flush=True)
    return [
        Bound("memory, last tenth / second tenth", last / second, 1.05),
        Bound(f"cost of {long.pages} pages / of {short.pages}, per page", grown, 1.1),
    ]


def _start(folder: Path, settings: Settings) -> Run:
    """One worker with one page: nearly all of its cost is its start."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        work = partial(local.run, settings=settings, jobs=1)
        return _run(_inputs(folder, 1, 1), Path(out), work)


def _inputs(folder: Path, of: int, count: int) -> list[str]:
    """An archive of `of` pages, under as many names as make `count` pages."""
    path = folder / f"{of}.warc.gz"
    if not path.exists():
        archive.main(str(path), of)
    names = [folder / f"{of}-{number}.warc.gz" for number in range(max(count // of, 1))]
    for link in names:
        if not link.exists():
            link.symlink_to(path)
    return [str(link) for link in names]


def _run(
    inputs: Sequence[str],
    out: Path,
    work: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    every: int = 0,
) -> Run:
    """All pages of the inputs through the work and into Parquet files."""
    run, began, own = Run(), time.monotonic(), time.process_time()
    failures = 0
    writer = writer_for(str(out), {})
    for rows in work(batches(sources(inputs, Reading()))):
        writer.write(rows)
        run.pages += rows.num_rows
        failures += rows.num_rows - rows.column("error").null_count
        used, held = _workers()
        run.workers = max(run.workers, used)
        run.own, run.clock = time.process_time() - own, time.monotonic() - began
        if every and run.pages >= every * (len(run.looks) + 1):
            run.looks.append((run.pages, run.cost, held))
    writer.close()
    check_results(out.name, run.pages, failures)
    run.own, run.clock = time.process_time() - own, time.monotonic() - began
    return run


def _workers() -> tuple[float, float]:
    """Processor time of the processes that this one has started, and MB of all with this one."""
    pids = {
        pid
        for thread in Path("/proc/self/task").iterdir()
        for pid in (thread / "children").read_text().split()
    }
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    held = sum(int(stat[21]) for stat in stats) * 4096
    held += int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / _TICK, held / 2**20


def _memory(run: Run, begin: float, end: float) -> float:
    return fmean(mb for pages, _, mb in run.looks if begin < pages / run.pages <= end)


def _ms(seconds: float, run: Run) -> float:
    return 1e3 * seconds / run.pages


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
