"""The egress guard: which hosts may be reached, and at which addresses.

A name is resolved once, each of its addresses is checked, and the caller connects only to a checked
address: there is no second look-up that could give another answer.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias
from urllib.parse import urlsplit

from tearsheet.acquire.allowances import read_host, read_network
from tearsheet.acquire.outer_proxy import NONE, OuterProxy, find_proxy
from tearsheet.acquire.special_addresses import Address, Network, is_metadata, is_public
from tearsheet.errors import FetchFailed
from tearsheet.types import Options

Resolver: TypeAlias = Callable[[str, int], tuple[str, ...]]

_SCHEMES: Final = {"http": 80, "https": 443}
_LOOK_UP: Final = 5.0


@dataclass(slots=True)
class Guard:
    """Decides which hosts may be reached. Each page gets its own guard, which remembers
    look-ups."""

    offline: bool = False
    """Refuses everything: for a saved page that a browser draws or prints."""
    allow_private: bool = False
    allowed: frozenset[tuple[str, int | None]] = frozenset()
    """Hosts and ports (None: any) that may be reached wherever they are."""
    networks: tuple[Network, ...] = ()
    """Networks that may be reached although they are not public."""
    resolve: Resolver = field(default=lambda host, port: look_up(host, port))
    timeout: float = _LOOK_UP
    """Seconds that one look-up may take."""
    via_proxy: str = NONE
    """The proxy to go through (`outer_proxy`)."""
    remember: float = 30.0
    """Seconds for which an answer, good or bad, is remembered."""
    _known: dict[str, tuple[float, tuple[str, ...] | FetchFailed]] = field(default_factory=dict)

    @classmethod
    def from_options(cls, options: Options) -> Self:
        """The guard for these options; raises FetchFailed if one cannot be read."""
        hosts = (read_host(text) for text in options.allow_host)
        return cls(
            allow_private=options.allow_private,
            allowed=frozenset((host_key(host), port) for host, port in hosts),
            networks=tuple(read_network(text) for text in options.allow_net),
            timeout=min(_LOOK_UP, options.timeout),
            via_proxy=options.via_proxy,
        )

    def check_url(self, url: str) -> tuple[str, ...]:
        """The addresses of a URL's host, if it may be reached."""
        return self.addresses(*host_and_port(url))

    def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The checked addresses of a host; raises if any of them is not public."""
        if self.offline:
            raise FetchFailed(f"a saved page may not use the network, nor {host}", code="blocked")
        found = self._resolve(host, port)
        for address in found:
            where = host if host == address else f"{host} is at {address}, which"
            if is_metadata(address):
                raise FetchFailed(
                    f"{where} is where clouds hand out secrets: it is always refused",
                    code="blocked",
                )
            if not (self._allows(host, port) or is_public(address) or self._is_near(address)):
                raise FetchFailed(
                    f"{where} is not a public address (allow it with --allow-host {host}, its "
                    "network with --allow-net, or all with --allow-private)",
                    code="blocked",
                )
        return found

    def proxy(self, scheme: str, host: str, port: int) -> OuterProxy | None:
        """The proxy through which a host is reached; None: it is reached directly."""
        return find_proxy(self.via_proxy, scheme, host, port)

    def _allows(self, host: str, port: int) -> bool:
        """Whether a host may be reached wherever it is."""
        key = host_key(host)
        return self.allow_private or not self.allowed.isdisjoint({(key, port), (key, None)})

    def _is_near(self, address: str) -> bool:
        """Whether an address is in one of the networks that were allowed."""
        ip = ipaddress.ip_address(address)
        ip = getattr(ip, "ipv4_mapped", None) or ip
        return any(ip in network for network in self.networks)

    def _resolve(self, host: str, port: int) -> tuple[str, ...]:
        literal = literal_address(host)
        if literal is not None:
            return (str(literal),)
        expires, known = self._known.get(host, (0.0, ()))
        if time.monotonic() >= expires:
            known = self._ask(host, port)
            self._known[host] = (time.monotonic() + self.remember, known)
        if isinstance(known, FetchFailed):
            raise known
        return known

    def _ask(self, host: str, port: int) -> tuple[str, ...] | FetchFailed:
        try:
            found = _run_with_timeout(lambda: self.resolve(host, port), self.timeout)
        except TimeoutError:
            return FetchFailed(f"looking up {host} took over {self.timeout:g} s", code="dns")
        except (OSError, ValueError):  # ValueError: it cannot be a name
            return FetchFailed(f"no such host: {host}", code="dns")
        return found or FetchFailed(f"no such host: {host}", code="dns")


def host_and_port(url: str) -> tuple[str, int]:
    """The host and port of an http or https address.

    >>> host_and_port("https://example.org/a")
    ('example.org', 443)
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise FetchFailed(f"not an address: {url}", code="address") from error
    if parts.scheme not in _SCHEMES:
        raise FetchFailed(f"only http and https can be fetched, not {url}", code="scheme")
    if not parts.hostname:
        raise FetchFailed(f"the address names no host: {url}", code="address")
    return parts.hostname, port or _SCHEMES[parts.scheme]


def host_key(host: str) -> str:
    """A host in one spelling: names as they are in requests, so `bücher` is `xn--bcher-kva`."""
    literal = literal_address(host)
    if literal is not None:
        return str(literal)
    if not host.isascii():
        from httpx import URL, InvalidURL  # `import tearsheet` stays light

        with contextlib.suppress(InvalidURL):
            host = URL(scheme="http", host=host).raw_host.decode("ascii")
    return host.lower().rstrip(".")


def literal_address(host: str) -> Address | None:
    """The address that a host name spells out, in any spelling that the system accepts.

    >>> str(literal_address("0x7f.1")), str(literal_address("2130706433"))
    ('127.0.0.1', '127.0.0.1')
    """
    bare = host.strip("[]").rstrip(".")
    try:
        return ipaddress.ip_address(bare)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(bare)) if bare.isascii() else None
    except (OSError, ValueError):  # ValueError: it has a zero in it
        return None


def look_up(host: str, port: int) -> tuple[str, ...]:
    """The answer of the system's resolver for a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def _run_with_timeout(call: Callable[[], tuple[str, ...]], seconds: float) -> tuple[str, ...]:
    """The result of a call that cannot be interrupted; TimeoutError if it takes too long."""
    result: Future[tuple[str, ...]] = Future()

    def work() -> None:
        try:
            result.set_result(call())
        except Exception as error:
            result.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return result.result(seconds)
