"""`make bench`: measures, prints every promise with its value, and fails if one is broken."""

from __future__ import annotations

from benchmarks import bulk, growth, links, memory, pages, speed
from benchmarks.report import Bound
from tearsheet.clip import DEFAULT_METHOD


def main() -> int:
    """The number of promises that do not hold."""
    found: list[Bound] = []
    sample = pages.sample()
    print(f"{len(sample)} pages")
    taken = speed.times(sample)
    print(speed.table(taken))
    for part in (
        speed.bounds(taken),
        speed.import_bounds(),
        links.bounds(pages.examples()),
        growth.bounds(),
        memory.bounds(sample, DEFAULT_METHOD),
        bulk.short(),
    ):
        for bound in part:
            print(bound, flush=True)
            found.append(bound)
    return sum(not bound.holds and not bound.is_aim for bound in found)


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
