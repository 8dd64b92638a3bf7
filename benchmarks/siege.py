"""`python -m benchmarks.siege [--seconds 60] [--kills 100]`: the service under load, with hostile
clients among the honest ones, and while its processes are killed. Linux, loopback only.

1. Honest clients alone: statuses, 99th percentile, memory.
2. A tenth of them is hostile: a request that drips, bodies of 31 MB, connections left half open,
   articles whose pictures never come, pages that never come. The honest ones must keep their rate.
3. Browser, its process for requests, worker and the whole service are killed with -9, in turns,
   while clips are made. Every clip that was accepted must be done at the end, once and with the
   text of its page, and no process may be left behind.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import random
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import httpx

from benchmarks import traffic
from benchmarks.report import Bound
from tearsheet import limits

CLIENTS, HOSTILE = 50, 5
WARM_UP = 10.0
CLERKS = 6
"""Clients that ask for clips while processes are killed."""
KINDS = {
    "browser": "--remote-debugging-pipe",
    "process of a browser for its requests": "--utility-sub-type=network",
    "worker": "tearsheet.workers",
    "service": "",
}
"""The processes that are killed, and how to recognise their commands."""
VICTIM_SECONDS = 30.0
PATIENCE = 300.0
"""Seconds in which the last clips must be done."""
_PICTURES = 24
_HUGE = 31 * 2**20


def main() -> int:
    """The number of promises that do not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.siege", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each part under load")
    parser.add_argument("--kills", type=int, default=100)
    args = parser.parse_args()
    failed = 0
    with traffic.samples() as (site, _):
        for bound in itertools.chain(load(site, args.seconds), kills(site, args.kills)):
            print(bound, flush=True)
            failed += not bound.holds
    return failed


def load(site: str, seconds: float) -> Iterator[Bound]:
    """Honest clients alone, then with hostile ones among them, then alone again."""
    asks = [
        {"url": f"{site}/{path}", "format": "md", "render": "never"}
        for path in traffic.sample_pages()
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        traffic.service(folder, "--rate", str(limits.CLIPS_A_MINUTE)) as service,
    ):
        traffic.crowd(service.address, asks, CLIENTS, WARM_UP)
        memory = [service.memory()]
        alone = [_measure(service, asks, CLIENTS, seconds)]
        memory.append(service.memory())
        with _hostile_clients(service.address) as attack:
            among = _measure(service, asks, CLIENTS - HOSTILE, seconds)
            print(f"seconds of processor time of the hostile clients: {traffic.cpu(attack):.1f}")
        alone.append(_measure(service, asks, CLIENTS, seconds))
        memory.append(service.memory())
    statuses = sum((tally.statuses for tally, _ in (*alone, among)), Counter[int]())
    print(f"statuses of honest clients: {dict(statuses)}; megabytes: {[*map(round, memory)]}")
    for name, (tally, rate) in zip(
        ("alone", "among hostile", "alone"), (alone[0], among, alone[1])
    ):
        late = tally.quantile(0.99)
        print(f"{name}: {rate:.3f} clips a second for each client, 99th percentile {late:.2f} s")
    errors = sum(n for status, n in statuses.items() if status not in (200, 429))
    mean = sum(rate for _, rate in alone) / 2
    yield Bound("answers to honest clients that are neither 200 nor 429", errors, 0)
    yield Bound("rate alone / rate among hostile clients", mean / max(among[1], 1e-9), 1 / 0.8)
    yield Bound("memory after honest clients / after warm-up", memory[1] / memory[0], 1.1)
    yield Bound("memory at the end / after warm-up", memory[2] / memory[0], 1.2)
    slow = max(tally.quantile(0.99) for tally, _ in alone)
    yield Bound("seconds, 99th percentile, a quiet machine", slow, 2, is_aim=True)


