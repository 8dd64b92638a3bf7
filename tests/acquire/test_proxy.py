"""What one page may use of the network, at the gate that its browser is bound to."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from tearsheet.acquire.guard import Guard
from tearsheet.acquire.proxy import Gate, PageAllowance, Proxy

from .site import Site, serving

LARGE = 4 << 20


@pytest.fixture
def gates() -> Iterator[list[Gate]]:
    proxy = Proxy([socket.create_server(("127.0.0.1", 0)) for _ in range(2)])
    yield proxy.gates
    proxy.close()


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        site.page("/", "here")
        site.page("/large", b"x" * LARGE)
        yield site


def ask(gate: Gate, site: Site, path: str = "/", tunnel: bool = False) -> bytes:
    """All that a gate lets through as the answer of a site."""
    host, port = gate.address.split(":")
    with socket.create_connection((host, int(port)), 20) as line:
        target = path if tunnel else site.url + path
        if tunnel:
            line.sendall(f"CONNECT 127.0.0.1:{site.port} HTTP/1.1\r\n\r\n".encode())
            assert b" 200 " in line.recv(1000)
        line.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        try:
            return b"".join(iter(lambda: line.recv(1 << 16), b""))
        except ConnectionResetError:
            return b""


def allow(max_bytes: int = 10 * LARGE, max_requests: int = 1000) -> PageAllowance:
    return PageAllowance(Guard(allow_private=True), max_bytes, max_requests)


def test_a_gate_without_a_page_lets_nothing_through(gates: list[Gate], site: Site) -> None:
    gates[0].allowance = allow()
    assert b"here" in ask(gates[0], site)
    gates[0].allowance = None
    assert not ask(gates[0], site)
    assert site.hits["/"] == 1


def test_a_page_makes_so_many_requests_and_its_neighbour_does_not_pay(
    gates: list[Gate], site: Site
) -> None:
    for gate in gates:
        gate.allowance = allow(max_requests=3)
    answers = [ask(gates[0], site) for _ in range(5)]
    assert [b"here" in answer for answer in answers] == [True, True, True, False, False]
    assert b"here" in ask(gates[1], site)
    assert site.hits["/"] == 4


@pytest.mark.parametrize("tunnel", [False, True], ids=["request", "tunnel"])
def test_a_page_gets_so_many_bytes(gates: list[Gate], site: Site, tunnel: bool) -> None:
    gates[0].allowance = allow(max_bytes=LARGE // 4)
    assert 0 < len(ask(gates[0], site, "/large", tunnel)) <= LARGE // 4
    assert not ask(gates[0], site), "what is used up stays used up"
