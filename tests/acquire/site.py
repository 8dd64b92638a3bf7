"""A real web server on loopback that answers as a test says, and counts requests."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Site:
    port: int = 0
    address: str = "127.0.0.1"
    routes: dict[str, Answer] = field(default_factory=dict)
    hits: Counter[str] = field(default_factory=Counter)
    connections: int = 0
    agents: set[str] = field(default_factory=set)
    ending: threading.Event = field(default_factory=threading.Event)
    """Set when the test is over: answers that never end wait for it."""

    @property
    def url(self) -> str:
        name = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{name}:{self.port}"

    @property
    def host(self) -> tuple[str, int]:
        return self.address, self.port

    def page(self, path: str, body: str | bytes, kind: str = "text/html; charset=utf-8") -> str:
        """Puts a page at a path and returns its address."""
        self.routes[path] = answer(body, kind)
        return self.url + path


def answer(
    body: str | bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> Answer:
    """An answer with these headers (`retry_after="0"` is Retry-After: 0)."""
    content = body.encode() if isinstance(body, str) else body

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        if kind:
            handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("Access-Control-Allow-Origin", "*")
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return send


def redirect(target: str, status: int = 302) -> Answer:
    return answer("", status=status, location=target)


@contextlib.contextmanager
def serving(certificate: Path | None = None, address: str = "127.0.0.1") -> Iterator[Site]:
    """A site that is served until the block ends, with TLS when there is a certificate."""
    site = Site(address=address)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            site.hits[path] += 1
            site.agents.add(self.headers.get("User-Agent", ""))
            reply = site.routes.get(path, answer("nothing here", status=404))
            with contextlib.suppress(ConnectionError):
                reply(self)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def verify_request(self, request: object, client_address: object) -> bool:
            site.connections += 1
            return True

        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET

    with Server((address, 0), Handler) as server:
        site.port = server.server_address[1]
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            site.ending.set()
            server.shutdown()
            thread.join()
