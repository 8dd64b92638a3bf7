"""Notifies other programs that a clip is done. Their addresses pass the same guard as pages."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import logging
import socket
import ssl
import string
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Final
from urllib.parse import quote, urlsplit

from tearsheet import __version__
from tearsheet.acquire.guard import Guard, host_and_port
from tearsheet.errors import TearsheetError
from tearsheet.serve.settings import ServiceSettings
from tearsheet.types import Options

log = logging.getLogger("tearsheet")

_PATIENCE: Final = 10.0
"""Seconds for a whole attempt: a server that sends byte by byte must not occupy a thread."""
_PAUSES: Final = (2.0, 15.0)  # seconds before the second and the third attempt
_THREADS: Final = 2


class Webhooks:
    """Sends messages in threads of its own, so that no clip waits for them."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._ends = threading.Event()
        self._threads = ThreadPoolExecutor(_THREADS, "tearsheet-webhooks")

    def tell(self, url: str, message: Mapping[str, Any]) -> None:
        """Sends a message as JSON; tries twice more if it fails."""
        self._threads.submit(self._insist, url, json.dumps(message).encode())

    def close(self) -> None:
        self._ends.set()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _insist(self, url: str, body: bytes) -> None:
        for pause in (0.0, *_PAUSES):
            if self._ends.wait(pause):
                return
            try:
                status = post_json(url, body, self._settings)
                if status < 500:
                    return
            except TearsheetError as error:
                log.warning("a webhook is not told: %s", error)
                return
            except (OSError, http.client.HTTPException) as error:
                log.warning("a webhook does not answer: %s", error)


def post_json(url: str, body: bytes, settings: ServiceSettings) -> int:
    """The status of a server's response to a POST; raises FetchFailed if the guard refuses it, and
    OSError without a response in time."""
    from tearsheet.acquire.connection_race import connect_first
    from tearsheet.acquire.network import trusted_certificates

    options = {
        name: value for name, value in settings.page_options().items() if name.startswith("allow")
    }
    host, port = host_and_port(url)
    addresses = Guard.from_options(Options(**options)).addresses(host, port)
    line = connect_first(addresses, port, time.monotonic() + _PATIENCE)
    line.settimeout(_PATIENCE)
    connection = http.client.HTTPConnection(host, port, timeout=_PATIENCE)
    with _shut_in_time(line):
        parts = urlsplit(url)
        if parts.scheme.lower() == "https":
            context: ssl.SSLContext = trusted_certificates()
            line = context.wrap_socket(line, server_hostname=host)
        connection.sock = line
        try:
            path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
            path = quote(path, safe=string.punctuation)
            connection.request("POST", path, body, _headers(parts.netloc, body, settings.token))
            return connection.getresponse().status
        finally:
            connection.close()


@contextmanager
def _shut_in_time(line: socket.socket) -> Iterator[None]:
    """Closes a connection when its time is over, even in the middle of reading or writing."""
    own = line.dup()  # TLS takes the socket itself

    def shut() -> None:
        with suppress(OSError):
            own.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(_PATIENCE, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        own.close()


def _headers(host: str, body: bytes, token: str) -> dict[str, str]:
    headers = {
        "Host": host.rpartition("@")[2],
        "Content-Type": "application/json",
        "User-Agent": f"Tearsheet/{__version__}",
    }
    if token:  # a receiver that has the token can check that the message is ours
        digest = hmac.new(token.encode(), body, hashlib.sha256).hexdigest()
        headers["X-Tearsheet-Signature"] = f"sha256={digest}"
    return headers
