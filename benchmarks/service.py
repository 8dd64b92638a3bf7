"""`python -m benchmarks.service [load|stages|drawn|kills]`: the service under load, its own share
of the cost, and what is lost when parts of it are killed. Loopback only."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
from samples.serve import serving

from benchmarks import pages, traffic
from benchmarks.report import Bound
from tearsheet import extract
from tearsheet.acquire.browser import Browser, Tab
from tearsheet.acquire.fetch import fetch
from tearsheet.article import Article
from tearsheet.clip import clip_snapshot
from tearsheet.errors import TearsheetError
from tearsheet.store import archive
from tearsheet.types import Options
from tearsheet.workers import family

CORES = 2
CLIENTS, SECONDS, WARM_UP = 50, 60.0, 60.0
"""The warm-up fills the caches of 12 workers: their memory still grows for most of a minute."""
FORMAT = "md"
ALONE = 12.0
"""Seconds for which `extract(page, address).to(FORMAT)` is measured, before and after: the same
document of the same page without the service."""
PAGES = 120
DRAWN, TURNS = 60, 3
JOBS = 100
ONE_PAGE: Mapping[str, str] = {"pages": "one", "print_page": "never"}
LOADED = """new Promise((done) =>
    document.readyState === "complete" ? done() : addEventListener("load", () => done()))"""
PATIENCE = 900.0

T = TypeVar("T")


def main(parts: Sequence[str]) -> int:
    """The number of promises that do not hold."""
    found = []
    for part in parts or PARTS:
        for bound in PARTS[part]():
            print(bound, flush=True)
            found.append(bound)
    return sum(not bound.holds for bound in found)


def load() -> Iterator[Bound]:
    """50 clients for a minute, on parsed pages, compared with `extract` alone."""
    texts = _with_articles(PAGES)
    before = alone(texts)
    with traffic.site(texts) as site, tempfile.TemporaryDirectory() as folder:
        ask = {"format": FORMAT, "render": "never", "options": ONE_PAGE}
        asks = [{"url": f"{site}/{number}", **ask} for number in range(len(texts))]
        with traffic.service(folder) as service:
            traffic.crowd(service.address, asks, CLIENTS, WARM_UP)
            memory, used, routes = service.memory(), service.cpu(), service.routes_cpu()
            began = time.monotonic()
            tally = traffic.crowd(service.address, asks, CLIENTS, SECONDS)
            wall, spent = time.monotonic() - began, service.cpu() - used
            routes = service.routes_cpu() - routes
            grown = service.memory() / memory
    after = alone(texts)
    done, bare = tally.statuses[200], (before[0] + after[0]) / 2
    cost = (before[1] + after[1]) / 2
    print(f"{done} clips in {wall:.0f} s, {done / wall:.1f} a second; {dict(tally.statuses)}")
    print(
        f"extract alone: {before[0]:.1f} a second before, {after[0]:.1f} after, {CORES} processes"
    )
    print(
        f"processor time: extract {1e3 * cost:.1f} ms a page, service {1e3 * spent / done:.1f} ms, "
        f"of which {1e3 * routes / done:.1f} ms where its routes run"
    )
    print(f"the service had {spent / wall:.2f} of {CORES} cores; {memory:.0f} MB after warm-up")
    errors = sum(n for status, n in tally.statuses.items() if status not in (200, 429))
    median = tally.quantile(0.5)
    yield Bound("answers that are neither 200 nor 429", errors, 0)
    yield Bound(f"seconds, 99th percentile (median {median:.2f})", tally.quantile(0.99), 2)
    yield Bound("memory at the end / after warm-up", grown, 1.1)
    yield Bound("extract alone / service, clips a second", bare / (done / wall), 1 / 0.7)
    yield Bound("service / extract alone, processor time a page", spent / done / cost, 1 / 0.7)


def stages() -> Iterator[Bound]:
    """The cost of each part of a clip for a worker."""
    texts, spent = _with_articles(PAGES), defaultdict[str, float](float)
    options = Options(allow_private=True, pages="one", print_page="never")

    def time_part(part: str, work: Callable[[], T]) -> T:
        began = time.thread_time()
        done = work()
        spent[part] += time.thread_time() - began
        return done

    with traffic.site(texts) as site:
        for number in [0, *range(len(texts))]:  # the first twice, so as not to count imports
            if number == 0:
                spent.clear()
            page = time_part("fetch", lambda: fetch(f"{site}/{number}", options))  # noqa: B023
            article = time_part("article", lambda: _whole(clip_snapshot(page, "forest", options)))  # noqa: B023
            time_part(FORMAT, lambda: article.to(FORMAT))  # noqa: B023
            time_part("pack", lambda: archive.pack(article))  # noqa: B023
    each = (f"{part} {1e3 * seconds / len(texts):.2f}" for part, seconds in spent.items())
    print(f"processor time, ms a clip in a worker: {', '.join(each)}")
    yield from ()


def _whole(article: Article) -> Article:
    """The article with its blocks, which need its metadata and pictures."""
    assert article.blocks is not None
    return article


def _with_articles(count: int) -> list[bytes]:
    """Pages of WCXB that have an article, always the same ones."""
    texts = [page.encode() for page in pages.sample()]
    random.Random(7).shuffle(texts)
    return [text for text in texts[: count * 2] if _has_article(text)][:count]


def _has_article(text: bytes) -> bool:
    try:
        return bool(extract(text).text)
    except TearsheetError:
        return False


def alone(texts: Sequence[bytes]) -> tuple[float, float]:
    """Pages per second of `extract` with a process per core, and processor seconds per page."""
    with multiprocessing.get_context("spawn").Pool(CORES) as pool:
        found = pool.starmap(
            _extract_for_a_while, [(texts, number) for number in range(CORES)], chunksize=1
        )
    pages_done = sum(count for count, _, _ in found)
    rate = sum(count / wall for count, wall, _ in found)
    return rate, sum(spent for _, _, spent in found) / pages_done


def _extract_for_a_while(texts: Sequence[bytes], first: int) -> tuple[int, float, float]:
    extract(texts[0]).to(FORMAT)
    count, began, spent = 0, time.monotonic(), time.process_time()
    while time.monotonic() - began < ALONE:
        number = (first * 17 + count) % len(texts)
        extract(texts[number], f"http://127.0.0.1:8000/{number}").to(FORMAT)
        count += 1
    return count, time.monotonic() - began, time.process_time() - spent


def compare_drawn() -> Iterator[Bound]:
    """Clips of drawn pages per second, compared with bare loads of the same pages in as many tabs.

    They take turns, so that other work on the machine affects both.
    """
    with traffic.samples() as (site, pid), tempfile.TemporaryDirectory() as folder:
        addresses = [f"{site}/{path}" for path in traffic.sample_pages()]
        wanted = [addresses[number % len(addresses)] for number in range(DRAWN)]
        bare, clips, answers = PageCosts(), PageCosts(), Counter[int]()
        with (
            traffic.service(folder, "--workers", str(CORES)) as service,
            Browser(pages=CORES) as browser,
        ):
            _load(browser, wanted[: CORES * 2])  # the browsers start
            _clip_all(service.address, wanted[: CORES * 2])
            for _ in range(TURNS):
                with bare.counting(DRAWN, os.getpid(), but=(pid, service.process.pid)):
                    _load(browser, wanted)
                with clips.counting(DRAWN, service.process.pid):
                    answers += _clip_all(service.address, wanted)
    print(f"bare loads: {bare}; drawn clips: {clips}; {dict(answers)}")
    yield Bound("drawn clips that failed", TURNS * DRAWN - answers[200], 0)
    yield Bound("bare loads / drawn clips, a second", bare.rate / clips.rate, 1 / 0.8)
    yield Bound("drawn clip / bare load, processor time", clips.cost / bare.cost, 1 / 0.8)


@dataclass
class PageCosts:
    """What pages cost: seconds of the clock and of the processors."""

    pages: int = 0
    wall: float = 0.0
    cpu: float = 0.0

    @contextlib.contextmanager
    def counting(self, pages: int, pid: int, but: Sequence[int] = ()) -> Iterator[None]:
        """Counts what a process and its descendants use meanwhile, without those in `but`."""
        began, spent = time.monotonic(), _processor_seconds(pid, but)
        yield
        self.pages += pages
        self.wall += time.monotonic() - began
        self.cpu += _processor_seconds(pid, but) - spent

    @property
    def rate(self) -> float:
        return self.pages / self.wall

    @property
    def cost(self) -> float:
        return self.cpu / self.pages

    def __str__(self) -> str:
        return f"{self.rate:.2f} a second, {1e3 * self.cost:.0f} ms of processor time each"


def _processor_seconds(pid: int, but: Sequence[int]) -> float:
    left_out = {below for one in but for below in family(one)}
    return sum(traffic.cpu(one) for one in family(pid) if one not in left_out)


def _load(browser: Browser, addresses: Sequence[str]) -> None:
    """Loads pages and does nothing else, one per core at a time, each in its own context."""
    options = Options(allow_private=True)

    def load(address: str) -> None:
        browser.run(lambda tab: _load_page(tab, address), options)

    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(load, addresses))


def _load_page(tab: Tab, address: str) -> None:
    """Waits for the page's load event only."""
    tab.call("Page.navigate", url=address)
    tab.call("Runtime.evaluate", expression=LOADED, awaitPromise=True)


