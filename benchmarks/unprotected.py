"""`python -m benchmarks.unprotected [WORDS …]`: can the tests of docs/security.md fail at all?

Each row of its table names an attack and the tests that prove what stops it. Here, a copy of the
repository loses one protection at a time, as `benchmarks/switches/*.toml` says, and the tests of
that row run on it. Each test must fail without one of the protections of its row, and without each
protection one of the tests. With words, only the attacks run that contain one of them. Two attacks
run side by side.

All of it runs in a network that has nothing but loopback, for without its guard the program might
reach addresses that it must not reach. A test that does not end has failed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tearsheet.acquire.launch import isolate

ROOT: Final = Path(__file__).resolve().parent.parent
SWITCHES: Final = ROOT / "benchmarks" / "switches"
PATIENCE: Final = 120.0
"""Seconds that a test may take."""
_PASSED, _FAILED = 0, 1
"""Exit codes of pytest; all others mean that it ran no test."""
_ROW: Final = re.compile(r"^\| ([^|]+) \|[^|]+\| (`tests/.+) \|$", re.MULTILINE)
_REASON: Final = re.compile(r"^(?:FAILED|ERROR) \S+(?:\[.*\])? - (.+)$", re.MULTILINE)
_TEST: Final = re.compile(r"`(tests/[\w/]+\.py::\w+)`")
_LEFT_OUT: Final = shutil.ignore_patterns(".git", ".venv", "out", "__pycache__", ".*_cache")


@dataclass(frozen=True, slots=True)
class Change:
    """A text of a file that stands there once, and what replaces it."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Switch:
    """What takes a protection away: one change, or several where a second line of defence holds."""

    attack: str
    """The first cell of a row of docs/security.md, or its beginning."""
    changes: tuple[Change, ...]


def main() -> int:
    """The number of tests that were not seen to fail, and of switches without effect."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unprotected", description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of the attacks to run (default: all)")
    words = [word.lower() for word in parser.parse_args().words]
    rows, switches = read_rows(), read_switches()
    chosen = [
        attack for attack in rows
        if not words or any(word in attack.lower() for word in words)
    ]  # fmt: skip
    isolate()
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda attack: _run_row(attack, rows, switches), chosen))
    tests, failed = (sum(counts) for counts in zip(*(result[:2] for result in results)))
    print(f"{failed} of {tests} tests failed without the protection that they prove")
    idle = [place for result in results for place in result.idle]
    for place in idle:
        print(f"no test failed without it: {place}")
    return tests - failed + len(idle)


def read_rows() -> dict[str, list[str]]:
    """The tests of each attack in docs/security.md."""
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    return {attack: _TEST.findall(tests) for attack, tests in _ROW.findall(text)}


def read_switches() -> list[Switch]:
    """All switches, of all files."""
    return [
        Switch(entry["attack"], tuple(Change(**change) for change in entry["change"]))
        for path in sorted(SWITCHES.glob("*.toml"))
        for entry in tomllib.loads(path.read_text("utf-8"))["switch"]
    ]


def find_attack(switch: Switch, attacks: Collection[str]) -> str:
    """The attack of a switch; an error if it is not exactly one."""
    found = [attack for attack in attacks if attack == switch.attack]
    found = found or [attack for attack in attacks if attack.startswith(switch.attack)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows of docs/security.md begin with {switch.attack!r}")
    return found[0]


class _Result(NamedTuple):
    """What came of a row."""

    tests: int
    failed: int
    idle: list[str]
    """Places of switches with which no test failed."""


def _run_row(attack: str, rows: dict[str, list[str]], switches: list[Switch]) -> _Result:
    """Runs the tests of an attack with each of its switches: first those that never failed."""
    tests, seen, idle = rows[attack], dict[str, str](), list[str]()
    for switch in switches:
        if find_attack(switch, rows) != attack:
            continue
        with _copy_without(switch) as folder:
            new = [test for test in tests if test not in seen]
            found = {test: reason for test in new if (reason := _find_failure(test, folder))}
            if not found and not any(_find_failure(test, folder) for test in seen):
                idle.append(f"{switch.changes[0].file}: {switch.changes[0].old.strip()}")
        seen |= found
    reasons = "".join(f"\n      {test}: {seen.get(test, 'NEVER FAILED')}" for test in tests)
    print(f"{'PASS' if len(seen) == len(tests) else 'FAIL'}  {attack}{reasons}", flush=True)
    return _Result(len(tests), len(seen), idle)


@contextlib.contextmanager
def _copy_without(switch: Switch) -> Iterator[Path]:
    """A copy of the repository in which a protection is missing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tearsheet"
        shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
        for change in switch.changes:
            path = copy / change.file
            path.write_text(apply_change(path.read_text("utf-8"), change), "utf-8")
        if any(change.file.endswith(".pyx") for change in switch.changes):
            subprocess.run([sys.executable, "scripts/compile.py"], cwd=copy, check=True)
        yield copy


def apply_change(text: str, change: Change) -> str:
    """The file after a change; an error if its place is not found exactly once."""
    if (found := text.count(change.old)) != 1:
        raise ValueError(f"{change.file} has {found} times, not once: {change.old!r}")
    return text.replace(change.old, change.new)


def _find_failure(test: str, folder: Path) -> str | None:
    """Why a test fails in a copy of the repository; None if it passes."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test]
    paths = os.pathsep.join((str(folder / "src"), str(folder)))
    environment = {
        "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "240",
        "HYPOTHESIS_PROFILE": "first",
    }  # fmt: skip
    with subprocess.Popen(
        command, cwd=folder, env=os.environ | environment, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"it did not end in {PATIENCE:.0f} s"
    if process.returncode not in (_PASSED, _FAILED):
        raise RuntimeError(f"{test} did not run:\n{output}")
    if process.returncode == _PASSED:
        return None
    found = _REASON.search(output)
    return found[1] if found else "no reason given"


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
