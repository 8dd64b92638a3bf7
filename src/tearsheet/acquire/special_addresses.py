"""The blocks of addresses that are not the public internet, as a table of our own.

What `ipaddress.is_global` says differs between versions of Python (`192.0.0.192` was public up to
3.12), so it is not asked. The rows are those of IANA's special-purpose address registries for IPv4
and IPv6 (RFC 6890 and its updates) and of the multicast registries, and a few that cloud providers
use inside. Every row is refused, also those that IANA calls globally reachable: relays, anycast
services and sinks serve no pages.
"""

from __future__ import annotations

import ipaddress
from typing import Final, NamedTuple, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class SpecialBlock(NamedTuple):
    """A block of addresses, and its purpose."""

    network: Network
    use: str


def _blocks(table: str) -> tuple[SpecialBlock, ...]:
    rows = (line.split(maxsplit=1) for line in table.strip().splitlines())
    return tuple(SpecialBlock(ipaddress.ip_network(network), use) for network, use in rows)


SPECIAL: Final = _blocks("""
0.0.0.0/8           this network (RFC 791)
10.0.0.0/8          private use (RFC 1918)
100.64.0.0/10       shared address space (RFC 6598)
127.0.0.0/8         loopback (RFC 1122)
168.63.129.16/32    Azure's own services, seen from inside
169.254.0.0/16      link local, metadata of clouds (RFC 3927)
172.16.0.0/12       private use (RFC 1918)
192.0.0.0/24        IETF protocol assignments (RFC 6890)
192.0.0.0/29        IPv4 service continuity prefix (RFC 7335)
192.0.0.8/32        IPv4 dummy address (RFC 7600)
192.0.0.9/32        port control protocol anycast (RFC 7723)
192.0.0.10/32       TURN anycast (RFC 8155)
192.0.0.170/31      NAT64 and DNS64 discovery (RFC 8880)
192.0.2.0/24        documentation, TEST-NET-1 (RFC 5737)
192.31.196.0/24     AS112 (RFC 7535)
192.52.193.0/24     AMT (RFC 7450)
192.88.99.0/24      6to4 relay anycast, deprecated (RFC 7526)
192.168.0.0/16      private use (RFC 1918)
192.175.48.0/24     direct delegation AS112 service (RFC 7534)
198.18.0.0/15       benchmarking (RFC 2544)
198.51.100.0/24     documentation, TEST-NET-2 (RFC 5737)
203.0.113.0/24      documentation, TEST-NET-3 (RFC 5737)
224.0.0.0/4         multicast (RFC 5771)
240.0.0.0/4         reserved (RFC 1112)
255.255.255.255/32  limited broadcast (RFC 8190)
::/128              unspecified (RFC 4291)
::1/128             loopback (RFC 4291)
::/96               IPv4-compatible, deprecated (RFC 4291)
::ffff:0:0:0/96     IPv4-translated (RFC 2765)
64:ff9b:1::/48      local-use translation (RFC 8215)
100::/64            discard only (RFC 6666)
100:0:0:1::/64      dummy prefix (RFC 9780)
2001::/23           IETF protocol assignments (RFC 2928)
2001::/32           Teredo (RFC 4380)
2001:1::1/128       port control protocol anycast (RFC 7723)
2001:1::2/128       TURN anycast (RFC 8155)
2001:1::3/128       DNS-SD registration anycast (RFC 9665)
2001:2::/48         benchmarking (RFC 5180)
2001:3::/32         AMT (RFC 7450)
2001:4:112::/48     AS112 (RFC 7535)
2001:10::/28        ORCHID, deprecated (RFC 4843)
2001:20::/28        ORCHIDv2 (RFC 7343)
2001:30::/28        drone remote identification (RFC 9374)
2001:db8::/32       documentation (RFC 3849)
2002::/16           6to4 (RFC 3056)
2620:4f:8000::/48   direct delegation AS112 service (RFC 7534)
3fff::/20           documentation (RFC 9637)
5f00::/16           segment routing (RFC 9602)
fc00::/7            unique local (RFC 4193)
fe80::/10           link local (RFC 4291)
fec0::/10           site local, deprecated (RFC 3879)
ff00::/8            multicast (RFC 4291)
""")
"""The blocks that are refused. Beside them, only 2000::/3 is global unicast in IPv6."""

