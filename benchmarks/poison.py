"""`python -m benchmarks.poison [METHOD]`: 200 poisoned records among 1,800 healthy ones.

Endless nesting, 80 MB, gzip that is false or expands to 80 MB, text that is hard for regular
expressions, wrong lengths. Each must become a row with an error or a result, and the healthy
records must stay unharmed.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.bulk import archives, poison

from tearsheet.clip import DEFAULT_METHOD

HEALTHY = 1_800
EVERY = 9


def main(method: str) -> int:
    """The number of records without the right row."""
    stories = archives.stories(HEALTHY)
    with tempfile.TemporaryDirectory() as folder:
        path, alone = Path(folder) / "in.warc.gz", Path(folder) / "alone.warc.gz"
        with path.open("wb") as file:
            file.writelines(gzip.compress(r, 1) for r in poison.among(stories, EVERY))
        archives.write(alone, stories)
        began = time.monotonic()
        expected, found = _rows(alone, method), _rows(path, method)
        spent = time.monotonic() - began
    bad = {url: row for url, row in found.items() if "/poison/" in url}
    harmed = sum(found.get(url) != row for url, row in expected.items())
    lost = HEALTHY // EVERY - len(bad)
    codes = Counter(str(row["error"] or "a result").partition(":")[0] for row in bad.values())
    print(f"method {method}: {len(found)} rows in {spent:.0f} s")
    print(f"  poisoned {len(bad)}, lost {lost}: {dict(codes.most_common())}")
    print(f"  healthy {len(expected)}, harmed {harmed}")
    return harmed + abs(lost)


def _rows(path: Path, method: str) -> dict[str, dict[str, object]]:
    """The rows by address, without what differs from run to run."""
    out = path.with_suffix(".jsonl")
    command = [sys.executable, "-m", "tearsheet", "bulk", str(path), "-o", str(out), "-m", method]
    subprocess.run(command, check=True)
    rows = {}
    for line in out.open("rb"):
        row = json.loads(line)
        rows[str(row["url"])] = {
            n: v for n, v in row.items() if n not in ("timings", "source", "offset")
        }
    return rows


if __name__ == "__main__":
    raise SystemExit(1 if main((*sys.argv[1:], DEFAULT_METHOD)[0]) else 0)