def _measure(
    service: traffic.Service, asks: list[dict[str, str]], clients: int, seconds: float
) -> tuple[traffic.Tally, float]:
    """The answers that the clients got, and the clips a second of each."""
    began, used, routes = time.monotonic(), service.cpu(), service.routes_cpu()
    tally = traffic.crowd(service.address, asks, clients, seconds)
    took, clips = time.monotonic() - began, tally.statuses[200]
    used, routes = service.cpu() - used, service.routes_cpu() - routes
    print(
        f"{clips} clips in {took:.0f} s; the service used {used:.1f} s of processor time "
        f"({routes:.1f} s the process with the routes), {1000 * used / max(clips, 1):.1f} ms a clip"
    )
    return tally, clips / took / clients


@contextlib.contextmanager
def _hostile_clients(address: str) -> Iterator[int]:
    """Runs them in a process of their own, whose id it gives, while the block runs."""
    process = multiprocessing.Process(target=_attack, args=(address,), daemon=True)
    process.start()
    assert process.pid is not None
    try:
        yield process.pid
    finally:
        process.kill()
        process.join()


def _attack(address: str) -> None:
    os.nice(19)  # in life, they have a machine of their own

    async def attack() -> None:
        never = await asyncio.start_server(_keep_silent, "127.0.0.1", 0)
        dead = f"http://127.0.0.1:{never.sockets[0].getsockname()[1]}"
        host, _, port = address.removeprefix("http://").partition(":")
        pictures = "".join(f"<p>A boat came in.<img src={dead}/{n}.jpg>" for n in range(_PICTURES))
        text = "<p>They rise and fall, all day long, and nobody minds.</p>" * 20
        hanging = {"html": f"<h1>Tides</h1>{text}{pictures}", "url": dead, "format": "html"}
        kinds = (
            _drip,
            _send_huge,
            _leave_half_open,
            lambda *at: _ask(*at, hanging),
            lambda *at: _ask(*at, {"url": f"{dead}/page", "render": "never"}),
        )
        await asyncio.gather(
            *(_repeat(kind, host, int(port), number) for number, kind in enumerate(kinds))
        )

    asyncio.run(attack())


async def _keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(3600)


async def _repeat(kind: Callable[..., object], host: str, port: int, number: int) -> None:
    """Does the same again and again, from an address of its own."""
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await kind(host, port, (f"127.0.2.{number + 1}", 0))  # type: ignore[misc]
        await asyncio.sleep(0.01)


async def _drip(host: str, port: int, own: tuple[str, int]) -> None:
    """One byte of a request in a while."""
    _, writer = await asyncio.open_connection(host, port, local_addr=own)
    for byte in traffic.make_request(host, b'{"url": "http://a.example/"}'):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.2)


