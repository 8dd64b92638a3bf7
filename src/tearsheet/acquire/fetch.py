"""Who asks."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version


@cache
def product() -> str:
    """Tearsheet's name and version, as it tells servers."""
    return f"Tearsheet/{version('tearsheet')}"
