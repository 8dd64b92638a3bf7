"""The label page and its data, for this machine alone: on loopback, below a secret path."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, Final
from urllib.parse import unquote

from tearsheet.errors import TearsheetError
from tearsheet.label.session import LabelSession, plain_page
from tearsheet.limits import CHANGE_BODY_BYTES
from tearsheet.types import PAGE_TYPES, ROLES

_HOST: Final = "127.0.0.1"
_POLICY: Final = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_STATIC: Final = {
    "": ("label.html", "text/html; charset=utf-8"),
    "label.js": ("label.js", "text/javascript; charset=utf-8"),
    "label.css": ("label.css", "text/css; charset=utf-8"),
}


class LabelServer(ThreadingHTTPServer):
    daemon_threads = True
    secret = ""


def make_server(session: LabelSession, port: int = 0) -> LabelServer:
    """A server on loopback whose address nobody can guess."""
    server = LabelServer((_HOST, port), partial(_Handler, session))
    server.secret = secrets.token_urlsafe(16)
    return server


def server_address(server: LabelServer) -> str:
    return f"http://{_HOST}:{server.server_address[1]}/{server.secret}/"


class _Handler(BaseHTTPRequestHandler):
    """Answers one request; everything is below the secret path."""

    server: LabelServer

    def __init__(self, session: LabelSession, *args: Any) -> None:
        self._session = session
        super().__init__(*args)

    def do_GET(self) -> None:
        self._respond(self._read)

    def do_POST(self) -> None:
        self._respond(self._write)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing: the terminal shows what matters."""

    def _respond(self, find: Callable[[str], tuple[str, bytes] | None]) -> None:
        path = self._inner_path()
        try:
            found = find(path) if path is not None else None
        except (TearsheetError, ValueError, KeyError, TypeError) as error:
            text = str(error).encode("utf-8", "replace")
            self._send(HTTPStatus.BAD_REQUEST, "text/plain; charset=utf-8", text)
            return
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"there is no such page")
        else:
            self._send(HTTPStatus.OK, *found)

    def _inner_path(self) -> str | None:
        """The path below the secret, if the request has the right host and the secret."""
        host = f"{_HOST}:{self.server.server_address[1]}"
        _, secret, *rest = [*self.path.partition("?")[0].split("/", 2), ""]
        knows = secrets.compare_digest(secret.encode(), self.server.secret.encode())
        return unquote(rest[0]) if knows and self.headers.get("Host") == host else None

    def _read(self, path: str) -> tuple[str, bytes] | None:
        if path in _STATIC:
            name, kind = _STATIC[path]
            return kind, files("tearsheet.label").joinpath("static", name).read_bytes()
        what, _, key = path.partition("/")
        if path == "pages":
            return _as_json(self._list())
        if what == "page":
            return _as_json(plain_page(self._session.draw(key)))
        return ("image/png", self._session.draw(key).picture) if what == "picture" else None

    def _list(self) -> dict[str, Any]:
        session = self._session
        pages = [{"key": key, "done": session.is_labelled(key)} for key in session.keys]
        return {"pages": pages, "roles": ROLES, "kinds": PAGE_TYPES}

    def _write(self, path: str) -> tuple[str, bytes] | None:
        what, _, key = path.partition("/")
        size = int(self.headers.get("Content-Length") or 0)
        if what != "page" or self.headers.get("Content-Type") != "application/json":
            return None
        if size > CHANGE_BODY_BYTES:
            raise ValueError("the labels are too large")
        self._session.write(key, json.loads(self.rfile.read(size)))
        return _as_json({"written": key})

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store",
            "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }  # fmt: skip
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _as_json(value: Any) -> tuple[str, bytes]:
    return "application/json", json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
