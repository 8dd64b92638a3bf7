"""The checks before every request: who may ask, how often and how much; and security headers.

- The service answers only to its own names, so that no stranger's page can reach it by making its
  own name resolve to loopback (DNS rebinding). No page of another origin gets an answer; links to
  our pages and documents can be followed.
- All but the web page itself and the checks of supervisors needs the token, or, for reading one
  clip, its key (`credentials`): other users of the machine reach loopback, too.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tearsheet import limits
from tearsheet.addresses import address_host
from tearsheet.errors import TearsheetError
from tearsheet.serve.clients import request_client
from tearsheet.serve.credentials import (
    USER,
    Doorkeeper,
    Visitor,
    given_token,
    has_key,
    is_about_clip,
)
from tearsheet.serve.metrics import Metrics
from tearsheet.serve.problems import Problem, problem_response
from tearsheet.serve.settings import LOOPBACK, ServiceSettings

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PAGES: Final = frozenset({"/", "/tab"})
_OPEN: Final = _PAGES | {"/healthz", "/readyz", "/openapi.json", "/docs", "/article.css"}
"""Paths that need no token, because they reveal nothing about clips."""
_NEW_CLIP: Final = "/v1/clips"
_LISTS: Final = frozenset({"/v1/import", "/v1/rules"})
"""Paths that take long lists; no other change is large."""
_EXTENSIONS: Final = ("chrome-extension://", "moz-extension://")
PEER: Final = "tearsheet.peer"
"""The name in a request's scope of the address that it really came from."""
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self' blob:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS: Final = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": _POLICY,
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "cache-control": "no-store",
    }.items()
)
"""Headers of every response that does not set its own."""


