"""`python -m benchmarks.engines [PAGES] [METHOD]`: whether every engine gives the same rows.

The archive has WCXB's development pages. The engines run on this machine, each by its command; all
columns but the timings are compared with those of the local engine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks import archive
from tearsheet.clip import DEFAULT_METHOD

ENGINES = ("local", "ray", "spark")


def main(count: int | None, method: str) -> int:
    """The number of engines that differ from the local one."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.warc.gz"
        print(f"{archive.main(str(path), count)} pages, method {method}")
        expected: list[dict[str, Any]] = []
        for engine in ENGINES:
            began = time.monotonic()
            found = _rows(path, Path(folder) / engine, engine, method)
            expected = expected or found
            different = sum(a != b for a, b in zip(found, expected))
            different += abs(len(found) - len(expected))
            wrong += bool(different)
            errors = sum(row["error"] is not None for row in found)
            print(
                f"  {engine:8}{len(found):6} rows{errors:5} errors{different:5} different"
                f"{time.monotonic() - began:8.0f} s",
                flush=True,
            )
    return wrong


def _rows(path: Path, out: Path, engine: str, method: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tearsheet", "bulk", str(path), "-o", str(out)]
    subprocess.run([*command, "--engine", engine, "-m", method], check=True)
    rows = [
        row for part in out.rglob("*.parquet") for row in pq.ParquetFile(part).read().to_pylist()
    ]
    for row in rows:
        del row["timings"]
    return sorted(rows, key=lambda row: (row["source"], row["offset"]))


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else None
    raise SystemExit(1 if main(number, (*sys.argv[2:], DEFAULT_METHOD)[0]) else 0)
