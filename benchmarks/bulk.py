"""`python -m benchmarks.bulk [--pages 50000] [--sample 300] [--jobs 2]`: what bulk promises.
`make bench` runs it without the long run.

One archive of pages from WCXB's development set is read again and again under other names, goes
through the local engine and becomes Parquet files. Costs are processor time, in which other work on
the machine hardly shows: of the parent by its clock, of the workers by their manifests. Pages per
second are by the clock.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from benchmarks import archive, pool
from benchmarks.pages import STEP
from benchmarks.report import Bound, check_results
from tearsheet.bulk import Settings
from tearsheet.bulk.driver import drive
from tearsheet.bulk.runs import BulkRun, Manifest
from tearsheet.bulk.sources import Reading
from tearsheet.bulk.tasks import Task, open_workers, perform
from tearsheet.clip import DEFAULT_METHOD
from tearsheet.workers import family

SHORT = 800
"""Pages of the short form: with fewer, the start and end of each worker would count."""
SHARDS = 80
"""Archives of the comparison."""
FIRST_SHARDS = 2
"""Shards that are done before the clock starts: so that both processes have."""
FIRST = 0.1
"""Share of the long run that the rest of it is compared with."""


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
    if args.columns:
        settings = Settings(args.method, columns=tuple(args.columns.split(",")))
    if args.sample:
        yield from _against_one_process(folder, args.sample, args.jobs, settings)
    if args.sample and args.peers:
        yield from pool.bounds(slice(None, None, STEP), args.jobs)
    if args.pages:
        yield from _long_run(folder, args.of, args.pages, args.jobs, settings)


def short() -> Iterator[Bound]:
    """Only the comparisons, with fewer pages, on two cores."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _against_one_process(Path(folder), SHORT, 2, Settings())
    yield from pool.bounds(slice(None, None, 2 * STEP), 2)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=50_000, help="of the long run; 0: none")
    parser.add_argument("--of", type=int, default=1_000, help="pages that are repeated in it")
    parser.add_argument("--sample", type=int, default=300, help="pages of the comparisons; 0: none")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--method", default=DEFAULT_METHOD)
    parser.add_argument("--columns", default="", help="of the long run and the comparisons")
    return parser.parse_args()


@dataclass
class RunCosts:
    """The time and memory that a run has taken."""

    pages: int = 0
    clock: float = 0.0
    """Seconds from when all processes have started, and the pages of that time."""
    timed_pages: int = 0
    own: float = 0.0
    """Processor time of this process, the parent."""
    shards: list[tuple[int, float, float]] = field(default_factory=list)
    """Of each shard, in the order of their ends: pages, processor time, MB of all processes."""

    @property
    def rate(self) -> float:
        """Pages per second by the clock."""
        return self.timed_pages / self.clock

    @property
    def workers(self) -> float:
        return sum(seconds for _, seconds, _ in self.shards)


def _against_one_process(folder: Path, count: int, jobs: int, settings: Settings) -> list[Bound]:
    inputs = _small_inputs(folder, count)
    one = _measure(inputs, folder / "one", settings, 0)
    many = _measure(inputs, folder / "many", settings, jobs)
    print(f"{count} pages, {settings.method}, {jobs} workers, ms of processor time a page:")
    print(f"  all in one process {_ms(one.own, one):7.3f}")
    print(f"  workers            {_ms(many.workers, many):7.3f}")
    print(f"  parent             {_ms(many.own, many):7.3f}")
    print(f"  pages/s by the clock, once all have started: one process {one.rate:.1f}", end="")
    print(f", {jobs} workers {many.rate:.1f}: {one.clock / many.clock:.3f} times", flush=True)
    return [
        Bound(f"time of {jobs} workers / of one process", many.clock / one.clock, 1 / 1.9),
        Bound("parent / whole run", many.own / (many.own + many.workers), 0.02),
    ]


