"""`python -m benchmarks.engines [PAGES] [METHOD]`: whether every engine gives the same rows.

The archives have WCXB's development pages and lie in an S3-compatible store on this machine (moto's
server), where the rows go, too. Local processes, Ray and Spark run by their command, datatrove by a
pipeline; all columns but the timings are compared with those of the local engine.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.bulk.stores import BUCKET, put, s3_server

from benchmarks import archive
from tearsheet.bulk.locations import file_names, read_bytes
from tearsheet.clip import DEFAULT_METHOD

ENGINES = ("local", "ray", "spark", "datatrove")
FILES = 8
"""Archives that the pages are spread over."""
DATATROVE = """
import sys
from datatrove.executor import LocalPipelineExecutor
from tearsheet.bulk import Settings
from tearsheet.bulk.datatrove import ShardReader
from tearsheet.bulk.extract import LONE
from tearsheet.bulk.sources import Reading
from tearsheet.types import Options

if __name__ == "__main__":
    inputs, out, method, log = sys.argv[1:]
    options = Options(robots=True, **LONE)
    step = ShardReader([inputs], out, Settings(method, options), Reading(options=options))
    LocalPipelineExecutor([step], tasks=2, workers=2, logging_dir=log).run()
"""


def main(count: int | None, method: str) -> int:
    """The number of engines that differ from the local one."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, s3_server():
        print(f"{fill_store(Path(folder), count)} pages, method {method}")
        expected: list[dict[str, Any]] = []
        for engine in ENGINES:
            began = time.monotonic()
            found = _rows(Path(folder), engine, method)
            expected = expected or found
            different = sum(a != b for a, b in zip(found, expected))
            different += abs(len(found) - len(expected))
            wrong += bool(different)
            errors = sum(row["error"] is not None for row in found)
            print(
                f"  {engine:10}{len(found):6} rows{errors:5} errors{different:5} different"
                f"{time.monotonic() - began:8.0f} s",
                flush=True,
            )
    return wrong


def fill_store(folder: Path, count: int | None) -> int:
    """Puts the pages into the store; how many they are."""
    records = list(archive.records(count))
    for number in range(FILES):
        path = folder / f"{number}.warc.gz"
        path.write_bytes(b"".join(records[number::FILES]))
        put(path, f"in/{number}.warc.gz")
    return len(records)


def _rows(folder: Path, engine: str, method: str) -> list[dict[str, Any]]:
    inputs, out = f"s3://{BUCKET}/in/*.warc.gz", f"s3://{BUCKET}/{engine}"
    if engine == "datatrove":
        script = folder / "pipeline.py"
        script.write_text(DATATROVE)
        command = [sys.executable, str(script), inputs, out, method, str(folder / "log")]
    else:
        command = [sys.executable, "-m", "tearsheet", "bulk", inputs, "-o", out]
        command += ["--engine", engine, "-m", method]
    polite = {**os.environ, "RAY_worker_niceness": "0"}  # else other work comes first
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=polite)
    if done.returncode:
        raise SystemExit(f"{engine}: {done.stderr[-2000:]}")
    names = [name for name in file_names(out) if name.endswith(".parquet")]
    tables = [pq.read_table(io.BytesIO(read_bytes(f"{out}/{name}"))) for name in names]
    rows = [row for table in tables for row in table.drop_columns("timings").to_pylist()]
    return sorted(rows, key=lambda row: (row["source"], row["offset"]))


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else None
    raise SystemExit(1 if main(number, (*sys.argv[2:], DEFAULT_METHOD)[0]) else 0)