def _clip_all(address: str, urls: Sequence[str]) -> Counter[int]:
    """The responses to two clients per core, each of which asks for a clip and waits for it."""
    asks = [{"url": url, "render": "always", "options": ONE_PAGE} for url in urls]
    return traffic.crowd(address, asks, CORES * 2).statuses


def _wait_for_states(client: httpx.Client, names: Sequence[str]) -> Counter[str]:
    for name in names:
        client.get(f"/v1/clips/{name}/events")
    return Counter(client.get(f"/v1/clips/{name}").json()["state"] for name in names)


def kills() -> Iterator[Bound]:
    """100 clips, every third drawn, while a browser, a worker and the whole service are killed."""
    with serving() as site, tempfile.TemporaryDirectory() as folder:
        paths = traffic.sample_pages()
        asks = [
            {"url": f"{site}/{paths[number % len(paths)]}", "format": "txt", "options": ONE_PAGE,
             "render": "never" if number % 3 else "always"}
            for number in range(JOBS)
        ]  # fmt: skip
        with traffic.service(folder) as service:
            client = httpx.Client(
                base_url=service.address, headers=traffic.BEARER, timeout=PATIENCE
            )
            names = [client.post("/v1/clips", json=ask).json()["id"] for ask in asks]
            for share, kill in ((0.1, _kill_browser), (0.3, _kill_worker), (0.5, _kill_service)):
                done = _wait_for(client, int(share * JOBS))
                print(
                    f"{kill.__name__[1:].replace('_', 'ed a ')} after {done} clips: {kill(service)}"
                )
        print("started again", flush=True)
        with (
            traffic.service(folder) as service,
            httpx.Client(
                base_url=service.address, headers=traffic.BEARER, timeout=PATIENCE
            ) as client,
        ):
            states = _wait_for_states(client, names)
            texts = [client.get(f"/v1/clips/{n}/document?format=txt").status_code for n in names]
    print(f"{dict(states)}")
    yield Bound(f"clips of {JOBS} that were lost or failed", JOBS - states["done"], 0)
    yield Bound("documents that cannot be read", JOBS - texts.count(200), 0)


def _wait_for(client: httpx.Client, number: int) -> int:
    """Waits until at least `number` clips are done; returns how many are."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        clips: list[dict[str, Any]] = client.get("/v1/clips?limit=200").json()["clips"]
        done = sum(1 for clip in clips if clip["state"] == "done")
        if done >= number:
            return done
        time.sleep(0.1)
    raise TimeoutError("the clips are not done in time")


def _kill_browser(service: traffic.Service) -> bool:
    return _kill(service, lambda command: "--remote-debugging-pipe" in command)


def _kill_worker(service: traffic.Service) -> bool:
    return _kill(service, lambda command: "tearsheet.workers" in command)


def _kill_service(service: traffic.Service) -> bool:
    service.process.kill()
    return True


def _kill(service: traffic.Service, matches: Callable[[str], bool]) -> bool:
    """Kills the first process of the service whose command matches, once there is one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for pid in service.pids:
            try:
                command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if matches(command):
                os.kill(pid, signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


PARTS: Mapping[str, Callable[[], Iterator[Bound]]] = {
    "load": load, "stages": stages, "drawn": compare_drawn, "kills": kills,
}  # fmt: skip

if __name__ == "__main__":
    raise SystemExit(1 if main(sys.argv[1:]) else 0)