async def _send_huge(host: str, port: int, own: tuple[str, int]) -> None:
    """A body of very many small values."""
    body = b'{"url": [' + b"1," * (_HUGE // 2) + b"1]}"
    reader, writer = await asyncio.open_connection(host, port, local_addr=own)
    writer.write(traffic.make_request(host, body))
    await traffic.read_answer(reader)
    writer.close()


async def _leave_half_open(host: str, port: int, own: tuple[str, int]) -> None:
    """Two hundred connections with half a head each, held until the service closes them."""
    opened = [await asyncio.open_connection(host, port, local_addr=own) for _ in range(200)]
    for _, writer in opened:
        writer.write(b"POST /v1/clips HTTP/1.1\r\nHost: ")
    await asyncio.gather(*(reader.read() for reader, _ in opened), return_exceptions=True)


async def _ask(host: str, port: int, own: tuple[str, int], ask: dict[str, str]) -> None:
    """Sixteen clips at once that take as long as they may."""
    lines = [await asyncio.open_connection(host, port, local_addr=own) for _ in range(16)]
    for _, writer in lines:
        writer.write(traffic.make_request(host, json.dumps(ask).encode()))
    await asyncio.gather(*(traffic.read_answer(reader) for reader, _ in lines))
    for _, writer in lines:
        writer.close()


def kills(site: str, count: int) -> Iterator[Bound]:
    """Kills processes while clips are made; then waits for the clips and looks at what is left."""
    with tempfile.TemporaryDirectory() as folder:
        host = AttackedService(folder, site)
        with ThreadPoolExecutor(CLERKS) as pool:
            clerks = [pool.submit(host.work_as_clerk, number) for number in range(CLERKS)]
            done = host.kill_processes(count)
            host.is_over.set()
            for clerk in clerks:
                clerk.result()
        states = host.wait_for_clips()
        unread, texts = host.read_documents()
        seen = set(host.pids) | set(host.service.pids)
        host.service.process.send_signal(signal.SIGTERM)
        host.service.process.wait()
        left = _count_living(seen)
    print(f"killed: {dict(done)}; clips accepted: {len(host.accepted)}; ends: {dict(states)}")
    print(f"requests that broke off: {host.broken}; clips in the store: {len(host.rows.clips)}")
    yield Bound("accepted clips that are lost or failed", len(host.accepted) - states["done"], 0)
    yield Bound("documents of accepted clips that cannot be read", unread, 0)
    yield Bound("texts of a page beyond the one that it has", _count_others(texts), 0)
    for what, count in host.rows.count_faults(host.asked, host.accepted):
        yield Bound(what, count, 0)
    yield Bound("processes left behind", left, 0)


class AttackedService:
    """A service that is started again whenever it was killed, and those who ask it."""

    def __init__(self, folder: str, site: str) -> None:
        self._folder, self._site = folder, site
        self._port = _free_port()
        self.is_over = threading.Event()
        self.asked: set[str] = set()
        """The address of each request, also of those that broke off; each is asked for once."""
        self.accepted: dict[str, str] = {}
        """The address of each clip whose id a clerk got."""
        self.broken = 0
        self.rows = StoredRows([], [], [])
        self.pids: set[int] = set()
        """All processes that were seen."""
        self.start()

    def start(self) -> None:
        self.service = traffic.start_service(
            self._folder, "--port", str(self._port), "--workers", "2"
        )

    @property
    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.service.address, headers=traffic.BEARER, timeout=60)

    def work_as_clerk(self, number: int) -> None:
        """Asks for one clip after another, every third drawn, and waits for each."""
        paths = traffic.sample_pages()
        for turn in itertools.count(number):
            if self.is_over.is_set():
                return
            render, path = "never" if turn % 3 else "always", paths[turn % len(paths)]
            # Each address once: what is stored twice was doubled.
            url = f"{self._site}/{path}?clerk={number}-{turn}&{render}"
            ask = {"url": url, "format": "txt", "render": render}
            self.asked.add(ask["url"])
            try:
                with self.client as client:
                    name = client.post("/v1/clips", json=ask).raise_for_status().json()["id"]
                    self.accepted[name] = ask["url"]
                    while client.get(f"/v1/clips/{name}").json()["state"] in ("queued", "working"):
                        if self.is_over.wait(0.1):
                            return
            except (httpx.HTTPError, ValueError):
                self.broken += 1
                self.is_over.wait(0.2)

    def kill_processes(self, count: int) -> Counter[str]:
        """Kills one kind after another; a service that was killed is started again."""
        done: Counter[str] = Counter()
        choose = random.Random(21)
        for kind in itertools.islice(itertools.cycle(KINDS), count):
            time.sleep(choose.uniform(0.2, 1.0))
            victims = self._wait_for_victims(kind)
            if victims:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(choose.choice(victims), signal.SIGKILL)
                    done[kind] += 1
            if kind == "service":
                self.service.process.wait()
                self.start()
        return done

    def _wait_for_victims(self, kind: str) -> list[int]:
        """The processes of a kind, once there is one; a browser starts with the first drawing."""
        until = time.monotonic() + VICTIM_SECONDS
        while not (found := self._find(kind)) and time.monotonic() < until:
            time.sleep(0.05)
        return found

    def _find(self, kind: str) -> list[int]:
        family = self.service.pids
        self.pids |= set(family)
        if kind == "service":
            return family[:1]
        return [pid for pid in family[1:] if KINDS[kind] in _command(pid)]

    def wait_for_clips(self) -> Counter[str]:
        """How the accepted clips ended."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with self.client as client:
                ends = [client.get(f"/v1/clips/{name}").json() for name in self.accepted]
                waiting = client.get("/v1/clips", params={"state": "waiting"}).json()["total"]
            found = Counter(clip.get("state", "lost") for clip in ends)
            if not found["queued"] + found["working"] + waiting:
                break
            time.sleep(1)
        for clip in ends:
            if clip.get("state") == "failed":
                print(f"failed: {clip['error']}")
        self.rows = read_rows(f"{self._folder}/store.db")
        return found

    def read_documents(self) -> tuple[int, dict[str, set[bytes]]]:
        """How many clips cannot be read, and what the clips of each page say."""
        unread, texts = 0, dict[str, set[bytes]]()
        with self.client as client:
            for name, url in self.accepted.items():
                answer = client.get(f"/v1/clips/{name}/document", params={"format": "txt"})
                unread += answer.status_code != 200 or not answer.content
                page = url.partition("?")[0] + url.rpartition("&")[2]  # parsed or drawn
                texts.setdefault(page, set()).add(answer.content.replace(url.encode(), b""))
        return unread, texts


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return ""


class StoredRows(NamedTuple):
    """The rows of a store about its clips."""

    clips: list[tuple[str, str]]
    """Id and address of each clip."""
    articles: list[str]
    """The clip of each stored article."""
    texts: list[str]
    """The clip of each text that can be searched."""

    def count_faults(
        self, asked: Collection[str], accepted: Mapping[str, str]
    ) -> Iterator[tuple[str, int]]:
        """Faults that must not be, and how often each occurs. All clips of the store are done by
        then."""
        ids, addresses = [name for name, _ in self.clips], [url for _, url in self.clips]
        yield "clips that are stored twice", sum(map(_count_again, (ids, addresses)))
        yield "clips that nobody asked for", sum(url not in asked for url in addresses)
        wrong = accepted.items() - dict(self.clips).items()
        yield "clips whose address is not that of their request", len(wrong)
        yield "articles that are stored twice or without a clip", _count_unlike(self.articles, ids)
        yield (
            "texts for the search that are twice or without a clip",
            _count_unlike(self.texts, ids),
        )


def read_rows(store: str) -> StoredRows:
    """The rows of a store, past the service: what it would not show is here, too."""
    import sqlite3

    with contextlib.closing(sqlite3.connect(store)) as db:
        clips = [(name, json.loads(asked)["url"]) for name, asked in db.execute(_CLIPS)]
        articles, texts = ([row[0] for row in db.execute(query)] for query in (_ARTICLES, _TEXTS))
    return StoredRows(clips, articles, texts)


_CLIPS = "SELECT id, asked FROM clips"
_ARTICLES = "SELECT clip FROM documents WHERE name = 'article'"
_TEXTS = "SELECT clip FROM texts"


def _count_again(values: Collection[str]) -> int:
    return len(values) - len(set(values))


def _count_unlike(found: list[str], wanted: list[str]) -> int:
    """How many are there more or less often than they should."""
    difference = Counter(found)
    difference.subtract(wanted)
    return sum(map(abs, difference.values()))


def _count_others(texts: Mapping[str, set[bytes]]) -> int:
    return sum(len(known) - 1 for known in texts.values())


def _count_living(pids: set[int]) -> int:
    """How many of these live after a moment in which they may end."""
    until = time.monotonic() + 10
    while time.monotonic() < until and any(map(_is_ours, pids)):
        time.sleep(0.1)
    return sum(map(_is_ours, pids))


def _is_ours(pid: int) -> bool:
    """Whether a process lives that is a service, a worker or a browser."""
    command = _command(pid)
    return "tearsheet" in command or "--remote-debugging-pipe" in command or "--type=" in command


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