def _long_run(folder: Path, of: int, count: int, jobs: int, settings: Settings) -> list[Bound]:
    long = _measure(_inputs(folder, of, count), folder / "long", settings, jobs)
    first, rest = _part(long, 0, FIRST), _part(long, FIRST, 1)
    grown, held = _cost(rest) / _cost(first), _memory(rest) / _memory(first)
    print(f"{long.pages} pages ({of} of them, repeated), {jobs} workers:")
    print(f"  ms of processor time a page, first tenth {1e3 * _cost(first):.2f}", end="")
    print(f", the rest {1e3 * _cost(rest):.2f}; of the parent {_ms(long.own, long):.4f}")
    print(f"  pages/s by the clock {long.rate:.1f}")
    print("  by tenths, ms of processor time a page", end="")
    print("".join(f"{1e3 * _cost(_part(long, i / 10, (i + 1) / 10)):7.2f}" for i in range(10)))
    print("  by tenths, MB of all processes        ", end="")
    print("".join(f"{_memory(_part(long, i / 10, (i + 1) / 10)):7.0f}" for i in range(10)))
    print(f"  MB of all processes, first tenth {_memory(first):.0f}", end="")
    print(f", the rest {_memory(rest):.0f}, at most {max(mb for _, _, mb in long.shards):.0f}")
    return [
        Bound("memory, the rest / first tenth", held, 1.05),
        Bound("processor time per page, the rest / first tenth", grown, 1.05),
    ]


def _part(run: RunCosts, begin: float, end: float) -> list[tuple[int, float, float]]:
    count = len(run.shards)
    return run.shards[round(begin * count) : round(end * count)]


def _cost(shards: list[tuple[int, float, float]]) -> float:
    return sum(seconds for _, seconds, _ in shards) / sum(pages for pages, _, _ in shards)


def _memory(shards: list[tuple[int, float, float]]) -> float:
    return fmean(mb for _, _, mb in shards)


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


def _small_inputs(folder: Path, count: int) -> list[str]:
    """The pages in so many archives that at the end no worker waits long for another."""
    records, paths = list(archive.records(count)), []
    for number in range(SHARDS):
        path = folder / f"small-{number:03}.warc.gz"
        path.write_bytes(b"".join(records[number::SHARDS]))
        paths.append(str(path))
    return paths


class _Engine:
    """Tasks done by so many processes, or by this one; the first few before the clock starts."""

    def __init__(self, run: BulkRun, jobs: int) -> None:
        self._run, self._jobs = run, jobs
        self.began = 0.0

    def perform(self, tasks: Sequence[Task]) -> Iterator[Manifest]:
        if self._jobs:
            with open_workers(self._run, self._jobs) as workers:
                yield from self._time(workers.results, tasks)
        else:
            yield from self._time(lambda some: (perform(self._run, one) for one in some), tasks)

    def _time(
        self, work: Callable[[Sequence[Task]], Iterator[Manifest]], tasks: Sequence[Task]
    ) -> Iterator[Manifest]:
        yield from work(tasks[:FIRST_SHARDS])
        self.began = time.monotonic()
        yield from work(tasks[FIRST_SHARDS:])


def _measure(inputs: Sequence[str], out: Path, settings: Settings, jobs: int) -> RunCosts:
    """All pages of the inputs, in `jobs` processes or, with 0, in this one."""
    found, errors, weighing = RunCosts(), 0, 0.0

    def note(manifest: Manifest, is_new: bool) -> None:
        nonlocal errors, weighing
        errors += sum(manifest["errors"].values())
        found.pages += manifest["rows"]
        found.timed_pages += manifest["rows"] if engine.began else 0
        began = time.process_time()
        found.shards.append((manifest["rows"], manifest["seconds"], _measure_memory()))
        weighing += time.process_time() - began

    run = BulkRun(str(out), "parquet", settings, Reading())
    run, shards = run.open(inputs, inputs)
    engine, own = _Engine(run, jobs), time.process_time()
    drive(run, shards, engine, note)
    found.clock, found.own = time.monotonic() - engine.began, time.process_time() - own - weighing
    check_results(settings.method, found.pages, errors)
    return found


def _measure_memory() -> float:
    """MB of this process and all below it."""
    held = 0
    for pid in family(_SELF):
        try:
            held += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
        except OSError:
            continue
    return held / 2**20


_SELF = int(Path("/proc/self").resolve().name)


def _ms(seconds: float, run: RunCosts) -> float:
    return 1e3 * seconds / run.pages


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
