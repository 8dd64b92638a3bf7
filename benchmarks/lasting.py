"""`python -m benchmarks.lasting`: whether memory grows over 20,000 extractions in one process.

Every page differs (by a number in its address, classes and text), so that anything kept per page
would show. The first tenth fills the caches, whose size is limited.
"""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path

from samples.generate import generate

from benchmarks.report import Bound
from tearsheet import extract

COUNT = 20_000
_LIMIT = 30.0
"""MB. If each extraction kept its page, it would be 20 KB each and 400 MB in all."""


def main(count: int = COUNT) -> int:
    """1 if memory grew by more than the limit."""
    pages = sorted(generate(seed=9, count=300), key=lambda page: len(page.html))[:100]
    warm, step = count // 10, max(count // 10, 1)
    before = 0.0
    for number in range(1, count + 1):
        page = pages[number % len(pages)]
        html = page.html.replace("</p>", f" {number}</p>")
        html = html.replace('class="', f'class="c{number} ')
        article = extract(html, f"{page.url}?n={number}")
        article.to("json")
        if number % step == 0:
            held = resident()
            before = held if number == warm else before
            print(f"{number:6}  {held:7.1f} MB", flush=True)
    gc.collect()
    bound = Bound(f"MB grown over {count - warm:,} extractions", resident() - before, _LIMIT)
    print(bound)
    return 0 if bound.holds else 1


def resident() -> float:
    """MB that this process uses (Linux)."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
