"""httpx's way to the network, through the guard and with one deadline for everything."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import httpcore
import httpx

from tearsheet.acquire.guard import Guard


class GuardedTransport(httpx.BaseTransport):
    """Connects to addresses that the guard has checked; TLS is verified for the name."""

    def __init__(self, guard: Guard, deadline: float) -> None:
        self._deadline = deadline
        self._pool = httpcore.ConnectionPool(
            ssl_context=trusted(), http2=True, network_backend=_Network(guard, deadline)
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        response = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _Network(httpcore.NetworkBackend):
    def __init__(self, guard: Guard, deadline: float) -> None:
        self._guard, self._deadline = guard, deadline
        self._system = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception = httpcore.ConnectError("no address")
        for address in self._guard.addresses(host, port):
            try:
                stream = self._system.connect_tcp(address, port, _left(self._deadline))
            except httpcore.ConnectError as error:
                failure = error
            else:
                return _Stream(stream, self._deadline)
        raise failure


class _Stream(httpcore.NetworkStream):
    """A connection that can be neither read nor written after the deadline.

    A limit for each read is not enough: a server that sends a byte a second keeps within it.
    """

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(self._deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, _left(self._deadline))
        return _Stream(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise httpcore.ReadTimeout("deadline")
    return seconds


@cache
def trusted() -> ssl.SSLContext:
    """The certificates that servers are verified by (SSL_CERT_FILE names others)."""
    return httpx.create_ssl_context()
