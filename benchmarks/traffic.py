"""Loopback traffic: a site served from memory, clients that ask without pausing, and what the
processes of a service use meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import math
import multiprocessing
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import uvloop
from samples.serve import SITE

from tearsheet.workers import family

TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
TOKEN = secrets.token_hex(16)
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LONGEST_WAIT = 2.0
"""Longest wait of a client after a 429, in seconds."""


def sample_pages() -> list[str]:
    """The paths of the sample site's pages."""
    return sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))


@contextlib.contextmanager
def site(pages: Sequence[bytes]) -> Iterator[str]:
    """The address (without a slash) of a process that serves page N at /N."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(list(pages), theirs), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.terminate()
        process.join()


def _serve(pages: list[bytes], ready: Connection) -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
    )
    answers = [head % len(page) + page for page in pages]

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(
            lambda: _Pages(answers), "127.0.0.1"
        )
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    uvloop.run(run())


class _Pages(asyncio.Protocol):
    """A connection to the site. It must be cheap: it shares the machine with the service."""

    def __init__(self, answers: Sequence[bytes]) -> None:
        self._answers, self._asked = answers, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        *requests, self._asked = (self._asked + data).split(b"\r\n\r\n")
        for request in requests:
            self._transport.write(self._answers[int(request.split(b" ", 2)[1][1:])])


@contextlib.contextmanager
def samples() -> Iterator[tuple[str, int]]:
    """The address and process id of a server of the sample site."""
    command = [sys.executable, "-m", "samples.serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.kill()
        process.wait()


@dataclass
class Service:
    """`tearsheet serve` in a process of its own."""

    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def pids(self) -> list[int]:
        return family(self.process.pid)

    def cpu(self) -> float:
        """Seconds of processor time that all its processes have used."""
        return sum(map(cpu, self.pids))

    def routes_cpu(self) -> float:
        """… and that the process with the routes and the store has used."""
        return cpu(self.process.pid, ended=False)

    def memory(self) -> float:
        """Megabytes of all its processes, shared ones counted once."""
        return sum(map(_memory, self.pids)) / 2**20


@contextlib.contextmanager
def service(folder: str, *arguments: str) -> Iterator[Service]:
    """A service that may reach loopback; it ends with the block."""
    started = start_service(folder, *arguments)
    try:
        yield started
    finally:
        started.process.send_signal(signal.SIGTERM)
        started.process.wait()


def start_service(folder: str, *arguments: str) -> Service:
    """A service that may reach loopback, once it says where it is."""
    command = [sys.executable, "-m", "tearsheet", "serve", "--port", "0", "--allow-private"]
    command += ["--store", f"{folder}/store.db", "--rate", "0", *arguments]
    environment = os.environ | {"TEARSHEET_TOKEN": TOKEN}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    found = re.search(r"http://[\d.:]+", process.stdout.readline())
    assert found is not None
    return Service(process, found[0])


def cpu(pid: int, *, ended: bool = True) -> float:
    """Seconds of processor time that a process has used, with those of its ended children."""
    with contextlib.suppress(OSError):
        after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, after[11 : 15 if ended else 13])) / TICK
    return 0.0


def _memory(pid: int) -> int:
    with contextlib.suppress(OSError):
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
        return int(found[1]) * 1024 if found else 0
    return 0


@dataclass
class Tally:
    """The responses that the clients got."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Seconds of each request that was not refused with 429."""

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def crowd(
    address: str, asks: Sequence[Mapping[str, Any]], clients: int, seconds: float | None = None
) -> Tally:
    """Clients that each ask again as soon as they have their clip: for each thing once, or for all
    of them again and again until the time is up."""
    return uvloop.run(_crowd(address, asks, clients, seconds))


async def _crowd(
    address: str, asks: Sequence[Mapping[str, Any]], clients: int, seconds: float | None
) -> Tally:
    tally, until = Tally(), time.monotonic() + (seconds or math.inf)
    bodies = [json.dumps(ask).encode() for ask in asks]
    waiting = iter(bodies) if seconds is None else itertools.cycle(bodies)

    async def client(number: int) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        own = (f"127.0.1.{number + 1}", 0)  # the service tells clients apart by their addresses
        reader, writer = await asyncio.open_connection(host, int(port), local_addr=own)
        for body in waiting:
            if time.monotonic() >= until:
                break
            began = time.monotonic()
            writer.write(make_request(host, body))
            status, pause = await read_answer(reader)
            tally.statuses[status] += 1
            if status == 429:
                await asyncio.sleep(min(pause, LONGEST_WAIT))
            else:
                tally.seconds.append(time.monotonic() - began)
        writer.close()

    await asyncio.gather(*map(client, range(clients)))
    return tally


def make_request(host: str, body: bytes) -> bytes:
    head = f"POST /v1/clips HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {TOKEN}\r\n"
    return f"{head}Prefer: wait=60\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, int]:
    """The status of a response, and the seconds it asks to wait; the body is discarded."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status, size = int(head[9:12]), _number(head, b"content-length")
    await reader.readexactly(size)
    assert size or status != 200, "an empty document"
    return status, _number(head, b"retry-after")


def _number(head: bytes, name: bytes) -> int:
    """The number in a header of a response, or 0."""
    return int((head.partition(b"\r\n%s:" % name)[2].partition(b"\r\n")[0]) or 0)
