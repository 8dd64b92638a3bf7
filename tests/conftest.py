"""What several tests stand on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from samples.serve import serving

from tearsheet.acquire.browser import Browser, find


@pytest.fixture(scope="session")
def sample_site() -> Iterator[str]:
    """The address of the sample site, served on loopback; without a slash at the end."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real headless Chromium. Tests that use it are skipped where there is none."""
    if find() is None:
        pytest.skip("no Chromium, Chrome or Edge on this machine (set TEARSHEET_BROWSER)")
    with Browser() as held:
        yield held
