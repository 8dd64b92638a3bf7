"""Replays the Dockerfile in an empty root, where no image can be pulled; as root, by debootstrap.

    python scripts/image.py FOLDER [PACKAGES …]

Each stage is Debian bookworm with Debian's Python in a virtual environment, which stands for
`python:…-slim-bookworm`. COPY and RUN are done as they are written, in a chroot. Packages that are
named after the folder are left out of `apt-get install` (fonts are large). At the end the command
of the image answers --version and doctor as its user.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASE = "python3,python3-dev,python3-venv,ca-certificates"
PYTHON = "/usr/local/python"


def main(folder: str, *left_out: str) -> None:
    """Makes a root for each stage, and prints each step."""
    base = Path(folder, "base")
    if not base.exists():
        options = ["--variant=minbase", f"--include={BASE}"]
        command = ["debootstrap", *options, "bookworm", str(base)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    stage, place, user, names = base, "/", "root", dict[str, Path]()
    for step in read_steps((ROOT / "Dockerfile").read_text("utf-8")):
        name, _, rest = step.partition(" ")
        print(step[:110], flush=True)
        if name == "FROM":
            stage, place = Path(folder, f"stage{len(names)}"), "/"
            names[rest.rpartition(" AS ")[2]] = stage
            _prepare(base, stage)
        elif name == "WORKDIR":
            place = rest
            Path(f"{stage}{place}").mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            *sources, target = shlex.split(rest)
            _copy(sources, Path(f"{stage}{place}", target), target.endswith("/"))
        elif name == "RUN":
            _run(stage, place, user, _mount(rest, stage, names), left_out)
        elif name == "USER":
            user = rest
        elif name == "CMD":
            program = rest.strip("[]").split(",")[0].strip('" ')
            _run(stage, place, user, f"{program} --version && {program} doctor", ())


def read_steps(text: str) -> list[str]:
    """The instructions of a Dockerfile, one line each.

    >>> read_steps("# a\\nFROM b\\nRUN c \\\\\\n && d")
    ['FROM b', 'RUN c   && d']
    """
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _prepare(base: Path, stage: Path) -> None:
    shutil.rmtree(stage, ignore_errors=True)
    subprocess.run(["cp", "-a", base, stage], check=True)
    for file in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
        shutil.copy(file, f"{stage}{file}")
    _run(stage, "/", "root", f"python3 -m venv {PYTHON}", ())


def _copy(sources: list[str], target: Path, is_folder: bool) -> None:
    for source in (ROOT / name for name in sources):
        inside = is_folder or len(sources) > 1 or target.name == "."
        to = target / source.name if inside else target
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
            shutil.copytree(source, to, ignore=ignore, dirs_exist_ok=True)
        else:
            shutil.copy(source, to)


def _mount(command: str, stage: Path, names: dict[str, Path]) -> str:
    """The command without its mount, whose source is copied into the stage."""
    if not command.startswith("--mount="):
        return command
    mount, _, command = command.partition(" ")
    values = dict(pair.partition("=")[::2] for pair in mount.removeprefix("--mount=").split(","))
    source = f"{names[values['from']]}{values['source']}"
    shutil.copytree(source, f"{stage}{values['target']}", dirs_exist_ok=True)
    return command


def _run(stage: Path, place: str, user: str, command: str, left_out: tuple[str, ...]) -> None:
    for package in left_out:
        command = command.replace(f" {package}", "")
    environment = os.environ | {
        "PATH": f"{PYTHON}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp",
        "DEBIAN_FRONTEND": "noninteractive", "PYTHONPATH": "",
    }  # fmt: skip
    inside = f"cd {place} && {command}"
    become = ["setpriv", f"--reuid={user}", "--clear-groups"] if user != "root" else []
    done = subprocess.run(
        ["chroot", stage, *become, "sh", "-ec", inside],
        env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    if user != "root":
        print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
