"""What several tests stand on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from samples.serve import serving


@pytest.fixture(scope="session")
def sample_site() -> Iterator[str]:
    """The address of the sample site, served on loopback; without a slash at the end."""
    with serving() as address:
        yield address
