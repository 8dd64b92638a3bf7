"""Slow pictures and slow further pages cost only themselves, and only whoever asked for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.acquire.site import Site, answer, serving

from tearsheet.follow import MISSING_PAGES
from tearsheet.serve import worker
from tearsheet.serve.job_runner import JobRunner
from tearsheet.serve.metrics import Metrics
from tearsheet.store import Clip, Store, connect

from .conftest import settings

TEXT = "<h1>Tides</h1>" + "".join(
    f"<p>On day {day} the tide rose and fell, as it does here, and nobody minded it.</p>"
    for day in range(30)
)
ASKED: dict[str, object] = {
    "url": None,
    "method": "forest",
    "render": "never",
    "format": "html",
    "options": {},
}


@pytest.fixture
def site() -> Iterator[Site]:
    """A site where everything below /hang never answers."""
    with serving() as found:

        def hang(handler: BaseHTTPRequestHandler) -> None:
            found.ending.wait()

        found.routes |= {f"/hang{number}": hang for number in range(24)}
        yield found


@contextmanager
def job_runner(folder: Path, **changes: object) -> Iterator[tuple[Store, Callable[[str], Clip]]]:
    """A store whose clips are made, and a function that waits for the end of one."""
    config, changed = settings(folder, **changes), threading.Event()
    store = connect(config.store)
    jobs = JobRunner(store, config, Metrics(), lambda *_: changed.set())

    def wait(name: str) -> Clip:
        clip, until = None, time.monotonic() + 60
        while time.monotonic() < until:
            clip = store.clip(name)
            assert clip is not None
            if clip.state in ("done", "failed"):
                break
            changed.wait(0.2)
            changed.clear()
        assert clip is not None
        return clip

    jobs.start()
    try:
        yield store, wait
    finally:
        jobs.close()
        store.close()


def test_hanging_pictures_do_not_cost_the_article(site: Site, tmp_path: Path) -> None:
    figures = "".join(f"<p><img src=/hang{n} width=600 height=400></p>" for n in range(24))
    address = site.page("/", f"<article>{TEXT}{figures}{TEXT}</article>")
    with job_runner(tmp_path, job_seconds=9) as (store, wait):
        clip = wait(store.add(ASKED | {"url": address}, None, "", "", 1))
    assert (clip.state, clip.code) == ("done", "")
    assert any("24 pictures could not be loaded" in reason for reason in clip.facts["reasons"])
    assert site.hits["/hang0"]


def test_a_hanging_next_page_does_not_cost_the_first(site: Site, tmp_path: Path) -> None:
    """Its print page hangs, too."""
    numbers = "<p><b>1</b> <a href='/story?page=2'>2</a> <a href='/story?page=3'>3</a></p>"
    links = f"{numbers}<a rel=next href='/story?page=2'>Next page</a><a href=/hang1>Print</a>"
    first = answer(f"<title>Tides</title><article>{TEXT}</article>{links}")

    def story(handler: BaseHTTPRequestHandler) -> None:
        (site.routes["/hang2"] if "page=" in handler.path else first)(handler)

    site.routes["/story"] = story
    address = f"{site.url}/story"
    with job_runner(tmp_path, job_seconds=9) as (store, wait):
        clip = wait(store.add(ASKED | {"url": address, "format": "txt"}, None, "", "", 1))
    assert site.hits["/story"] == 2
    assert (clip.state, clip.code) == ("done", "")
    assert MISSING_PAGES in clip.facts["reasons"]


def test_slow_clips_of_one_client_do_not_keep_another_waiting(site: Site, tmp_path: Path) -> None:
    """The slow ones fill all that they may have, and still go on when the other one is done."""
    with job_runner(tmp_path) as (store, wait):
        slow = [
            store.add(ASKED | {"url": f"{site.url}/hang{n}"}, None, "slow", "", 1) for n in range(8)
        ]
        while not site.hits:
            time.sleep(0.01)
        quick = store.add(ASKED, TEXT.encode(), "quick", "", 1)
        assert wait(quick).state == "done"
        states = [clip.state for name in slow if (clip := store.clip(name))]
        assert set(states) == {"working", "queued"}


def test_slow_clips_of_very_many_clients_make_room_for_another(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold all workers before anybody can know that they are slow; then they wait."""
    monkeypatch.setattr(worker, "_SLOW", 0.5)
    monkeypatch.setattr(worker, "_TOO_SLOW", 1.0)
    with job_runner(tmp_path) as (store, wait):
        slow = [
            store.add(ASKED | {"url": f"{site.url}/hang{n}"}, None, f"slow {n}", "", 1)
            for n in range(8)
        ]
        while len(site.hits) < worker.WORKERS:
            time.sleep(0.01)
        quick = store.add(ASKED, TEXT.encode(), "quick", "", 1)
        assert wait(quick).state == "done"
        states = [clip.state for name in slow if (clip := store.clip(name))]
        assert set(states) == {"working", "queued"}


def test_the_service_s_own_test_is_not_given_up_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service would seem to be broken; a clip is made later."""
    monkeypatch.setattr(worker, "_SLOW", 0.0)
    monkeypatch.setattr(worker, "_TOO_SLOW", 0.0)
    taken: list[worker.TaskWorker] = []
    monkeypatch.setattr(worker.TaskWorker, "take_away", lambda self: taken.append(self))
    config = settings(tmp_path)
    store = connect(config.store)
    jobs = JobRunner(store, config, Metrics(), lambda *_: None)
    tested: list[worker.TaskWorker] = []

    def draw_slowly(own: worker.TaskWorker, *_: object) -> None:
        tested.append(own)
        jobs._workers.make_room("another")

    monkeypatch.setattr(worker.TaskWorker, "call", draw_slowly)
    with ExitStack() as stack:
        for number in range(worker.WORKERS - 1):
            stack.enter_context(jobs._workers.lend(1, f"slow {number}"))
        jobs.check_worker(1)
    assert len(tested) == len(taken) == 1
    assert tested != taken
    store.close()
