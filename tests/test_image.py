"""The steps of the Dockerfile fit the tree that it is built from."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _steps(name: str) -> list[str]:
    """The rest of an instruction, for each of its uses; lines that go on are one."""
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    return [line.partition(" ")[2] for line in text.splitlines() if line.startswith(f"{name} ")]


def test_all_that_is_copied_is_there() -> None:
    copies = [shlex.split(step) for step in _steps("COPY") if "--from" not in step]
    assert copies
    for *sources, _ in copies:
        for source in sources:
            assert (ROOT / source).exists(), source


def test_the_build_has_every_file_that_the_package_names() -> None:
    copied = {source for step in _steps("COPY") for source in shlex.split(step)[:-1]}
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    for name in ("README.md", "LICENSE", "NOTICE", "docs/tearsheet.1", "scripts/compile.py"):
        assert name not in settings or name in copied, name


def test_packages_are_installed_from_pins_with_hashes() -> None:
    installs = [step for step in _steps("RUN") if "-r requirements/" in step]
    assert installs
    assert all("--require-hashes" in step and "service.lock" in step for step in installs)


def test_the_command_that_it_runs_is_one_of_ours() -> None:
    pytest.importorskip("uvicorn", reason="the service is not installed (the extra service)")
    (step,) = _steps("CMD")
    program, command, *options = json.loads(step)
    assert program == "tearsheet"
    shown = subprocess.run(
        [sys.executable, "-m", "tearsheet", command, "--help"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert all(option in shown for option in options if option.startswith("--"))
