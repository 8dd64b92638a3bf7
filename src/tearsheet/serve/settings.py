"""All that the service can be told."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the service listens, what it keeps, and its limits."""

    host: str = "127.0.0.1"
    port: int = 8484
    token: str = ""
    """Required of every client that makes or changes something, unless on loopback."""
    store: str = "tearsheet.db"
    allow_private: bool = False
    """Let pages at addresses that are not public be clipped."""
    workers: int = max(1, os.cpu_count() or 1)
    queue: int = 200
    """Clips that may wait; more are answered with 429."""
    rate: int = 240
    """Clips a minute that one client may ask for; 0: as many as it likes."""
    job_seconds: float = 90.0
    document_seconds: float = 60.0
    worker_bytes: int = 2 * 1024**3
    body_bytes: int = 32 * 1024**2
    page_bytes: int = 32 * 1024**2
    page_nodes: int = 1_000_000
    keep_days: float = 30.0
    names: frozenset[str] = frozenset()
    """Further names under which the service may be addressed (behind a proxy)."""

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in LOOPBACK
