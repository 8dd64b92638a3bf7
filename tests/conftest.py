"""What several tests stand on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from samples.serve import serving

import tearsheet
from tearsheet.acquire.browser import Browser, find_browser

from . import postgres

# The same examples on every run, however slow the machine. HYPOTHESIS_PROFILE=explore looks on.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_sessionstart() -> None:
    """A compiled module stands in front of its source: an old one would be tested instead.

    Modules of the core refuse that themselves; this is for those that have not moved there yet.
    """
    sources = Path(tearsheet.__file__).parent
    if "site-packages" in sources.parts:  # compiled from what is there, and copied in any order
        return
    for compiled in (*sources.rglob("*.so"), *sources.rglob("*.pyd")):
        if compiled.parent.name == "_core":
            continue
        stem = compiled.with_name(compiled.name.partition(".")[0])
        files = (stem.with_suffix(end) for end in (".py", ".pxd", ".pyx"))
        declared = [file for file in files if file.exists()]
        if any(compiled.stat().st_mtime < file.stat().st_mtime for file in declared):
            raise pytest.UsageError(f"{stem.name} was changed after it was compiled: make compiled")


@pytest.fixture(scope="session")
def sample_site() -> Iterator[str]:
    """The address of the sample site, served on loopback; without a slash at the end."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real headless Chromium. Tests that use it are skipped where there is none."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    with Browser() as held:
        yield held


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a real PostgreSQL. Tests that use it are skipped where there is none."""
    pytest.importorskip("psycopg_pool", reason="needs the extra 'postgresql'")
    found = postgres.programs()
    if found is None:
        pytest.skip("no PostgreSQL on this machine (Debian: apt install postgresql)")
    with postgres.running(found) as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store, of each kind in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    server: str = request.getfixturevalue("postgresql")
    return postgres.new_database(server)
