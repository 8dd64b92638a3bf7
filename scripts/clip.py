"""`make clip`: clips a page to `out/` as PDF, HTML and Markdown, and says where they are.

Without an address the sample site is served on this machine, so that no network is needed.
"""

from __future__ import annotations

import contextlib
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "out"
FORMATS = ("pdf", "html", "md")


def main(url: str = "") -> int:
    """Clips the address, or the sample site's article, into every format of `FORMATS`."""
    with contextlib.ExitStack() as stack:
        options: list[str] = []
        if not url:
            url, options = stack.enter_context(_sample()), ["--allow-private"]
            print(f"No URL was given: clipping the sample site's article at {url}")
        codes = [_clip(url, form, options) for form in FORMATS]
    return max(codes)


@contextlib.contextmanager
def _sample() -> Iterator[str]:
    """The address of the sample article while the sample site is being served."""
    sys.path.insert(0, str(ROOT))
    site = importlib.import_module("samples.serve")
    with site.serving() as address:
        yield f"{address}/news/last-ferry.html"


def _clip(url: str, form: str, options: list[str]) -> int:
    command = [sys.executable, "-m", "tearsheet", "clip", url, "-f", form, "-o", f"{OUT}/"]
    return subprocess.run([*command, *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
