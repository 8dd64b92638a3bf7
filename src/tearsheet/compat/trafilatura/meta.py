"""trafilatura's `meta`: what was remembered of earlier pages is forgotten."""

from __future__ import annotations

from tearsheet.compat.trafilatura.core import SEEN


def reset_caches() -> None:
    """Forgets the texts that `deduplicate=True` has seen."""
    SEEN.clear()
