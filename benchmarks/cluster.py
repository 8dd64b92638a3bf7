"""`python -m benchmarks.cluster [--workers 1000] [--pages 3e9] [--ms 11] …`: a crawl on paper, by a
discrete-event simulation of workers with stragglers and failures.

Every number that it starts from is an argument; docs/scale.md says which were measured. A worker
takes the next shard, reads it, clips it and writes its part. Some machines are slow, some shards
have slow pages, workers die and come back, the store slows a request down or refuses it, and the
driver spends its time on each shard. What is counted: hours, work that was done twice, how long
workers are idle, and how much of its time the driver is busy.
"""

from __future__ import annotations

import argparse
import heapq
import random
from dataclasses import dataclass, field

HOUR = 3600.0


@dataclass
class Crawl:
    """The assumptions about a crawl and its machines."""

    pages: float = 3e9
    shard_pages: int = 5000
    """Pages of a shard: 128 MB of WARC.gz, at 25 KB a page."""
    workers: int = 1000
    ms: float = 11.0
    """Processor time of a worker per page."""
    shard_seconds: float = 1.0
    """Waiting for the store per shard, to open, list and put."""
    driver_ms: float = 2.0
    """Processor time of the driver per shard."""
    slow_machines: float = 0.05
    """Share of workers that need twice the time."""
    tail: float = 0.01
    """Share of shards with pages that take up to ten times as long."""
    hours_to_failure: float = 24.0
    """Mean time until a worker dies, and loses the shard that it is at."""
    restart_seconds: float = 120.0
    refusals: float = 0.02
    """Share of shards that the store refuses once: the worker waits and begins again."""
    dollars: float = 0.04
    """Price of a core for an hour."""
    seed: int = 1


@dataclass
class Outcome:
    """The results of a simulated run."""

    hours: float = 0.0
    shards: int = 0
    lost: int = 0
    useful: float = 0.0
    """Seconds of workers that led to a part."""
    spent: float = 0.0
    driver_busy: float = 0.0
    last: list[float] = field(default_factory=list)
    """When each worker had no more to do."""


def simulate(crawl: Crawl) -> Outcome:
    """Runs the crawl, event by event: an event is a worker that wants a shard."""
    chance, found = random.Random(crawl.seed), Outcome()
    slow = [2.0 if chance.random() < crawl.slow_machines else 1.0 for _ in range(crawl.workers)]
    dies = [chance.expovariate(1 / (crawl.hours_to_failure * HOUR)) for _ in range(crawl.workers)]
    waiting = [(0.0, number) for number in range(crawl.workers)]
    left, free = round(crawl.pages / crawl.shard_pages), 0.0
    while waiting:
        now, number = heapq.heappop(waiting)
        if not left:
            found.last.append(now)
            continue
        left -= 1
        begin = max(now, free)  # the driver hands out one shard at a time
        free = begin + crawl.driver_ms / 1e3
        found.driver_busy += crawl.driver_ms / 1e3
        takes = _seconds(crawl, chance) * slow[number]
        end = begin + takes
        if end > dies[number]:
            found.lost += 1
            left += 1
            found.spent += dies[number] - begin
            end = dies[number] + crawl.restart_seconds
            dies[number] = end + chance.expovariate(1 / (crawl.hours_to_failure * HOUR))
        else:
            found.shards += 1
            found.useful += takes
            found.spent += takes
        heapq.heappush(waiting, (end, number))
    found.hours = max(found.last) / HOUR
    return found


def _seconds(crawl: Crawl, chance: random.Random) -> float:
    """The time of a shard on a machine of usual speed."""
    work = crawl.shard_pages * crawl.ms / 1e3 * chance.lognormvariate(0.0, 0.15)
    if chance.random() < crawl.tail:
        work *= chance.uniform(1, 10)
    if chance.random() < crawl.refusals:
        work *= 1 + chance.random()
    return work + crawl.shard_seconds


def report(crawl: Crawl) -> str:
    """The outcome in words."""
    found = simulate(crawl)
    ideal = crawl.pages * crawl.ms / 1e3 / crawl.workers / HOUR
    idle = 1 - found.spent / (found.hours * HOUR * crawl.workers)
    share = found.driver_busy / (found.hours * HOUR)
    cores = found.hours * crawl.workers
    return (
        f"{crawl.workers:6,} workers, {found.shards:,} shards: {found.hours:6.2f} h "
        f"({found.hours / ideal:.2f} times the sum), {cores:,.0f} core hours, "
        f"{cores * crawl.dollars:,.0f} dollars\n"
        f"        {found.lost} shards done twice, workers idle {idle:.1%}, driver busy "
        f"{share:.1%}, "
        f"last worker {(max(found.last) - min(found.last)) / 60:.0f} min after the first"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    known = Crawl()
    for name in Crawl.__dataclass_fields__:
        value = getattr(known, name)
        kind = type(value) if name != "pages" else float
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    return parser.parse_args()


if __name__ == "__main__":
    print(report(Crawl(**vars(_arguments()))))
