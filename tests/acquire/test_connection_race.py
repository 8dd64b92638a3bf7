"""A name whose first address leads nowhere is reached at its others, within the one deadline."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from functools import partial

import pytest

from tearsheet import Options
from tearsheet.acquire import connection_race
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.connection_race import (
    MOST_ADDRESSES,
    connect_first,
    open_first,
    order_addresses,
)
from tearsheet.acquire.fetch import fetch
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.render import render
from tearsheet.errors import FetchFailed

from .site import Site

DEAD, REFUSING = "127.0.0.2", "127.0.0.3"


@contextlib.contextmanager
def dead_address(port: int, address: str = DEAD) -> Iterator[None]:
    """An address at which nothing answers: the system drops what comes to a full queue."""
    with contextlib.ExitStack() as held:
        listener = held.enter_context(socket.socket())
        listener.bind((address, port))
        listener.listen(0)
        for _ in range(4):
            filler = held.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex((address, port))
        yield


@pytest.fixture
def port(site: Site) -> Iterator[int]:
    """The port of a site at 127.0.0.1, at which 127.0.0.2 is dead and 127.0.0.3 refuses."""
    site.page("/", "<p>Arrived.")
    with dead_address(site.port):
        yield site.port


def guard(*addresses: str) -> Guard:
    return Guard(allow_private=True, resolve=lambda host, port: addresses)


@pytest.mark.parametrize(
    "addresses",
    [(DEAD, "127.0.0.1"), (REFUSING, "127.0.0.1"), (DEAD, REFUSING, DEAD, "127.0.0.1")],
)
def test_a_page_is_fetched_although_the_first_address_is_dead(
    port: int, addresses: tuple[str, ...]
) -> None:
    found = fetch(f"http://a.test:{port}/", Options(timeout=5), guard=guard(*addresses))
    assert found.body == b"<p>Arrived."


def test_a_page_is_rendered_although_the_first_address_is_dead(port: int, browser: Browser) -> None:
    found = render(
        f"http://a.test:{port}/",
        Options(timeout=20),
        browser=browser,
        guard=guard(DEAD, REFUSING, "127.0.0.1"),
    )
    assert b"Arrived." in found.body


def test_all_addresses_together_have_one_deadline(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven dead addresses of one name end with the deadline of one."""
    waited: list[float] = []
    honest = connection_race._Attempts.wait

    def wait(attempts: connection_race._Attempts, seconds: float) -> socket.socket | None:
        waited.append(seconds)
        return honest(attempts, seconds)

    with pytest.raises(FetchFailed) as caught:
        fetch(f"http://a.test:{port}/", Options(timeout=0.3), guard=guard(*[DEAD] * 7))
    assert caught.value.code == "timeout"
    monkeypatch.setattr(connection_race._Attempts, "wait", wait)
    with pytest.raises(TimeoutError):
        connect_first([DEAD] * 7, port, time.monotonic() + 0.5)
    assert 0 < sum(waited) < 0.501


def test_an_address_that_refuses_is_told_at_once(port: int) -> None:
    with pytest.raises(FetchFailed, match="refused"):
        fetch(f"http://a.test:{port}/", Options(timeout=30), guard=guard(REFUSING, "127.0.0.4"))


def test_what_lost_the_race_is_closed(site: Site) -> None:
    """Both ways end with one connection open: warnings of what is left open are errors here."""

    async def race() -> bytes:
        dial = partial(asyncio.open_connection, port=site.port)
        reader, writer = await open_first(["127.0.0.1"] * 3, dial, 5)
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        said = await reader.read()
        writer.close()
        return said

    assert asyncio.run(race()).startswith(b"HTTP/1")
    with connect_first(["127.0.0.1"] * 3, site.port, time.monotonic() + 5) as line:
        line.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert line.recv(4) == b"HTTP"


def test_families_take_turns_and_there_is_a_limit() -> None:
    assert order_addresses(["::1", "::2", "::3", "1.1.1.1"]) == ["::1", "1.1.1.1", "::2", "::3"]
    assert len(order_addresses(f"1.1.1.{n}" for n in range(99))) == MOST_ADDRESSES
