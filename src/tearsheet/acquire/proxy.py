"""The forward proxy that the browser is bound to. It connects only to addresses that the guard has
checked.

Each page of the browser has its own gate (a listening socket), so that each page has its own rules
and its own budget. HTTP is passed on request by request, everything else through CONNECT.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from tearsheet.acquire.connection_race import open_first
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.outer_proxy import OuterProxy
from tearsheet.errors import FetchFailed

Way: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""Where bytes come from, and where they go."""

HEAD: Final = 256 * 1024
"""Largest head of a request or response, in bytes."""
_HOP_HEADERS: Final = (b"connection:", b"proxy-", b"keep-alive:")


class BudgetExceeded(Exception):
    """The page has used up its requests or bytes."""


@dataclass(slots=True)
class PageAllowance:
    """The limits of one page at its gate, and how much of them it has used."""

    guard: Guard
    max_bytes: int
    max_requests: int = 5_000
    idle: float = 10.0
    """Seconds after which a silent connection is closed, so that no page keeps waiting for it."""
    requests: int = 0
    bytes: int = 0
    refused: dict[str, FetchFailed] = field(default_factory=dict)
    """Why hosts were refused, by host."""

    def count(self, size: int) -> None:
        self.bytes += size
        if self.bytes > self.max_bytes:
            raise BudgetExceeded


class Gate:
    """One listening socket; it refuses everything until its page has an allowance."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.address = f"127.0.0.1:{listener.getsockname()[1]}"
        self.allowance: PageAllowance | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection of the browser, from its first byte to its end."""
        allowance = self.allowance
        try:
            if allowance is not None:
                await _BrowserConnection(allowance, reader, writer).run()
        except (OSError, EOFError, TimeoutError, ValueError, FetchFailed, BudgetExceeded,
                asyncio.LimitOverrunError, asyncio.CancelledError):  # fmt: skip
            pass  # the browser sees a closed connection, which is all it needs to know
        finally:
            writer.close()


class Proxy:
    """Serves the gates in a thread."""

    def __init__(self, listeners: Sequence[socket.socket]) -> None:
        self.gates = [Gate(listener) for listener in listeners]
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tearsheet-proxy", daemon=True)
        self._thread.start()
        self._listening.wait()  # only then can it be closed

    def close(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._listen())
        finally:
            self._listening.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _listen(self) -> None:
        self._servers = [
            await asyncio.start_server(gate.serve, sock=gate.listener, limit=HEAD)
            for gate in self.gates
        ]

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(slots=True)
class _BrowserConnection:
    """A connection of the browser to a host."""

    allowance: PageAllowance
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def run(self) -> None:
        async with asyncio.timeout(self.allowance.idle):
            head = await self.reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        self.allowance.requests += 1
        if self.allowance.requests > self.allowance.max_requests:
            raise BudgetExceeded
        if method == "CONNECT":
            await self._tunnel(target)
        else:
            await self._forward(method, target, head)

    async def _tunnel(self, target: str) -> None:
        parts = urlsplit(f"//{target}")
        try:
            upstream = await self._dial("https", parts.hostname or "", parts.port or 443)
        except (OSError, FetchFailed, TimeoutError):
            self.writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            raise
        self.writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await self._relay((self.reader, upstream[1]), (upstream[0], self.writer))

    async def _forward(self, method: str, target: str, head: bytes) -> None:
        """Passes on one request and its response, then ends: so responses are never mixed up."""
        parts = urlsplit(target)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(target)
        length, lines = _request_headers(head)
        upstream = await self._dial("http", parts.hostname, parts.port or 80)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        first = f"{method} {path} HTTP/1.1".encode("latin-1")
        upstream[1].write(b"\r\n".join([first, *lines, b"Connection: close", b"", b""]))
        try:
            await self._relay(
                (self.reader, upstream[1]), (upstream[0], self.writer), request=length
            )
        finally:
            upstream[1].close()

    async def _dial(self, scheme: str, host: str, port: int) -> Way:
        """Connects to the first checked address that answers, through the proxy of this machine if
        it has one."""
        try:
            addresses = await asyncio.to_thread(self.allowance.guard.addresses, host, port)
        except FetchFailed as error:
            self.allowance.refused[host] = error
            raise
        outer = self.allowance.guard.proxy(scheme, host, port)

        def dial(address: str) -> Coroutine[Any, Any, Way]:
            if outer is None:
                return asyncio.open_connection(address, port, limit=HEAD)
            return _open_tunnel(outer, address, port)

        return await open_first(addresses, dial, self.allowance.idle)

    async def _relay(
        self,
        up: Way,
        down: Way,
        request: int | None = None,
    ) -> None:
        """Passes bytes both ways until one side ends, or nothing comes for too long."""
        try:
            async with asyncio.timeout(self.allowance.idle) as limit:
                if request is not None:
                    await self._body(up, request, limit)
                    await self._response_head(down)
                    await self._pump(down, limit)
                    return
                pumps = [asyncio.ensure_future(self._pump(way, limit)) for way in (up, down)]
                try:
                    await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for pump in pumps:
                        pump.cancel()
                    await asyncio.gather(*pumps, return_exceptions=True)
        finally:
            up[1].close()

    async def _body(
        self,
        way: Way,
        length: int,
        limit: asyncio.Timeout,
    ) -> None:
        """Passes on the body of a request and not a byte more."""
        while length > 0 and (data := await way[0].read(min(length, 65536))):
            length -= len(data)
            await self._pass_on(data, way[1], limit)

    async def _response_head(self, way: Way) -> None:
        """Passes on the head of the response, and announces that the connection ends after it."""
        while True:
            head = await way[0].readuntil(b"\r\n\r\n")
            self.allowance.count(len(head))
            if head[9:10] == b"1":  # 100 Continue, 103 Early Hints: the final one follows
                continue
            first, *lines = head[:-4].split(b"\r\n")
            kept = [line for line in lines if not line.lower().startswith(_HOP_HEADERS)]
            way[1].write(b"\r\n".join([first, *kept, b"Connection: close", b"", b""]))
            return

    async def _pump(
        self,
        way: Way,
        limit: asyncio.Timeout,
    ) -> None:
        while data := await way[0].read(65536):
            await self._pass_on(data, way[1], limit)

    async def _pass_on(
        self, data: bytes, writer: asyncio.StreamWriter, limit: asyncio.Timeout
    ) -> None:
        self.allowance.count(len(data))
        limit.reschedule(asyncio.get_running_loop().time() + self.allowance.idle)
        writer.write(data)
        await writer.drain()


async def _open_tunnel(outer: OuterProxy, address: str, port: int) -> Way:
    """A connection to a checked address through the proxy of this machine."""
    reader, writer = await asyncio.open_connection(outer.host, outer.port, limit=HEAD)
    try:
        writer.write(outer.tunnel_request(address, port))
        outer.check_answer(await reader.readuntil(b"\r\n\r\n"))
    except BaseException:
        writer.close()
        raise
    return reader, writer


def _request_headers(head: bytes) -> tuple[int, list[bytes]]:
    """The length of a request's body, and the headers to pass on."""
    kept, length = [], 0
    for line in head[:-4].split(b"\r\n")[1:]:
        name = line.lower()
        if name.startswith(b"transfer-encoding:"):
            raise ValueError("a request of unknown length")
        if name.startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
        if not name.startswith(_HOP_HEADERS):
            kept.append(line)
    return length, kept
