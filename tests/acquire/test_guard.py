"""Which addresses are public, and that a name is judged by all that it resolves to, once."""

from __future__ import annotations

import socket
import threading
from ipaddress import ip_network
from types import SimpleNamespace

import pytest

from tearsheet import Options
from tearsheet.acquire.guard import Guard, host_and_port, literal_address
from tearsheet.acquire.special_addresses import is_public
from tearsheet.errors import FetchFailed

PUBLIC = """
1.1.1.1 8.8.8.8 93.184.215.14 2606:4700:4700::1111 2a00:1450:4001:80b::200e ::ffff:8.8.8.8
64:ff9b::808:808
""".split()
METADATA = """
169.254.169.254 169.254.170.2 169.254.170.23 169.254.0.23 169.254.42.42 168.63.129.16
100.100.100.200 100.96.0.96 192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42
fd00:a9fe:a9fe::1 fe80::a9fe:a9fe fe80::a9fe:a9fe%eth0 ::ffff:169.254.169.254 ::169.254.169.254
::ffff:0:169.254.169.254 64:ff9b::169.254.169.254 64:ff9b:1::169.254.169.254
64:ff9b:1:a9fe:a9:fe00:: 64:ff9b:1:ffa9:fe:a9fe:: 64:ff9b:1:ffff:a9:fea9:fe00::
2002:a9fe:a9fe::1 2001:0:a9fe:a9fe::1 2001::5601:5601 fd00::5efe:169.254.170.2
2606:4700::5efe:168.63.129.16 2a00:1450::a9fe:a9fe 2a00:1450::100.100.100.200
2a00:1450:a9fe:a9fe:: 2a00:1450:c0:0:c0:: 2a00:1450:0:a83f:81:1000:: 2a00:1450:0:a9:fe:aa02::
2a00:1450::a9:feaa:1700:0
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
    with pytest.raises(FetchFailed, match=r"not a public address|always refused") as caught:
        Guard().addresses(host, 80)
    assert caught.value.code == "blocked"


@pytest.mark.parametrize(
    "host", [host for host, address in SPELLED if not host.endswith(("]", "."))]
)
def test_a_spelling_is_the_address_that_the_system_reads(host: str) -> None:
    numeric = socket.getaddrinfo(host, 80, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    assert [str(literal_address(host))] == [entry[4][0] for entry in numeric]


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


@pytest.mark.parametrize(
    ("allowed", "host", "port"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000),
        ("127.0.0.1", "127.0.0.1", 9),
        ("0x7f.1", "127.0.0.1", 80),
        ("[::1]", "::1", 80),
        ("[0:0::1]:81", "[::1]", 81),
        ("Wiki.Test", "wiki.test.", 443),
        ("Bücher.test", "xn--bcher-kva.test", 443),
        ("xn--bcher-kva.test", "bücher.test", 443),
    ],
)
def test_one_host_is_allowed_wherever_it_is(allowed: str, host: str, port: int) -> None:
    guard = Guard.from_options(Options(allow_host=(allowed,)))
    guard.resolve = lambda host, port: ("10.1.2.3",)
    assert guard.addresses(host, port)
    for other, at in (("127.0.0.2", port), ("other.test", port), ("10.1.2.3", port)):
        with pytest.raises(FetchFailed, match="not a public address"):
            guard.addresses(other, at)


def test_a_host_with_a_port_is_allowed_at_no_other() -> None:
    guard = Guard.from_options(Options(allow_host=("127.0.0.1:8000",)))
    with pytest.raises(FetchFailed, match="not a public address"):
        guard.addresses("127.0.0.1", 8001)


def test_a_network_is_allowed_and_its_neighbour_is_not() -> None:
    guard = Guard.from_options(Options(allow_net=("10.1.0.0/16", "fd12::/48")))
    for near in ("10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "fd12::7"):
        assert guard.addresses(near, 80)
    for far in ("10.0.255.255", "10.2.0.0", "127.0.0.1", "fd12:0:1::", "::ffff:10.2.0.1"):
        with pytest.raises(FetchFailed, match="not a public address"):
            guard.addresses(far, 80)
    guard.resolve = lambda host, port: ("10.1.0.1", "10.2.0.1")
    with pytest.raises(FetchFailed, match=r"10\.2\.0\.1"):
        guard.addresses("both.test", 80)


@pytest.mark.parametrize("text", ["", ":80", "a:b", "a:99999", "http://a", "a/b", "u@a", "[::1"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(FetchFailed, match="--allow-host takes"):
        Guard.from_options(Options(allow_host=(text,)))


@pytest.mark.parametrize("text", ["", "10.0.0.1/8", "ten", "10.0.0.0/33"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(FetchFailed, match="--allow-net takes"):
        Guard.from_options(Options(allow_net=(text,)))


@pytest.mark.parametrize("address", METADATA)
@pytest.mark.parametrize(
    "guard",
    [
        Guard(allow_private=True),
        Guard(allowed=frozenset((address, None) for address in METADATA)),
        Guard(networks=(ip_network("0.0.0.0/0"), ip_network("::/0"))),
    ],
    ids=["private", "host", "net"],
)
def test_where_clouds_hand_out_secrets_is_refused_always(guard: Guard, address: str) -> None:
    with pytest.raises(FetchFailed, match="always refused") as caught:
        guard.addresses(address, 80)
    assert caught.value.code == "blocked"


def test_a_name_of_a_metadata_service_is_refused_by_its_address() -> None:
    guard = Guard(
        allow_private=True,
        allowed=frozenset({("metadata.google.internal", None)}),
        resolve=lambda host, port: ("169.254.169.254",),
    )
    with pytest.raises(FetchFailed, match=r"169\.254\.169\.254, which is where clouds"):
        guard.addresses("metadata.google.internal", 80)


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


@pytest.mark.parametrize("first", [("1.1.1.1",), ()], ids=["good", "bad"])
def test_an_answer_is_forgotten_after_a_while(
    first: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, clock = iter([first, ("127.0.0.1",)]), SimpleNamespace(monotonic=lambda: 100.0)
    guard = Guard(resolve=lambda host, port: next(answers))
    monkeypatch.setattr("tearsheet.acquire.guard.time", clock)
    before = outcome(guard)
    clock.monotonic = lambda: 129.0
    assert outcome(guard) == before == (first or "dns")
    clock.monotonic = lambda: 131.0
    assert outcome(guard) == "blocked"


def outcome(guard: Guard) -> tuple[str, ...] | str:
    """The addresses of a name, or why it has none."""
    try:
        return guard.addresses("a.test", 80)
    except FetchFailed as error:
        return error.code


@pytest.mark.parametrize("host", ["a\0b.test", "\ud800.test", "..", "a" * 300])
def test_what_cannot_be_a_name_is_no_host(host: str) -> None:
    with pytest.raises(FetchFailed, match="no such host") as caught:
        Guard().addresses(host, 80)
    assert caught.value.code == "dns"


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
