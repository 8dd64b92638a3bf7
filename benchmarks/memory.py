"""Peak memory of one extraction, each in its own process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.report import Bound
from tearsheet.evaluate.peers import version

MEGABYTE = 1 << 20
_CODE = """
import re, resource, sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from tearsheet.evaluate.entrants import Entrant, find
def highest():  # Linux counts the parent's memory in ru_maxrss, too
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
entrant = Entrant(sys.argv[1])
html = open(sys.argv[2], encoding="utf-8").read()
find(entrant, "<p>Warm up: one short sentence.</p>", None)
before = highest()
find(entrant, html, None)
print(highest() - before)
"""


def bounds(pages: Sequence[str], method: str) -> Iterator[Bound]:
    """The peaks in MB of the largest page, the median page and a few between."""
    ordered = sorted(pages, key=len)
    for share in (0.5, 0.9, 0.99, 1.0):
        html = ordered[min(int(share * len(ordered)), len(ordered) - 1)]
        size = len(html.encode())
        limit = 20 * size / MEGABYTE + 60
        others = ", ".join(
            f"{peer} {peak(html, peer):.0f}" for peer in ("trafilatura", "resiliparse")
            if version(peer)
        )  # fmt: skip
        label = f"{method}, peak MB on a page of {size / MEGABYTE:.2f} MB"
        yield Bound(f"{label} ({others})", peak(html, method), limit)


def peak(html: str, entrant: str) -> float:
    """MB by which the process grew at its peak while it worked on the page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(html, encoding="utf-8", errors="replace")
        command = [sys.executable, "-c", _CODE, entrant, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    kilobytes = int(done.stdout.split()[-1])
    return kilobytes / 1024
