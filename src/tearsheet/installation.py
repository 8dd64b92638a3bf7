"""How this Tearsheet was installed, and so the command that adds an extra to it."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

_TOOLS: Final = {
    "pipx/venvs": "pipx install --force",
    "uv/tools": "uv tool install --force",
}
"""By the folder that it makes its environments in."""


def install_command(extra: str) -> str:
    """The command that adds an extra, for the environment and the source of this installation."""
    where, is_editable = _source()
    prefix = Path(sys.prefix).as_posix()
    tool = next((command for folder, command in _TOOLS.items() if f"/{folder}/" in prefix), "")
    editable = "-e " if is_editable and not tool else ""
    return f"{tool or _pip()} {editable}'{where}[{extra}]'"


def _source() -> tuple[str, bool]:
    """The folder or file that it was installed from, and whether it runs from there; else its name
    on the package index."""
    try:
        text = distribution("tearsheet").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    origin = json.loads(text) if text else {}
    address = urlsplit(origin.get("url", ""))
    path = url2pathname(address.path)
    if address.scheme != "file" or not Path(path).exists():  # a wheel may be gone by now
        return "tearsheet", False
    return path, bool(origin.get("dir_info", {}).get("editable"))


def _pip() -> str:
    """The pip of this environment, by its short name where the shell finds it."""
    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{shlex.quote(sys.executable)} -m pip install"
