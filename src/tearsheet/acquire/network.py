"""One request to one server, through the guard and with one deadline for everything.

If the server chooses HTTP/2, httpcore speaks it. HTTP/1.1 is left to Python's own `http.client`,
which needs a third of the time.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.message import Message
from functools import cache
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import httpcore
import httpx

from tearsheet.acquire.connection_race import connect_first, order_addresses, seconds_left
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.outer_proxy import HEAD, OuterProxy

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIECE: Final = 1 << 18
"""Bytes of a body that are read at once."""


class ServerResponse(NamedTuple):
    """A server's response; its body can be read while the connection is open."""

    status: int
    headers: Message
    body: Iterator[bytes]


@contextmanager
def request(
    url: httpx.URL, headers: Mapping[str, str], guard: Guard, deadline: float
) -> Iterator[ServerResponse]:
    """The response to a GET from a checked address; TLS is verified for the name.

    Raises errors of the system, of `http.client` and of httpcore.
    """
    with _connect(url, guard, deadline) as line:
        chosen = line.selected_alpn_protocol() if isinstance(line, ssl.SSLSocket) else None
        send = _request_http2 if chosen == "h2" else _request_http1
        yield send(line, url, {"Host": url.netloc.decode("ascii"), **headers}, deadline)


def _connect(url: httpx.URL, guard: Guard, deadline: float) -> socket.socket:
    host, port = _host_and_port(url)
    addresses, proxy = guard.addresses(host, port), guard.proxy(url.scheme, host, port)
    if proxy is None:
        line = connect_first(addresses, port, deadline)
    else:
        line = _open_tunnel(proxy, addresses, port, deadline)
    if url.scheme == "http":
        return line
    context = trusted_certificates()
    context.set_alpn_protocols(["http/1.1", "h2"])
    try:
        line.settimeout(seconds_left(deadline))
        return context.wrap_socket(line, server_hostname=host)
    except BaseException:
        line.close()
        raise


def _open_tunnel(
    proxy: OuterProxy, addresses: Sequence[str], port: int, deadline: float
) -> socket.socket:
    """A connection through the proxy of this machine to the first checked address that it reaches;
    each address has an equal part of the time that is left."""
    waiting = order_addresses(addresses)
    while True:
        until = time.monotonic() + seconds_left(deadline) / len(waiting)
        try:
            return _ask_for_tunnel(proxy, waiting.pop(0), port, until)
        except OSError:
            if not waiting:
                raise


def _ask_for_tunnel(proxy: OuterProxy, address: str, port: int, deadline: float) -> socket.socket:
    try:
        line = socket.create_connection((proxy.host, proxy.port), seconds_left(deadline))
    except TimeoutError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise OSError(f"the proxy {proxy.host}:{proxy.port} does not answer ({reason})") from None
    try:
        line.sendall(proxy.tunnel_request(address, port))
        head = b""
        while b"\r\n\r\n" not in head and len(head) < HEAD:
            line.settimeout(seconds_left(deadline))
            byte = line.recv(1)  # one by one: what follows the head belongs to the server
            if not byte:
                break
            head += byte
        proxy.check_answer(head)
    except BaseException:
        line.close()
        raise
    return line


def _host_and_port(url: httpx.URL) -> tuple[str, int]:
    return url.raw_host.decode("ascii"), url.port or (443 if url.scheme == "https" else 80)


def _request_http1(
    line: socket.socket, url: httpx.URL, headers: Mapping[str, str], deadline: float
) -> ServerResponse:
    line.settimeout(seconds_left(deadline))
    sender = HTTPConnection(url.host)
    sender.sock = line
    sender.request("GET", url.raw_path.decode("ascii"), headers=headers)
    reader: Any = _ResponseReader(_TimedConnection(line, deadline), _PIECE)
    while True:
        response = HTTPResponse(reader, method="GET")
        response.begin()
        if response.status >= 200:  # before that come interim responses, such as 103 Early Hints
            return ServerResponse(response.status, response.headers, _read_pieces(response))


def _read_pieces(response: HTTPResponse) -> Iterator[bytes]:
    while piece := response.read(_PIECE):
        yield piece
    if response.length:
        raise IncompleteRead(b"", response.length)


class _ResponseReader(io.BufferedReader):
    """Looks to `http.client` like a socket from which responses are read."""

    def makefile(self, mode: str) -> _ResponseReader:
        return self

    def close(self) -> None:
        """Leaves the connection open: after an interim response there is another."""


class _TimedConnection(io.RawIOBase):
    """A connection that cannot be read after the deadline.

    A limit for each read is not enough: a server that sends one byte per second stays within it.
    """

    def __init__(self, line: socket.socket, deadline: float) -> None:
        self._line, self._deadline = line, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._line.settimeout(seconds_left(self._deadline))
        return self._line.recv_into(buffer)


def _request_http2(
    line: socket.socket, url: httpx.URL, headers: Mapping[str, str], deadline: float
) -> ServerResponse:
    host, port = _host_and_port(url)
    origin = httpcore.Origin(b"https", host.encode(), port)
    target = httpcore.URL(scheme=b"https", host=host.encode(), port=port, target=url.raw_path)
    given = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    response = httpcore.HTTP2Connection(origin, _TimedStream(line, deadline)).handle_request(
        httpcore.Request("GET", target, headers=given)
    )
    found = Message()
    for name, value in response.headers:
        found[name.decode("latin-1")] = value.decode("latin-1")
    return ServerResponse(response.status, found, response.iter_stream())


class _TimedStream(httpcore.NetworkStream):
    """A connection for httpcore that can be neither read nor written after the deadline."""

    def __init__(self, line: socket.socket, deadline: float) -> None:
        self._line, self._deadline = line, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._line.settimeout(seconds_left(self._deadline))
        return self._line.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._line.settimeout(seconds_left(self._deadline))
        self._line.sendall(buffer)

    def close(self) -> None:
        self._line.close()

    def get_extra_info(self, info: str) -> Any:
        return None


@cache
def trusted_certificates() -> ssl.SSLContext:
    """The certificates that we trust (SSL_CERT_FILE names others)."""
    return httpx.create_ssl_context()
