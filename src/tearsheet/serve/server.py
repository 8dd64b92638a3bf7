"""The HTTP server around the application: it limits connections and their time. The head of a
request, each piece of its body, and the whole must arrive in time. If there are too many
connections, of one client or in all, the one that has waited longest without a complete request is
closed for the new one, so idle connections keep nobody out.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from tearsheet import limits
from tearsheet.serve.api import application
from tearsheet.serve.clients import client_name
from tearsheet.serve.middleware import PEER
from tearsheet.serve.settings import ServiceSettings

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as _Protocol
else:
    _Protocol = AutoHTTPProtocol

_GRACE: Final = 3  # seconds for requests that are being answered when the service ends


def configure(settings: ServiceSettings) -> uvicorn.Config:
    """The configuration of uvicorn."""
    held: dict[LimitedConnection, None] = {}

    class SettledConnection(LimitedConnection):
        """A connection of this server."""

        limits = settings
        others = held

    app: Any = application(settings)
    if settings.proxies:  # otherwise anybody could claim another client's address
        app = _note_peer(ProxyHeadersMiddleware(app, sorted(settings.proxies)))
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=SettledConnection,
        ws="none",
        log_level="warning",
        access_log=False,  # addresses of clips are secrets
        server_header=False,
        headers=[("X-Content-Type-Options", "nosniff")],  # of every answer, also to what is no HTTP
        proxy_headers=False,
        timeout_keep_alive=int(settings.idle_seconds),
        timeout_graceful_shutdown=_GRACE,
    )


def _note_peer(app: Any) -> Any:
    """The application, with the real origin of each request."""

    async def call(scope: Any, receive: Any, send: Any) -> None:
        if scope.get("client"):
            scope[PEER] = scope["client"][0]
        await app(scope, receive, send)

    return call


class LimitedConnection(_Protocol):
    """One connection; `others` are all connections, the oldest first."""

    limits: ServiceSettings
    others: dict[LimitedConnection, None]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timer: asyncio.TimerHandle | None = None
        self._body_ends: float | None = None
        """The time by which the body must be complete."""
        self._head_bytes: int | None = None
        """What has arrived of a head, or of the headers after a body. None if h11 parses it, which
        has a limit of its own."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.others[self] = None
        self._make_room()
        self._close_in(self.limits.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self.others.pop(self, None)
        self._stop_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._head_bytes = 0
        super().on_message_begin()

    def on_body(self, body: bytes) -> None:
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        if self._head_bytes is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._head_bytes is not None and self._head_bytes > limits.HEAD_BYTES:
            self.send_400_response("The head of the request is too large.")
            return
        if not self._is_waiting:  # the request is complete
            self._body_ends = None
            self._stop_timer()
        elif self._is_sending_body:
            now = self.loop.time()
            self._body_ends = self._body_ends or now + self.limits.body_seconds
            self._close_in(min(self.limits.idle_seconds, self._body_ends - now))
        elif self._timer is None or self._body_ends is not None:  # a new head begins
            self._body_ends = None
            self._close_in(self.limits.head_seconds)

    def pause_writing(self) -> None:
        """The client does not read its response."""
        super().pause_writing()
        self._close_in(self.limits.body_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_timer()

    @property
    def _is_sending_body(self) -> bool:
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and cycle.more_body

    @property
    def _is_waiting(self) -> bool:
        """Whether the connection has no complete request that needs an answer."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _make_room(self) -> None:
        """Closes the connection that waits longest, if there are too many."""
        mine = [one for one in self.others if one._client == self._client]
        if len(mine) > self.limits.client_connections and self._host not in self.limits.proxies:
            self._close_one(mine)
        elif len(self.others) > self.limits.connections:
            self._close_one(list(self.others))

    def _close_one(self, among: list[LimitedConnection]) -> None:
        idle = next((one for one in among if one is not self and one._is_waiting), self)
        self.others.pop(idle, None)
        idle.transport.abort()

    @property
    def _client(self) -> str:
        return client_name(self._host)

    @property
    def _host(self) -> str:
        return self.client[0] if self.client else ""

    def _close_in(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(max(seconds, 0), self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
