"""Which addresses are public, and that a name is judged by all that it resolves to, once."""

from __future__ import annotations

import threading

import pytest

from tearsheet.acquire.guard import Guard, host_and_port, literal_address
from tearsheet.acquire.special_addresses import is_public
from tearsheet.errors import FetchFailed

PUBLIC = """
1.1.1.1 8.8.8.8 93.184.215.14 2606:4700:4700::1111 2a00:1450:4001:80b::200e ::ffff:8.8.8.8
64:ff9b::808:808
""".split()
PRIVATE = """
0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16
:: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1
64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:db8::1 2002:7f00:1::
2002:a9fe:a9fe::1 2002:808:808::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0
fec0::1 ff02::1 ff0e::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:10.0.0.1
""".split()
SPELLINGS = {
    "127.0.0.1": "127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001",
    "169.254.169.254": "2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518",
    "127.0.0.2": "127.0.0.2.",
    "::1": "[::1] 0:0:0:0:0:0:0:1",
}
SPELLED = [(host, address) for address, hosts in SPELLINGS.items() for host in hosts.split()]


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", PRIVATE)
def test_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(("host", "address"), SPELLED)
def test_spellings_of_private_hosts_are_read_and_blocked(host: str, address: str) -> None:
    assert str(literal_address(host)) == address
    with pytest.raises(FetchFailed, match="not a public address") as caught:
        Guard().addresses(host, 80)
    assert caught.value.code == "blocked"


def test_names_are_not_addresses() -> None:
    assert literal_address("example.org") is None
    assert literal_address("1.2.3.4.example") is None


def test_one_private_address_among_public_ones_blocks_the_host() -> None:
    guard = Guard(resolve=lambda host, port: ("1.1.1.1", "10.0.0.1"))
    with pytest.raises(FetchFailed, match=r"a\.test is at 10\.0\.0\.1"):
        guard.addresses("a.test", 80)


def test_allow_private_and_single_exceptions() -> None:
    assert Guard(allow_private=True).addresses("127.0.0.1", 80) == ("127.0.0.1",)
    guard = Guard(allowed=frozenset({("127.0.0.1", 8000)}))
    assert guard.addresses("127.0.0.1", 8000) == ("127.0.0.1",)
    with pytest.raises(FetchFailed):
        guard.addresses("127.0.0.1", 8001)


def test_a_name_is_looked_up_once() -> None:
    answers = iter([("1.1.1.1",), ("127.0.0.1",)])
    guard = Guard(resolve=lambda host, port: next(answers))
    assert guard.addresses("a.test", 80) == guard.addresses("a.test", 443) == ("1.1.1.1",)


def test_a_name_that_does_not_exist_is_remembered() -> None:
    asked: list[str] = []

    def resolve(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        raise OSError

    guard = Guard(resolve=resolve)
    for _ in range(3):
        with pytest.raises(FetchFailed, match=r"no such host: a\.test"):
            guard.addresses("a.test", 80)
    assert asked == ["a.test"]


def test_a_look_up_that_hangs_is_abandoned() -> None:
    over = threading.Event()

    def resolve(host: str, port: int) -> tuple[str, ...]:
        over.wait()
        return ("1.1.1.1",)

    with pytest.raises(FetchFailed, match="took over") as caught:
        Guard(resolve=resolve, timeout=0.01).addresses("a.test", 80)
    over.set()
    assert caught.value.code == "dns"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a.test/", "gopher://a.test", "javascript:1", "data:,x"]
)
def test_only_http_and_https(url: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        host_and_port(url)
    assert caught.value.code == "scheme"


@pytest.mark.parametrize("url", ["http://", "http://a.test:port/", "http://[::1", "https:///x"])
def test_invalid_addresses(url: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        host_and_port(url)
    assert caught.value.code == "address"
