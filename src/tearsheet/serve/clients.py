"""Who counts as one client, for rates, quotas and connections."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from tearsheet import limits

_OWN_BITS: Final = 64
"""Bits of an IPv6 address that name a client: it has all addresses that begin so (RFC 6177)."""


@lru_cache(limits.REMEMBERED_CLIENTS)
def client_name(host: str) -> str:
    """One name for all addresses among which one client can choose.

    >>> client_name("2001:db8::1:2:3:4"), client_name("::ffff:192.0.2.1"), client_name("192.0.2.1")
    ('2001:db8::/64', '192.0.2.1', '192.0.2.1')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:  # no address: a socket of this machine, a test
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if address.is_loopback:
        return host
    return str(ipaddress.ip_network((address, _OWN_BITS), strict=False))


def request_client(scope: Mapping[str, Any]) -> str:
    """The client of a request; empty if its address is unknown."""
    return client_name(scope["client"][0]) if scope.get("client") else ""
