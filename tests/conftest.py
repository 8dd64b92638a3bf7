"""Fixtures of several tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from samples.serve import serving

from tearsheet.acquire import browser as shared_browser
from tearsheet.acquire.browser import Browser, find_browser

from . import postgres
from .acquire.site import Site
from .acquire.site import serving as site_serving

# The same examples on every run, however slow the machine. HYPOTHESIS_PROFILE=explore looks on;
# "first" reports the first failure as it is, without looking for a smaller one.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile(
    "first", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
)
settings.register_profile("explore", deadline=None, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def sample_site() -> Iterator[str]:
    """The address of the sample site, served on loopback; without a slash at the end."""
    with serving() as address:
        yield address


@pytest.fixture
def site() -> Iterator[Site]:
    """An empty site on loopback, which the test fills."""
    with site_serving() as found:
        yield found


@pytest.fixture
def target() -> Iterator[Site]:
    """The private server: every request that arrives here got past the guard."""
    with site_serving() as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real headless Chromium. Tests that use it are skipped where there is none."""
    if find_browser() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    with Browser() as held:
        yield held


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which no browser is found."""
    monkeypatch.setenv("TEARSHEET_BROWSER", "/nowhere/chromium")
    monkeypatch.setattr(shared_browser, "_shared", None)
    find_browser.cache_clear()
    yield
    find_browser.cache_clear()


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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("no file system can be mounted here (only root can)")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
