"""The same bytes for the same page: on every run, for every seed of hashes, in every thread."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.together import digest_shuffled, digests
from samples.generate import generate

ROOT = Path(__file__).parents[1]


def test_the_seed_of_hashes_changes_no_document() -> None:
    found = set()
    for seed in ("0", "1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-m", "benchmarks.same"]
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_threads_make_what_one_makes() -> None:
    alone = digests(list(generate(seed=5, count=25)), 0)
    assert len(set(alone.values())) == 25
    with ThreadPoolExecutor(8) as pool:
        for each in pool.map(digest_shuffled, [25] * 8, range(1, 9)):
            assert each == alone
