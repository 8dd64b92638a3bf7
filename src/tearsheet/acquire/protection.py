"""The protections against a browser's pages on this machine, as the system reports them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tearsheet.acquire.chromium import Chromium
from tearsheet.acquire.guard import Guard
from tearsheet.process_family import family
from tearsheet.types import Options


@dataclass(frozen=True, slots=True)
class Protection:
    """The protections of the process that runs a page's scripts; None if unknown."""

    filters_calls: bool | None
    """A filter of system calls (seccomp)."""
    has_namespace: bool | None
    """It sees only its own processes, files and networks (namespaces of Chromium's sandbox)."""
    has_own_network: bool
    """The whole browser is in a network in which only our proxy can be reached."""

    @property
    def is_complete(self) -> bool:
        return bool(self.filters_calls and self.has_namespace and self.has_own_network)

    def __str__(self) -> str:
        network = "its own, only our proxy in it" if self.has_own_network else "the machine's"
        return (
            f"filter of system calls: {_describe_state(self.filters_calls)}; "
            f"namespaces: {_describe_state(self.has_namespace)}; network: {network}"
        )


def observe_protection() -> Protection:
    """Starts a browser with a page, and looks at its processes; raises RenderFailed without one."""
    chromium = Chromium(1)
    try:
        with chromium.tab(Options(), Guard(offline=True)) as tab:
            tab.call("Runtime.evaluate", expression="1")
            pages = [pid for pid in family(chromium.pid) if b"--type=renderer" in _command(pid)]
            return Protection(
                _all_or_unknown(_has_filter(pid) for pid in pages),
                _all_or_unknown(_has_namespace(pid) for pid in pages),
                chromium.isolated,
            )
    finally:
        chromium.close()


def _all_or_unknown(found: Iterable[bool | None]) -> bool | None:
    known = list(found)
    return all(known) if known and None not in known else None


def _has_filter(pid: int) -> bool | None:
    """Whether the system filters the calls of a process more than ours. (A container filters the
    calls of all its processes, also where Chromium's sandbox is off.)"""
    theirs, ours = _status(pid), _status("self")
    if not theirs or not ours or theirs.get("Seccomp") != ["2"]:
        return False if theirs and ours else None
    if "Seccomp_filters" in theirs:  # since Linux 5.9
        return int(theirs["Seccomp_filters"][0]) > int(ours["Seccomp_filters"][0])
    return True if ours.get("Seccomp") != ["2"] else None


def _has_namespace(pid: int) -> bool | None:
    """Whether a process numbers processes in a namespace that is not ours."""
    theirs, ours = _status(pid), _status("self")
    if not theirs or not ours:
        return None
    return len(theirs.get("NSpid", ())) > len(ours.get("NSpid", ()))


def _status(process: int | str) -> dict[str, list[str]]:
    """What proc(5) says about a process, by name; empty if it does not."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: values.split() for name, _, values in (line.partition(":") for line in lines)}


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _describe_state(known: bool | None) -> str:
    if known is None:
        return f"not known on {sys.platform}"
    if known:
        return "yes"
    return "no (running as root: run as an ordinary user)" if os.getuid() == 0 else "no"
