"""The proxy that stands between this machine and the web, if there is one.

It is asked for a tunnel (CONNECT) to the address that the guard has checked, never to a name, so it
reaches what was checked and nothing else. HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name it,
or the option `via_proxy`. Its password stands in one header and in no message.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from tearsheet.errors import InvalidOption

NONE: Final = "none"
HEAD: Final = 64 * 1024
"""Most bytes of the proxy's answer."""
_FORM: Final = "none, or a proxy as in http://proxy.example:3128"
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3})")


@dataclass(frozen=True, slots=True)
class OuterProxy:
    """Where the proxy is, and how we log in to it."""

    host: str
    port: int
    login: str = field(default="", repr=False)

    def tunnel_request(self, address: str, port: int) -> bytes:
        """The request for a tunnel to an address."""
        target = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        login = f"Proxy-Authorization: Basic {self.login}\r\n" if self.login else ""
        return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n".encode("ascii")

    def check_answer(self, head: bytes) -> None:
        """Raises OSError unless the proxy has opened the tunnel."""
        found = _STATUS.match(head)
        status = found[1].decode() if found else "no answer"
        if not status.startswith("2"):
            raise OSError(f"the proxy {self.host}:{self.port} opens no tunnel ({status})")


def find_proxy(chosen: str, scheme: str, host: str, port: int) -> OuterProxy | None:
    """The proxy for a host: the chosen one, or else the environment's, if any.

    >>> find_proxy("http://proxy.example:3128", "https", "press.example", 443)
    OuterProxy(host='proxy.example', port=3128)
    """
    if chosen:
        return None if chosen == NONE else _read_proxy(chosen)
    from urllib import request

    known = request.getproxies_environment()
    named = known.get(scheme) or known.get("all")
    if not named or request.proxy_bypass_environment(f"{host}:{port}"):  # type: ignore[attr-defined]
        return None
    return _read_proxy(named if "://" in named else f"http://{named}")


def _read_proxy(text: str) -> OuterProxy:
    try:
        parts = urlsplit(text)
        port = parts.port or 80
    except ValueError:
        raise InvalidOption("via_proxy", "that", _FORM) from None
    if parts.scheme != "http" or not parts.hostname:
        scheme = parts.scheme or "no scheme"  # not the text: it may have a password
        raise InvalidOption("via_proxy", f"one with {scheme}", _FORM)
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    login = base64.b64encode(f"{name}:{password}".encode()).decode() if name else ""
    return OuterProxy(parts.hostname, port, login)
