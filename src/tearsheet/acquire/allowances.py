"""Network options that only the owner of a service or of a bulk run may set, not its clients: the
addresses that may be reached besides the public internet (a host, a network, or everything
private), the cookies and headers for servers, and the proxy. All are fields of `Options`; this
module reads them, and adds them to the commands.
"""

from __future__ import annotations

import argparse
import ipaddress
import re
from typing import Any, Final

from tearsheet.acquire.special_addresses import Network
from tearsheet.errors import FetchFailed
from tearsheet.option_arguments import add_fields, read_fields

NAMES: Final = (
    "allow_host", "allow_net", "allow_private", "cookies", "request_header", "via_proxy",
)  # fmt: skip
_HOST: Final = re.compile(
    r"(?:\[(?P<ipv6>[0-9a-fA-F:.]+)\]|(?P<name>[^\s:/@\[\]?#]+))(?::(?P<port>\d{1,5}))?"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds these options, with the names and words of `Options`."""
    add_fields(parser, "the network", NAMES)


def read_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """The given fields of `Options`; raises if one cannot be read."""
    from tearsheet.acquire.outer_proxy import find_proxy
    from tearsheet.acquire.visitor import read_cookies, read_header

    given = read_fields(args, NAMES)
    for name, read in (
        ("allow_host", read_host), ("allow_net", read_network), ("request_header", read_header),
    ):  # fmt: skip
        for value in given.get(name, ()):
            read(value)
    if "cookies" in given:
        read_cookies(given["cookies"])
    find_proxy(given.get("via_proxy", ""), "https", "", 443)
    return given


def read_host(text: str) -> tuple[str, int | None]:
    """A host, and its port if only that one may be reached.

    >>> read_host("Wiki.example:8080"), read_host("[::1]"), read_host("printer")
    (('wiki.example', 8080), ('::1', None), ('printer', None))
    """
    found = _HOST.fullmatch(text)
    port = int(found["port"]) if found and found["port"] else None
    if found is None or (port is not None and not 0 < port < 65536):
        raise FetchFailed(
            f"--allow-host takes HOST or HOST:PORT, as in wiki.example:8080 or [::1], not '{text}'",
            code="address",
        )
    return (found["ipv6"] or found["name"]).lower(), port


def read_network(text: str) -> Network:
    """A network in the notation of CIDR.

    >>> read_network("10.1.0.0/16")
    IPv4Network('10.1.0.0/16')
    """
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise FetchFailed(
            f"--allow-net takes a network, as in 10.1.0.0/16 or fd12::/48: {error}", code="address"
        ) from None
