"""`python -m benchmarks.killed [PAGES] [METHOD]`: a run that is killed with -9 three times and
continued gives the rows of an unbroken one. The archive has WCXB's development pages."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bulk.test_run import count, has_ended, rows

from benchmarks import archive
from tearsheet.clip import DEFAULT_METHOD

SHARES = (0.1, 0.4, 0.8)
"""Least share of the rows that are written before each kill."""


def main(pages: int | None, method: str) -> int:
    """The number of rows that differ from the unbroken run."""
    with tempfile.TemporaryDirectory() as folder:
        path, whole, out = (
            Path(folder) / name for name in ("in.warc.gz", "whole.jsonl", "out.jsonl")
        )
        number = archive.main(str(path), pages)
        command = [sys.executable, "-m", "tearsheet", "bulk", str(path), "-m", method, "-o"]
        subprocess.run([*command, str(whole)], check=True)
        for share in SHARES:
            _run_and_kill([*command, str(out)], out, int(share * number))
        subprocess.run([*command, str(out)], check=True)
        expected, found = rows(whole), rows(out)
    wrong = sum(a != b for a, b in zip(expected, found)) + abs(len(expected) - len(found))
    errors = sum(row["error"] is not None for row in found)
    print(f"{number} pages, {method}: {len(found)} rows, {errors} errors, {wrong} different")
    return wrong


def _run_and_kill(command: list[str], out: Path, wanted: int) -> None:
    """Starts or continues a run, and kills it when it has written `wanted` rows."""
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while not has_ended(run) and count(out) < wanted:
        pass
    run.kill()
    run.wait()
    print(f"killed with {count(out)} rows", flush=True)


if __name__ == "__main__":
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else None
    raise SystemExit(1 if main(pages, (*sys.argv[2:], DEFAULT_METHOD)[0]) else 0)
