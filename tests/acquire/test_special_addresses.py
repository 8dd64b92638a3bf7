"""Every row of the table is refused, in both families and in every form that wraps an address."""

from __future__ import annotations

import ipaddress
import random

import pytest

from tearsheet.acquire.special_addresses import (
    METADATA,
    SPECIAL,
    Network,
    SpecialBlock,
    is_public,
)

IPV4 = [block for block in SPECIAL if block.network.version == 4]
WRAPPINGS = {
    "mapped": "::ffff:{0}",
    "NAT64": "64:ff9b::{0}",
    "ISATAP": "2606:4700::5efe:{0}",
    "ISATAP, universal": "2606:4700::200:5efe:{0}",
    "compatible": "::{0}",
    "translated": "::ffff:0:{0}",
    "local NAT64": "64:ff9b:1::{0}",
}
# The registries of special-purpose and of multicast addresses, as IANA lists them; the two blocks
# of IPv6 that only wrap an address of IPv4 (IPv4-mapped, NAT64) are missing.
IANA = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24
192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24
198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32
::/128 ::1/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128
2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28
2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10
ff00::/8
""".split()
ALWAYS_REFUSED = {"compatible", "translated", "local NAT64"}
OUTSIDE = (
    "1.1.1.1 8.8.8.8 93.184.215.14 192.0.1.1 192.88.98.1 198.17.255.255 198.20.0.0 223.255.255.255"
)


def addresses_in(block: SpecialBlock) -> list[str]:
    """The first and the last address of a block, and some between."""
    first, last = int(block.network.network_address), int(block.network.broadcast_address)
    chosen = {first, last, *(random.Random(7).randint(first, last) for _ in range(5))}
    kind = ipaddress.IPv4Address if block.network.version == 4 else ipaddress.IPv6Address
    return [str(kind(number)) for number in sorted(chosen)]


@pytest.mark.parametrize("block", SPECIAL, ids=lambda block: str(block.network))
def test_no_address_of_a_special_block_is_public(block: SpecialBlock) -> None:
    assert [a for a in addresses_in(block) if is_public(a)] == []


@pytest.mark.parametrize("block", IANA)
def test_every_block_of_iana_is_in_the_table(block: str) -> None:
    first, last = ends(ipaddress.ip_network(block))
    rows = [ends(row.network) for row in SPECIAL if (row.network.version == 6) == (":" in block)]
    assert any(begin <= first and last <= end for begin, end in rows)


def ends(network: Network) -> tuple[int, int]:
    return int(network.network_address), int(network.broadcast_address)


@pytest.mark.parametrize("block", METADATA, ids=lambda block: str(block.network))
def test_no_address_at_which_clouds_hand_out_secrets_is_public(block: SpecialBlock) -> None:
    assert [a for a in addresses_in(block) if is_public(a)] == []


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("block", IPV4, ids=lambda block: str(block.network))
def test_no_wrapping_makes_a_special_address_public(block: SpecialBlock, wrapping: str) -> None:
    wrapped = [WRAPPINGS[wrapping].format(address) for address in addresses_in(block)]
    assert [a for a in wrapped if is_public(a)] == []


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_a_wrapped_public_address_is_as_public_as_its_form(wrapping: str) -> None:
    for address in OUTSIDE.split():
        assert is_public(WRAPPINGS[wrapping].format(address)) == (wrapping not in ALWAYS_REFUSED)


@pytest.mark.parametrize("block", SPECIAL, ids=lambda block: str(block.network))
def test_the_neighbours_of_a_block_are_judged_by_themselves(block: SpecialBlock) -> None:
    """The address before a block is refused only if another block, or none of 2000::/3, has it."""
    before = block.network.network_address
    if int(before) == 0:
        return
    neighbour = before - 1
    inside = any(
        neighbour in other.network for other in SPECIAL if other.network.version == before.version
    )
    unicast = before.version == 4 or neighbour in ipaddress.IPv6Network("2000::/3")
    assert is_public(str(neighbour)) == (unicast and not inside)


def test_what_python_once_called_public_is_refused() -> None:
    assert not is_public("192.0.0.192")  # `is_global` up to Python 3.12; Oracle's metadata service


@pytest.mark.parametrize(
    "prefix", ["fc00", "fd12:3456", "fe80", "fec0", "2001:db8", "2002:808:808"]
)
@pytest.mark.parametrize("form", ["5efe", "200:5efe"])
def test_a_public_address_inside_opens_no_private_network(prefix: str, form: str) -> None:
    """ISATAP: what is inside says nothing about the network that the address is in."""
    assert not is_public(f"{prefix}::{form}:8.8.8.8")


@pytest.mark.parametrize("address", ["fe80::1%eth0", "2606:4700::1%eth0", "::ffff:8.8.8.8%1"])
def test_an_address_with_a_zone_is_of_a_local_network(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["4000::1", "8000::1", "e000::1", "1::1", "200::1"])
def test_only_global_unicast_is_public_in_ipv6(address: str) -> None:
    assert not is_public(address)