METADATA: Final = _blocks("""
100.96.0.96/32      Volcengine
100.100.100.200/32  Alibaba
168.63.129.16/32    Azure
169.254.0.0/16      AWS, Azure, Google, Oracle, Scaleway, Tencent and others
192.0.0.192/32      Oracle
fd00:42::42/128     Scaleway
fd00:a9fe:a9fe::/64 Linode
fd00:ec2::/64       AWS
fd20:ce::254/128    Google
""")
"""Addresses at which clouds give secrets to programs that run in them; refused even if everything
else is allowed."""

_IPV4: Final = tuple(block for block in SPECIAL if block.network.version == 4)
_IPV6: Final = tuple(block for block in SPECIAL if block.network.version == 6)
_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_MAPPED: Final = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
_TRANSLATED: Final = ipaddress.IPv6Network("::ffff:0:0:0/96")
_LOCAL_NAT64: Final = ipaddress.IPv6Network("64:ff9b:1::/48")
_6TO4: Final = ipaddress.IPv6Network("2002::/16")
_TEREDO: Final = ipaddress.IPv6Network("2001::/32")
_SECRET_HOSTS: Final = frozenset(
    int(ipaddress.IPv4Address(host))
    for host in (
        "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.96.0.96", "100.100.100.200",
        "168.63.129.16", "192.0.0.192",
    )
)  # fmt: skip
"""Single addresses of `METADATA` in IPv4, looked for in every IPv6 address: a network may translate
one to the other with a prefix that we cannot know."""
_ISATAP: Final = 0x5EFE
"""In the interface identifier of an ISATAP address, before its IPv4 address (RFC 5214)."""


def is_public(address: str) -> bool:
    """Whether an address is on the public internet, also inside another address.

    >>> [is_public(a) for a in ("1.1.1.1", "192.0.0.192", "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv4Address):
        return _is_public_ipv4(ip)
    if ip.scope_id is not None:  # the zone of a local network, as in fe80::1%eth0
        return False
    inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip in _MAPPED or ip in _NAT64:
        return _is_public_ipv4(inner)
    if _is_isatap(ip) and not _is_public_ipv4(inner):
        return False
    return ip in _GLOBAL_UNICAST and not any(ip in block.network for block in _IPV6)


def is_metadata(address: str) -> bool:
    """Whether a cloud may give secrets at an address, also inside another address.

    >>> [is_metadata(a) for a in ("169.254.169.254", "64:ff9b::a9fe:a9fe", "127.0.0.1")]
    [True, True, False]
    """
    ip = ipaddress.ip_address(address)
    known: list[Address] = [ip]
    if isinstance(ip, ipaddress.IPv6Address):
        known += _embedded_ipv4(ip)
        if not _SECRET_HOSTS.isdisjoint(_translated_ipv4(ip)):  # in a NAT64 prefix of a network
            return True
    return any(each in block.network for each in known for block in METADATA)


def _embedded_ipv4(ip: ipaddress.IPv6Address) -> list[Address]:
    """The IPv4 addresses that a network might send this address on to."""
    bits, found = int(ip), list[int]()
    if any(ip in form for form in (_MAPPED, _NAT64, _COMPATIBLE, _TRANSLATED)) or _is_isatap(ip):
        found.append(bits)
    if ip in _6TO4:
        found.append(bits >> 80)
    if ip in _TEREDO:
        found += [bits >> 64, ~bits]
    if ip in _LOCAL_NAT64:
        found += _translated_ipv4(ip)
    return [ipaddress.IPv4Address(number & 0xFFFFFFFF) for number in found]


def _translated_ipv4(ip: ipaddress.IPv6Address) -> list[int]:
    """The IPv4 addresses at the places where NAT64 may put one (RFC 6052, section 2.2), by the
    length of its prefix: 32, 40, 48, 56, 64 or 96 bits."""
    bits = int(ip)
    joined = ((bits >> 64) << 56) | (bits & 0xFFFFFFFFFFFFFF)  # octet 8 is not used
    shifted = [joined >> places for places in (56, 48, 40, 32, 24)]
    return [number & 0xFFFFFFFF for number in (*shifted, bits)]


def _is_public_ipv4(ip: ipaddress.IPv4Address) -> bool:
    return not any(ip in block.network for block in _IPV4)


def _is_isatap(ip: ipaddress.IPv6Address) -> bool:
    return (int(ip) >> 32) & 0xFDFFFFFF == _ISATAP
