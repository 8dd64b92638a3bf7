"""Connections that ask for nothing, or take their time, keep nobody out."""

from __future__ import annotations

import logging
import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from .conftest import running, settings

HEAD = b"POST /v1/clips HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/html\r\n"


def connect(address: str, *sent: bytes) -> socket.socket:
    at = urlsplit(address)
    held = socket.create_connection((at.hostname or "", at.port or 0), timeout=10)
    for piece in sent:
        held.sendall(piece)
    return held


def is_closed(held: socket.socket) -> bool:
    """Waits until the other side ends the connection; it may have answered before."""
    try:
        while held.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def drip(held: socket.socket) -> bool:
    """Sends one byte more; whether the other side still takes it."""
    try:
        held.sendall(b"x")
    except ConnectionError:
        return False
    return True


def push(held: socket.socket, data: bytes) -> bool:
    """Sends a lot more; whether the other side still takes it."""
    try:
        held.sendall(data)
    except ConnectionError:
        return False
    return True


@pytest.mark.parametrize(
    "sent",
    [
        (),
        (b"GET /healthz HT",),
        (HEAD,),
        (HEAD, b"Content-Length: 1000\r\n\r\n", b"<p>"),
        (HEAD, b"Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n"),
        (b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"GET /healthz HT"),
    ],
    ids=["nothing", "half a line", "half a head", "half a body", "half a stream", "a second half"],
)
def test_a_request_that_does_not_come_is_given_up(tmp_path: Path, sent: tuple[bytes, ...]) -> None:
    quick = settings(tmp_path, head_seconds=0.2, idle_seconds=0.2)
    with running(quick) as address, connect(address, *sent) as held:
        assert is_closed(held)


def test_a_body_that_drips_is_given_up_at_its_end(tmp_path: Path) -> None:
    """Each piece is in time, but not the whole."""
    slow = settings(tmp_path, idle_seconds=600, body_seconds=0.5)
    with running(slow) as address:
        begin = (HEAD, b"Content-Length: 1000\r\n\r\n", b"<p>")
        with connect(address, *begin) as held:
            held.settimeout(0.05)
            assert any(is_closed(held) or not drip(held) for _ in range(200))


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET /healthz HTTP/1.1\r\n", b"X: a\r\n"),
        (b"GET /healthz HTTP/1.1\r\nX: ", b"aaaaaa"),
        (b"POST /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: a\r\n"),
        (b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HTTP/1.1\r\n", b"X: a\r\n"),
    ],
    ids=["fields", "one field", "after a body", "of a second request"],
)
def test_a_head_that_does_not_end_is_refused(tmp_path: Path, begin: bytes, more: bytes) -> None:
    """Each field of six bytes takes a hundred in memory, and no token is asked for before."""
    patient = settings(tmp_path, head_seconds=600, idle_seconds=600, body_seconds=600)
    with running(patient) as address, connect(address, begin) as held:
        assert any(not push(held, more * 10_000) for _ in range(40)) or is_closed(held)


def test_a_body_in_very_small_pieces_is_no_head(tmp_path: Path) -> None:
    pieces = b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n"
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    with running(settings(tmp_path)) as address, connect(address, head, pieces) as held:
        assert held.recv(65536).startswith(b"HTTP/1.1 202 ")


@pytest.mark.parametrize("cap", ["connections", "client_connections"])
@pytest.mark.parametrize("sent", [b"", b"GET /healthz HT", HEAD + b"Content-Length: 9\r\n\r\nx"])
def test_half_open_connections_make_room(tmp_path: Path, cap: str, sent: bytes) -> None:
    """The oldest ones are closed for new ones, long before their time is over."""
    few = settings(tmp_path, **{cap: 4}, head_seconds=600, idle_seconds=600, body_seconds=600)
    with running(few) as address:
        held = [connect(address, sent) for _ in range(12)]
        assert httpx.get(f"{address}/healthz", timeout=20).status_code == 200
        assert all(is_closed(one) for one in held[:8])
        for one in held:
            one.close()


def test_nobody_but_a_proxy_says_who_the_client_is(tmp_path: Path) -> None:
    """Else each request could come from another client, and no rate would hold."""
    for proxies, limited in ((frozenset(), True), (frozenset({"127.0.0.1"}), False)):
        config = settings(tmp_path, rate=2, proxies=proxies)
        with running(config) as address, httpx.Client(base_url=address) as client:
            statuses = {
                client.post(
                    "/v1/clips", json={}, headers={"X-Forwarded-For": f"192.0.2.{i}"}
                ).status_code
                for i in range(4)
            }
        assert (429 in statuses) is limited


def test_a_client_that_goes_away_in_the_middle_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is logged: whoever likes could fill the log."""
    with running(settings(tmp_path)) as address:
        log = logging.getLogger("uvicorn.error")
        log.addHandler(caplog.handler)
        log.setLevel("ERROR")
        with connect(address, HEAD, b"Content-Length: 900\r\n\r\n<p>half") as held:
            held.shutdown(socket.SHUT_WR)
            assert is_closed(held)
        assert httpx.get(f"{address}/healthz").status_code == 200
        log.removeHandler(caplog.handler)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
