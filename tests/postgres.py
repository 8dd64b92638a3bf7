"""A real PostgreSQL in a folder of its own, without a port: only its socket is there."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`, which Debian keeps out of the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextmanager
def running(bin_folder: Path) -> Iterator[str]:
    """The address of a server that lives as long as the block; it never runs as root."""
    folder = Path(tempfile.mkdtemp(prefix="tearsheet-pg-"))
    someone = _unprivileged()
    if someone:
        os.chown(folder, *pwd.getpwnam(someone["user"])[2:4])
    data = folder / "data"
    try:
        _run([bin_folder / "initdb", "-D", data, "-U", "tearsheet", "-A", "trust", "-N"], someone)
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        control = [bin_folder / "pg_ctl", "-D", data, "-l", folder / "log", "-w"]
        _run([*control, "-o", options, "start"], someone)
        try:
            yield f"postgresql://tearsheet@/postgres?host={folder}"
        finally:
            _run([*control, "-m", "immediate", "stop"], someone)
    finally:
        shutil.rmtree(folder)


def new_database(server: str) -> str:
    """The address of an empty database on a server."""
    import psycopg

    name = f"t{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as held:
        held.execute(f"CREATE DATABASE {name}".encode())
    return server.replace("/postgres?", f"/{name}?")


def _unprivileged() -> dict[str, Any]:
    """Somebody else than root, as `subprocess` wants it; nothing where we are not root."""
    if os.getuid() != 0:
        return {}
    known = {entry.pw_name for entry in pwd.getpwall()}
    name = "postgres" if "postgres" in known else "nobody"
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}


def _run(command: list[Any], someone: dict[str, Any]) -> None:
    # The server's own messages go to its log; a pipe would stay open as long as it runs.
    with tempfile.TemporaryFile() as said:
        code = subprocess.call(
            [str(part) for part in command], stdout=said, stderr=said, cwd="/", **someone
        )
        said.seek(0)
        assert code == 0, said.read().decode()