class RequestChecks:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._rate = RateLimit(settings.rate)
        self._doorkeeper = Doorkeeper(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
            asks = _needs_token(scope["path"])
            scope[USER] = await self._find_visitor(scope) if asks else Visitor()
            self._count_request(scope)
        except TearsheetError as problem:
            await problem_response(problem)(scope, receive, self._with_headers(send))
            return
        await self._app(scope, self._limit_body(scope, receive), self._with_headers(send))

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        method, path = scope["method"], scope["path"]
        self._check_name(headers)
        _check_query(scope["query_string"])
        if not _is_visit(method, path, headers):
            _check_origin(headers)
        _check_size(_content_length(headers), self._body_limit(path))

    def _count_request(self, scope: Scope) -> None:
        """Counts requests that make a clip. Unknown clients were refused before, so strangers
        cannot use up anybody's rate."""
        if (scope["method"], scope["path"]) in (("POST", _NEW_CLIP), ("GET", "/v1/extract")):
            size = _content_length(Headers(scope=scope))
            self._rate.count(request_client(scope), max(1.0, size / limits.MEGABYTE))

    async def _find_visitor(self, scope: Scope) -> Visitor:
        """The visitor; raises if unknown."""
        settings, headers = self._settings, Headers(scope=scope)
        if not settings.token:
            return Visitor(is_admin=True)
        if scope["method"] in _SAFE and has_key(scope, settings.token):
            return Visitor(has_key=True)
        found = self._doorkeeper.by_header(headers, scope.get(PEER, ""))
        if found is None and (token := given_token(headers)):
            if self._doorkeeper.has_service_token(token):
                return Visitor(is_admin=True)
            store = scope["app"].state.service.store
            found = await asyncio.to_thread(self._doorkeeper.by_token, token, store)
        if found is None:
            raise Problem("unauthorized", "this service requires a token")
        return found

    def _check_name(self, headers: Headers) -> None:
        settings = self._settings
        if not settings.is_private and not settings.names:
            return  # the token is required, which no stranger's page has
        name = address_host("//" + headers.get("host", ""))
        if name not in LOOPBACK | settings.names | {settings.host}:
            raise Problem("misdirected", "this service does not have that name")

    def _body_limit(self, path: str) -> int:
        """The most bytes of a request; only a new clip brings a page. What this process parses
        would keep everybody waiting if it were large."""
        most = self._settings.body_bytes
        if path == _NEW_CLIP:
            return most
        return min(most, limits.CHANGE_BODY_BYTES if path in _LISTS else limits.JSON_BYTES)

    def _limit_body(self, scope: Scope, receive: Receive) -> Receive:
        """Counts the bytes that arrive. A body without a declared length counts when it is
        complete."""
        limit, size = self._body_limit(scope["path"]), 0
        charges = scope["path"] == _NEW_CLIP and "content-length" not in Headers(scope=scope)

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            _check_size(size, limit)
            if charges and size > limits.MEGABYTE and not message.get("more_body", False):
                self._rate.count(request_client(scope), size / limits.MEGABYTE - 1)
            return message

        return receive_limited

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                more = [pair for pair in _HEADERS if pair[0] not in given]
                message["headers"] = [*message["headers"], *more]
                self._metrics.count_answer(message["status"])
            await send(message)

        return send_with_headers


def _check_query(query: bytes) -> None:
    """Refuses very many fields before anything reads them: FastAPI compares each with all."""
    if query.count(b"&") >= limits.FIELDS:
        raise Problem("invalid", f"a query may have {limits.FIELDS} fields, not more")


def _content_length(headers: Headers) -> int:
    given = headers.get("content-length") or "0"
    if not (given.isascii() and given.isdigit() and len(given) < 20):
        raise Problem("invalid", "Content-Length is not a number")
    return int(given)


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise Problem("body", f"at most {limits.megabytes(limit)} can be sent")


def _is_visit(method: str, path: str, headers: Headers) -> bool:
    """Whether a browser opens one of our pages or documents, which links elsewhere may lead to."""
    opens = headers.get("sec-fetch-mode") == "navigate"
    alone = headers.get("sec-fetch-dest") == "document"
    page = path in _PAGES or (path.startswith("/v1/clips/") and path.endswith("/document"))
    return method in _SAFE and opens and alone and page and headers.get("origin") is None


def _check_origin(headers: Headers) -> None:
    """Refuses requests from pages of another origin, by form, picture or script. No page can claim
    the origin of an extension, and its user gave it the token.
    """
    origin = headers.get("origin")
    if origin is not None and origin.startswith(_EXTENSIONS):
        return
    if origin is not None and origin.partition("://")[2] != headers.get("host"):
        raise Problem("cross-site", "a page of another site asked for this")
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Problem("cross-site", "a page of another site asked for this")


def _needs_token(path: str) -> bool:
    """Whether this is more than a file of the web page, or a check of a supervisor."""
    return path not in _OPEN and not path.startswith("/static/")


def accepted_schemes(method: str, path: str) -> tuple[str, ...]:
    """The security schemes of the API that a route accepts.

    >>> accepted_schemes("get", "/v1/clips/{name}"), accepted_schemes("get", "/v1/clips")
    (('token', 'password', 'key'), ('token', 'password'))
    """
    if not _needs_token(path):
        return ()
    by_key = method.upper() in _SAFE and is_about_clip(path)
    return ("token", "password", "key") if by_key else ("token", "password")


class RateLimit:
    """Clips per minute for each client. Unused ones add up to those of half a minute. Each megabyte
    that a client sends counts as a clip, since reading it takes as long.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_second = per_minute / 60
        self._most = max(1.0, per_minute / 2)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, client: str, clips: float = 1.0) -> None:
        """Counts one request as so many clips; raises if the client has used up its rate."""
        if not self._per_second:
            return
        clips = min(clips, self._most)  # the largest is allowed after a pause
        now = time.monotonic()
        left, then = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - then) * self._per_second)
        self._left[client] = (left - clips if left >= clips else left, now)
        while len(self._left) > limits.REMEMBERED_CLIENTS:
            self._left.popitem(last=False)
        if left < clips:
            wait = math.ceil((clips - left) / self._per_second)
            raise Problem("rate", "too many clips in a minute", {"Retry-After": str(wait)})
