"""`scripts/setup.sh` installs system packages for the tests by itself, and else asks before; `make`
gives addresses on as they are."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CALL = '. scripts/setup.sh "$0" && system_packages some-package'


@pytest.fixture
def apt(tmp_path: Path) -> Path:
    """A folder with an `apt-get` that only writes down that it was called."""
    programs = {"apt-get": f'echo "$@" >>{tmp_path}/called', "sudo": 'shift; exec "$@"'}
    for name, lines in programs.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{lines}\n")
        program.chmod(0o755)
    return tmp_path


def set_up(apt: Path, purpose: str, stdin: int = subprocess.DEVNULL, **more: str) -> str:
    """The message of set-up when it wants a package; nobody is there to be asked, unless at
    `stdin`."""
    usual = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run(
        ["bash", "-c", CALL, purpose],
        cwd=ROOT,
        env={**usual, "PATH": f"{apt}:{os.environ['PATH']}", **more},
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if stdin == subprocess.DEVNULL else stdin,
        text=True,
        check=False,
    )
    return done.stderr or ""


def answer(apt: Path, purpose: str, reply: bytes) -> None:
    """Runs set-up on a terminal at which somebody types a reply."""
    ours, theirs = pty.openpty()
    os.write(ours, reply + b"\n")
    set_up(apt, purpose, theirs)
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("purpose", ["clip", "service"])
def test_nothing_is_installed_without_asking(apt: Path, purpose: str) -> None:
    assert "apt install some-package" in set_up(apt, purpose)
    answer(apt, purpose, b"")
    answer(apt, purpose, b"n")
    assert not (apt / "called").exists()


def test_what_was_agreed_to_is_installed(apt: Path) -> None:
    answer(apt, "clip", b"y")
    assert "install" in (apt / "called").read_text()


def test_tests_and_continuous_integration_install_what_they_need(apt: Path) -> None:
    set_up(apt, "test")
    assert (apt / "called").exists()
    (apt / "called").unlink()
    set_up(apt, "clip", CI="true")
    assert (apt / "called").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    "address",
    [
        "https://a.example/?b=1&c=2", "https://a.example/;touch made",
        "https://a.example/`touch made`", "https://a.example/$(touch made)",
        "https://a.example/$(shell touch made)",
        "https://a.example/'$(shell touch made)'#d", "https://a.example/b c", "",
    ],
)  # fmt: skip
@pytest.mark.parametrize("by_environment", [True, False])
def test_an_address_is_clipped_as_it_is_written(
    address: str, by_environment: bool, tmp_path: Path
) -> None:
    """Nothing in it is a command for make or the shell."""
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nshift\nprintf "%s" "$#$1"\n')
    python.chmod(0o700)
    given = [] if by_environment else [f"URL={address}"]
    steps = subprocess.run(
        ["make", "-n", "--no-print-directory", "-f", str(ROOT / "Makefile"), "clip",
         f"PYTHON_BIN={tmp_path}", *given],
        env=os.environ | ({"URL": address} if by_environment else {}), cwd=tmp_path,
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    done = subprocess.run(
        ["sh", "-c", steps[-1]], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == (f"1{address}" if address else "0")
    assert not (tmp_path / "made").exists()
