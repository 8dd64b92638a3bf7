"""One request to one server, through the guard and with one deadline for everything.

Where a server chooses HTTP/2, httpcore speaks it. HTTP/1.1 is left to Python itself, which needs a
third of the time.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from functools import cache
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import httpcore
import httpx

from tearsheet.acquire.guard import Guard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIECE: Final = 1 << 18
"""Bytes of a body that are read at once."""


class Answer(NamedTuple):
    """What a server says; its body can be read while the connection is open."""

    status: int
    headers: Message
    body: Iterator[bytes]


@contextmanager
def asked(
    url: httpx.URL, headers: Mapping[str, str], guard: Guard, deadline: float
) -> Iterator[Answer]:
    """The answer to a GET from an address that the guard has checked; TLS is verified for the name.

    Raises errors of the system, of `http.client` and of httpcore.
    """
    with _dialled(url, guard, deadline) as line:
        chosen = line.selected_alpn_protocol() if isinstance(line, ssl.SSLSocket) else None
        by = _by_http2 if chosen == "h2" else _by_http1
        yield by(line, url, {"Host": url.netloc.decode("ascii"), **headers}, deadline)


def _dialled(url: httpx.URL, guard: Guard, deadline: float) -> socket.socket:
    host, port = _place(url)
    line = _connected(guard.addresses(host, port), port, deadline)
    if url.scheme == "http":
        return line
    context = trusted()
    context.set_alpn_protocols(["http/1.1", "h2"])
    try:
        line.settimeout(_left(deadline))
        return context.wrap_socket(line, server_hostname=host)
    except BaseException:
        line.close()
        raise


def _place(url: httpx.URL) -> tuple[str, int]:
    return url.raw_host.decode("ascii"), url.port or (443 if url.scheme == "https" else 80)


def _connected(addresses: tuple[str, ...], port: int, deadline: float) -> socket.socket:
    failure = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((address, port), _left(deadline))
        except TimeoutError:
            raise
        except OSError as error:
            failure = error
    raise failure


def _by_http1(
    line: socket.socket, url: httpx.URL, headers: Mapping[str, str], deadline: float
) -> Answer:
    line.settimeout(_left(deadline))
    sender = HTTPConnection(url.host)
    sender.sock = line
    sender.request("GET", url.raw_path.decode("ascii"), headers=headers)
    reader: Any = _Reader(_Timed(line, deadline), _PIECE)
    while True:
        response = HTTPResponse(reader, method="GET")
        response.begin()
        if response.status >= 200:  # what comes before is no answer yet, such as 103, Early Hints
            return Answer(response.status, response.headers, _pieces(response))


def _pieces(response: HTTPResponse) -> Iterator[bytes]:
    while piece := response.read(_PIECE):
        yield piece
    if response.length:
        raise IncompleteRead(b"", response.length)


class _Reader(io.BufferedReader):
    """What `http.client` takes for a socket that answers are read from."""

    def makefile(self, mode: str) -> _Reader:
        return self

    def close(self) -> None:
        """Leaves the connection to who opened it: behind a first answer there may be another."""


class _Timed(io.RawIOBase):
    """A connection that cannot be read after the deadline.

    A limit for each read is not enough: a server that sends a byte a second keeps within it.
    """

    def __init__(self, line: socket.socket, deadline: float) -> None:
        self._line, self._deadline = line, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._line.settimeout(_left(self._deadline))
        return self._line.recv_into(buffer)


def _by_http2(
    line: socket.socket, url: httpx.URL, headers: Mapping[str, str], deadline: float
) -> Answer:
    host, port = _place(url)
    origin = httpcore.Origin(b"https", host.encode(), port)
    target = httpcore.URL(scheme=b"https", host=host.encode(), port=port, target=url.raw_path)
    given = [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
    response = httpcore.HTTP2Connection(origin, _Stream(line, deadline)).handle_request(
        httpcore.Request("GET", target, headers=given)
    )
    found = Message()
    for name, value in response.headers:
        found[name.decode("latin-1")] = value.decode("latin-1")
    return Answer(response.status, found, response.iter_stream())


class _Stream(httpcore.NetworkStream):
    """A connection that can be neither read nor written after the deadline, as httpcore has it."""

    def __init__(self, line: socket.socket, deadline: float) -> None:
        self._line, self._deadline = line, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._line.settimeout(_left(self._deadline))
        return self._line.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._line.settimeout(_left(self._deadline))
        self._line.sendall(buffer)

    def close(self) -> None:
        self._line.close()

    def get_extra_info(self, info: str) -> Any:
        return None


def _left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("deadline")
    return seconds


@cache
def trusted() -> ssl.SSLContext:
    """The certificates that servers are verified by (SSL_CERT_FILE names others)."""
    return httpx.create_ssl_context()
