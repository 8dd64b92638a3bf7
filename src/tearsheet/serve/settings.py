"""The settings of the service."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Final

from tearsheet import limits

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Where the service listens, how long it stores clips, and its limits."""

    host: str = "127.0.0.1"
    port: int = 8484
    token: str = ""
    """The token required from every client. `tearsheet serve` always has one. If empty, everybody
    is let in; that is for programs that check their clients themselves."""
    store: str = "tearsheet.db"
    allow_host: tuple[str, ...] = ()
    allow_net: tuple[str, ...] = ()
    allow_private: bool = False
    """Addresses that are not public but may be clipped, as in `Options`."""
    cookies: str = ""
    request_header: tuple[str, ...] = field(default=(), repr=False)
    via_proxy: str = field(default="", repr=False)
    """Cookies, headers and proxy for requests to servers, as in `Options`."""
    workers: int = max(1, os.cpu_count() or 1)
    """Cores to clip on; each has `worker.WORKERS` processes at most."""
    queue: int = limits.QUEUED_CLIPS
    """Clips that may wait; further ones get status 429."""
    rate: int = limits.CLIPS_A_MINUTE
    """Clips per minute for one client; 0: no limit."""
    job_seconds: float = limits.JOB_SECONDS
    document_seconds: float = limits.DOCUMENT_SECONDS
    worker_bytes: int = limits.WORKER_MEGABYTES * limits.MEGABYTE
    body_bytes: int = limits.SERVICE_BODY_BYTES
    page_bytes: int = limits.SERVICE_PAGE_BYTES
    page_nodes: int = limits.SERVICE_PAGE_NODES
    keep_days: float = limits.KEPT_DAYS
    store_bytes: int = limits.STORE_BYTES
    """Size of the whole store from which on new clips are refused."""
    client_bytes: int = limits.CLIENT_BYTES
    quota_seconds: float = 5.0
    """Seconds for which a size that was looked up is used again."""
    connections: int = limits.CONNECTIONS
    client_connections: int = limits.CLIENT_CONNECTIONS
    head_seconds: float = limits.HEAD_SECONDS
    idle_seconds: float = limits.IDLE_SECONDS
    body_seconds: float = limits.BODY_SECONDS
    proxies: frozenset[str] = frozenset()
    """Addresses of proxies in front of the service whose X-Forwarded-For is trusted."""
    user_header: str = ""
    """The header in which these proxies name the user."""
    admins: frozenset[str] = frozenset()
    """Users of the proxies who may change users and settings."""
    smtp: str = ""
    """Where mail goes out: smtp://user:password@host:587, or smtps://."""
    mail_from: str = ""
    names: frozenset[str] = frozenset()
    """Further host names of the service (behind a proxy)."""

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in LOOPBACK

    def page_options(self) -> dict[str, Any]:
        """The options that the owner of the service decides, and no client."""
        return {
            "allow_host": self.allow_host,
            "allow_net": self.allow_net,
            "allow_private": self.allow_private,
            "cookies": self.cookies,
            "request_header": self.request_header,
            "via_proxy": self.via_proxy,
            "max_bytes": self.page_bytes,
            "max_nodes": self.page_nodes,
        }
