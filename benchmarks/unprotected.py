"""`python -m benchmarks.unprotected [WORDS …]`: can the tests of docs/security.md fail at all?

Each row of its table names an attack and the tests that prove what stops it. Here, a copy of the
repository loses one protection at a time, as `benchmarks/switches/*.toml` says, and the tests of
that row run on it. Each test must fail without one of the protections of its row. With words, only
the attacks run that contain one of them.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tearsheet.acquire.launch import isolate

ROOT: Final = Path(__file__).resolve().parent.parent
SWITCHES: Final = ROOT / "benchmarks" / "switches"
PATIENCE: Final = 120.0
"""Seconds that a test may take."""
_PASSED, _FAILED = 0, 1
"""Exit codes of pytest; all others mean that it ran no test."""
_ROW: Final = re.compile(r"^\| ([^|]+) \|[^|]+\| (`tests/.+) \|$", re.MULTILINE)
_TEST: Final = re.compile(r"`(tests/[\w/]+\.py::\w+)`")
_LEFT_OUT: Final = shutil.ignore_patterns(".git", ".venv", "out", "__pycache__", ".*_cache")


@dataclass(frozen=True, slots=True)
class Switch:
    """A change of one file that takes a protection away."""

    attack: str
    """The first cell of a row of docs/security.md, or its beginning."""
    file: str
    old: str
    new: str


def main() -> int:
    """The number of tests that were not seen to fail."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unprotected", description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of the attacks to run (default: all)")
    words = [word.lower() for word in parser.parse_args().words]
    rows, switches = read_rows(), read_switches()
    chosen = [
        attack for attack in rows
        if not words or any(word in attack.lower() for word in words)
    ]  # fmt: skip
    isolate()
    kept = [(attack, test) for attack in chosen for test in _run_row(attack, rows, switches)]
    tests = sum(len(rows[attack]) for attack in chosen)
    print(f"{tests - len(kept)} of {tests} tests failed without the protection that they prove")
    for attack, test in kept:
        print(f"never failed: {test} ({attack})")
    return len(kept)


def read_rows() -> dict[str, list[str]]:
    """The tests of each attack in docs/security.md."""
    text = (ROOT / "docs" / "security.md").read_text("utf-8")
    return {attack: _TEST.findall(tests) for attack, tests in _ROW.findall(text)}


def read_switches() -> list[Switch]:
    """All switches, of all files."""
    return [
        Switch(**entry)
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


def _run_row(attack: str, rows: dict[str, list[str]], switches: list[Switch]) -> list[str]:
    """The tests of an attack that no switch makes fail."""
    left = list(rows[attack])
    for switch in switches:
        if left and find_attack(switch, rows) == attack:
            with _copy_without(switch) as folder:
                left = [test for test in left if not _fails(test, folder)]
    print(f"{'PASS' if not left else 'FAIL'}  {attack}", flush=True)
    return left


@contextlib.contextmanager
def _copy_without(switch: Switch) -> Iterator[Path]:
    """A copy of the repository in which a protection is missing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tearsheet"
        shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
        path = copy / switch.file
        path.write_text(switch_off(path.read_text("utf-8"), switch), "utf-8")
        if path.suffix == ".pyx":
            subprocess.run([sys.executable, "scripts/compile.py"], cwd=copy, check=True)
        yield copy


def switch_off(text: str, switch: Switch) -> str:
    """The file without the protection; an error if its place is not found exactly once."""
    if (found := text.count(switch.old)) != 1:
        raise ValueError(f"{switch.file} has {found} times, not once: {switch.old!r}")
    return text.replace(switch.old, switch.new)


def _fails(test: str, folder: Path) -> bool:
    """Whether a test fails, or does not end, in a copy of the repository."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test]
    paths = os.pathsep.join((str(folder / "src"), str(folder)))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True
    if process.returncode not in (_PASSED, _FAILED):
        raise RuntimeError(f"{test} did not run:\n{output}")
    return process.returncode == _FAILED


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
