"""The command: what goes where, what the exit codes mean, and what bad input becomes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tearsheet.cli import exits

PAGE = """<html><title>Snow</title><body><nav><a href="/">Home</a></nav>
<p>The first snow of the year fell in the night, and nobody in the valley was ready for it.</p>
<p>By noon the road to the pass was closed, and the school bus had turned back at the bridge.</p>
<footer>Imprint</footer>"""


def tearsheet(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tearsheet", *args]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "snow.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_a_file_is_clipped_to_stdout_and_nothing_is_said(page: Path) -> None:
    done = tearsheet("clip", str(page), "-f", "txt")
    assert done.returncode == exits.OK
    assert done.stdout.decode().startswith("The first snow of the year")
    assert b"Imprint" not in done.stdout
    assert done.stderr == b""


def test_a_dash_is_standard_input() -> None:
    done = tearsheet("clip", "-", "-f", "txt", stdin=PAGE.encode())
    assert b"school bus" in done.stdout


def test_the_suffix_of_the_output_chooses_the_format(page: Path, tmp_path: Path) -> None:
    out = tmp_path / "made" / "snow.txt"
    done = tearsheet("clip", str(page), "-o", str(out))
    assert done.returncode == exits.OK
    assert done.stdout == b""
    assert str(out) in done.stderr.decode()
    assert "school bus" in out.read_text("utf-8")
