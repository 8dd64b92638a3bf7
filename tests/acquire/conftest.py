"""Two servers on loopback: one that a test may reach, and one that nothing may."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .site import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as found:
        yield found


@pytest.fixture
def target() -> Iterator[Site]:
    """The private server: every request that arrives here got past the guard."""
    with serving() as found:
        yield found
