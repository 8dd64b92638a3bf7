"""Opens the socket on which a server of this package listens."""

from __future__ import annotations

import socket

from tearsheet.errors import InvalidOption


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at an address of this machine; on `::`, for IPv4, too."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=host == "::")
    except (OSError, ValueError) as error:  # ValueError: the system has no IPv6
        why = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0].lower()
        allowed = "an address of this machine and a free port (--host, --port)"
        raise InvalidOption("address", f"{host}:{port}", f"{allowed}; this one: {why}") from None
