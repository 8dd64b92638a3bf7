"""The rules in a site's robots.txt (RFC 9309), read by Protego."""

from __future__ import annotations

from urllib.parse import urlsplit

from tearsheet.acquire.fetch import get, product
from tearsheet.acquire.guard import Guard
from tearsheet.addresses import web_origin
from tearsheet.errors import FetchFailed
from tearsheet.types import Options

_LONGEST = 500 * 1024
"""Characters that are read (§2.5)."""


class RobotRules:
    """The rules of one site for us."""

    def __init__(self, text: str) -> None:
        from protego import Protego

        self._rules = Protego.parse(text)

    def check(self, url: str) -> None:
        """Raises if the rules forbid this address."""
        if not self._rules.can_fetch(url, product()):
            raise FetchFailed(f"the robots.txt of its site forbids {url}", code="robots")

    @property
    def pause(self) -> float:
        """The pause between two requests that the rules demand, in seconds."""
        return float(self._rules.crawl_delay(product()) or 0)


def check_robots(url: str, options: Options, guard: Guard) -> None:
    """Raises if the robots.txt of its site forbids an address."""
    read_robots(url, options, guard).check(url)


def read_robots(url: str, options: Options, guard: Guard) -> RobotRules:
    """The rules of the site of an address."""
    reply = get(f"{web_origin(url)}/robots.txt", options, guard)
    if reply.status >= 500:  # §2.3.1.4: unreadable rules forbid everything
        raise FetchFailed(f"robots.txt of {urlsplit(url).netloc} cannot be read", code="robots")
    # §2.3.1.3: without rules, everything is allowed
    text = "" if reply.status >= 400 else reply.body.decode("utf-8", "replace")
    return RobotRules(text[:_LONGEST])
